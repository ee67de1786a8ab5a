// Sockets that wait for clients.
#ifndef ONEKERNEL_TRANSPORT_LISTENER_H_
#define ONEKERNEL_TRANSPORT_LISTENER_H_

#include <sys/types.h>

#include <optional>

#include "base/file_descriptor.h"
#include "onekernel/status.h"
#include "transport/endpoint.h"

namespace onekernel::transport {

// The longest path of a Unix socket: sockaddr_un holds 108 bytes and the last one is the terminating zero.
inline constexpr std::size_t kMaxUnixPath = 107;

class Listener {
 public:
  enum class Reach { kThisMachine, kAnywhere };

  // Binds and listens. Errors: kInvalidArgument (path too long or empty, a TCP address beyond loopback), kUnavailable (a live
  // server listens there), kIo.
  //
  // Unix: the socket file is readable and writable by its owner only (0600). A socket file nobody listens on is replaced;
  // a live server's, another user's, or a file that is no socket is never touched. The file is removed with the listener.
  // TCP: loopback only, unless the caller asks everybody who they are.
  static Result<Listener> open(const Endpoint& endpoint, Reach reach = Reach::kThisMachine);

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  int fd() const { return socket_.get(); }
  // Where it really listens: the port is the one the system chose.
  const Endpoint& endpoint() const { return endpoint_; }

  // Takes one waiting client; an invalid descriptor where it went away meanwhile. Errors: kIo.
  Result<base::FileDescriptor> accept() const;

 private:
  struct FileIdentity {
    dev_t device;
    ino_t inode;
  };

  Listener(base::FileDescriptor socket, Endpoint endpoint, std::optional<FileIdentity> file)
      : socket_(std::move(socket)), endpoint_(std::move(endpoint)), file_(file) {}

  static Result<Listener> open_unix(const UnixEndpoint& endpoint);
  static Result<Listener> open_tcp(const TcpEndpoint& endpoint, Reach reach);

  base::FileDescriptor socket_;
  Endpoint endpoint_;
  std::optional<FileIdentity> file_;  // the socket file this listener made, to remove that one and no other
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_LISTENER_H_
