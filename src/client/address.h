// What a client's URL means: unix:/path, tcp://host:port, shm:/path.
#ifndef ONEKERNEL_CLIENT_ADDRESS_H_
#define ONEKERNEL_CLIENT_ADDRESS_H_

#include <string_view>

#include "onekernel/status.h"
#include "transport/endpoint.h"

namespace onekernel::client {

struct Address {
  transport::Endpoint endpoint;     // to connect to
  bool over_shared_memory = false;  // and then to go on in shared memory
};

// Errors: kInvalidArgument, saying what would be understood.
Result<Address> parse_address(std::string_view url);

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_ADDRESS_H_
