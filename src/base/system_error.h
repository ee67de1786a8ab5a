// What the operating system said, as a Status.
#ifndef ONEKERNEL_BASE_SYSTEM_ERROR_H_
#define ONEKERNEL_BASE_SYSTEM_ERROR_H_

#include <string>

#include "onekernel/status.h"

namespace onekernel::base {

// kIo with "<what>: <the system's words for error>".
Status system_error(const std::string& what, int error);

}  // namespace onekernel::base

#endif  // ONEKERNEL_BASE_SYSTEM_ERROR_H_
