#include "base/system_error.h"

#include <system_error>

namespace onekernel::base {

Status system_error(const std::string& what, int error) {
  return {StatusCode::kIo, what + ": " + std::generic_category().message(error)};
}

}  // namespace onekernel::base
