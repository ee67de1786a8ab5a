#include "engine/content_hash.h"

// The hash as a header: one function, no shared library to load at every start of the engine.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onekernel::engine {

std::uint64_t content_hash(std::span<const std::byte> content) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return detail::content_hash_avx2(content.data(), content.size());
#endif
  return XXH3_64bits(content.data(), content.size());
}

}  // namespace onekernel::engine
