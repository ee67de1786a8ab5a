// The secret that clients from other machines must know.
#ifndef ONEKERNEL_TOOLS_TOKEN_H_
#define ONEKERNEL_TOOLS_TOKEN_H_

#include <string>

#include "onekernel/status.h"

namespace onekernel::tools {

// The first line of the file at `path`, or else ONEKERNEL_TOKEN where `path` is empty; empty if there is neither.
// Errors: kInvalidArgument (others may read the file, or what is in it is no token), kIo.
Result<std::string> read_token(const std::string& path);

}  // namespace onekernel::tools

#endif  // ONEKERNEL_TOOLS_TOKEN_H_
