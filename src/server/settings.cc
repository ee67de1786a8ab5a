#include "server/settings.h"

#include <string>

namespace onekernel::server {

Status over_combo_limit(std::uint64_t n_combos, std::uint32_t limit) {
  return {StatusCode::kLimitExceeded, std::to_string(n_combos) + " combos in one request are over the limit of " +
                                          std::to_string(limit) + " (--max-combos)"};
}

}  // namespace onekernel::server
