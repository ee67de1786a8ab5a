#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/system_error.h"
#include "transport/directory_lock.h"
#include "transport/listener.h"

namespace onekernel::transport {
namespace {

constexpr int kBacklog = SOMAXCONN;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

base::FileDescriptor unix_socket(int extra_flags) {
  return base::FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | extra_flags, 0));
}

// Makes room at `path`: ok when nothing is there, or when what was there was a dead server's socket file of this user.
Status remove_stale_socket(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    return errno == ENOENT ? Status() : base::system_error("cannot look at " + path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return {StatusCode::kInvalidArgument, path + " exists and is not a socket; it is left alone. Choose another path"};
  }
  if (found.st_uid != ::geteuid()) {
    return {StatusCode::kInvalidArgument, path + " is another user's socket; it is left alone. Choose another path"};
  }
  const base::FileDescriptor probe = unix_socket(SOCK_NONBLOCK);
  const sockaddr_un address = address_of(path);
  const bool answered = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  if (answered || errno != ECONNREFUSED) {  // EAGAIN: alive, its queue is full
    return {StatusCode::kUnavailable, "a server already listens on " + path};
  }
  if (::unlink(path.c_str()) != 0) return base::system_error("cannot remove the stale socket " + path, errno);
  return {};
}

}  // namespace

Result<Listener> Listener::open_unix(const UnixEndpoint& endpoint) {
  const std::string& path = endpoint.path;
  if (path.empty()) return Status(StatusCode::kInvalidArgument, "the path of a Unix socket is empty");
  if (path.size() > kMaxUnixPath) {
    return Status(StatusCode::kInvalidArgument, "the path of a Unix socket is at most " + std::to_string(kMaxUnixPath) +
                                                    " bytes long, and this one has " + std::to_string(path.size()) + ": " +
                                                    path);
  }
  const DirectoryLock lock(path);
  if (Status room = remove_stale_socket(path); !room.ok()) return room;

  base::FileDescriptor socket = unix_socket(SOCK_NONBLOCK);
  if (!socket.valid()) return base::system_error("cannot create a Unix socket", errno);
  // On Linux the file gets the mode of the socket, so it is never open to others, not even between bind and chmod.
  ::fchmod(socket.get(), S_IRUSR | S_IWUSR);
  const sockaddr_un address = address_of(path);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return base::system_error("cannot bind " + path, errno);
  }
  struct stat made {};
  const bool listening = ::listen(socket.get(), kBacklog) == 0 && ::lstat(path.c_str(), &made) == 0;
  if (!listening) {
    const int error = errno;
    ::unlink(path.c_str());
    return base::system_error("cannot listen on " + path, error);
  }
  return Listener(std::move(socket), endpoint, FileIdentity{made.st_dev, made.st_ino});
}

}  // namespace onekernel::transport
