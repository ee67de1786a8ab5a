#include "transport/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"
#include "transport/directory_lock.h"

namespace onekernel::transport {

Result<Listener> Listener::open(const Endpoint& endpoint, Reach reach) {
  if (const auto* local = std::get_if<UnixEndpoint>(&endpoint)) return open_unix(*local);
  return open_tcp(std::get<TcpEndpoint>(endpoint), reach);
}

Listener::Listener(Listener&& other) noexcept
    : socket_(std::move(other.socket_)),
      endpoint_(std::move(other.endpoint_)),
      file_(std::exchange(other.file_, std::nullopt)) {}

Listener::~Listener() {
  if (!file_) return;
  const std::string& path = std::get<UnixEndpoint>(endpoint_).path;
  const DirectoryLock lock(path);
  struct stat found {};
  const bool ours = ::lstat(path.c_str(), &found) == 0 && found.st_dev == file_->device && found.st_ino == file_->inode;
  if (ours) ::unlink(path.c_str());
}

Result<base::FileDescriptor> Listener::accept() const {
  const int client = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (client >= 0) {
    if (std::holds_alternative<TcpEndpoint>(endpoint_)) {
      const int on = 1;  // a request is written at once; waiting to fill a segment would only add latency
      ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return base::FileDescriptor(client);
  }
  const bool went_away = errno == ECONNABORTED || errno == EINTR || errno == EAGAIN || errno == EPROTO;
  if (went_away) return base::FileDescriptor();
  return base::system_error("cannot accept a client on " + endpoint_url(endpoint_), errno);
}

}  // namespace onekernel::transport
