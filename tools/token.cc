#include "tools/token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/file_descriptor.h"
#include "base/system_error.h"

namespace onekernel::tools {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 1024;

Result<std::string> checked(std::string token, const std::string& where) {
  const bool is_text = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.size() >= kShortest && token.size() <= kLongest && is_text) return token;
  return Status(StatusCode::kInvalidArgument, where + " holds no token: it needs one line of " + std::to_string(kShortest) +
                                                  " to " + std::to_string(kLongest) +
                                                  " visible ASCII characters (openssl rand -hex 32 makes one)");
}

}  // namespace

Result<std::string> read_token(const std::string& path) {
  if (path.empty()) {
    const char* text = std::getenv("ONEKERNEL_TOKEN");
    if (text == nullptr || *text == '\0') return std::string();
    return checked(text, "ONEKERNEL_TOKEN");
  }
  const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!file.valid() || ::fstat(file.get(), &found) != 0) return base::system_error("cannot read the token in " + path, errno);
  if (!S_ISREG(found.st_mode)) return Status(StatusCode::kInvalidArgument, path + " is no file that could hold a token");
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Status(StatusCode::kInvalidArgument, "others may open " + path + ", so its token is no secret: chmod 600 it");
  }
  std::array<char, kLongest + 2> text;
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return base::system_error("cannot read the token in " + path, errno);
  std::string token(text.data(), static_cast<std::size_t>(got));
  if (token.ends_with('\n')) token.pop_back();
  if (token.ends_with('\r')) token.pop_back();
  return checked(std::move(token), path);
}

}  // namespace onekernel::tools
