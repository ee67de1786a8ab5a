#include "server/access.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace onekernel::server {

Status check_peer(int unix_socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(unix_socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return base::system_error("cannot tell who a client is", errno);
  }
  const uid_t own = ::geteuid();
  if (peer.uid == own || peer.uid == 0) return {};
  return {StatusCode::kPermissionDenied, "this engine belongs to user " + std::to_string(own) + " and serves no other; user " +
                                             std::to_string(peer.uid) + " runs an engine of its own"};
}

bool Access::grant(std::string_view given) {
  if (granted_) return true;
  std::size_t different = given.size() ^ token_.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token_[i % token_.size()]);
  }
  granted_ = different == 0;
  return granted_;
}

Status Access::denied() {
  return {StatusCode::kPermissionDenied, "this engine wants its token in hello, and this is not it or there was none"};
}

}  // namespace onekernel::server
