// Who may talk to the engine.
#ifndef ONEKERNEL_SERVER_ACCESS_H_
#define ONEKERNEL_SERVER_ACCESS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "onekernel/status.h"

namespace onekernel::server {

// A Unix socket's peer has to be the engine's own user, or root: the mode of the socket file keeps others out too, but it can
// be changed, and a directory may be shared. Errors: kPermissionDenied; kIo where the system does not tell who it is.
Status check_peer(int unix_socket);

// What one connection has to prove, and whether it has.
class Access {
 public:
  // An empty token: nothing has to be proved. `token` must outlive this.
  explicit Access(const std::string& token) : token_(token), granted_(token.empty()) {}

  bool granted() const { return granted_; }
  // Compares in a time that depends on the length of what was given only.
  bool grant(std::string_view given);

  // What a client is told that has not proved itself.
  static Status denied();

 private:
  const std::string& token_;
  bool granted_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_ACCESS_H_
