// Compiled with -mavx2 (src/engine/CMakeLists.txt), so nothing may be included here whose inline functions others use too.
#if defined(__x86_64__)

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onekernel::engine::detail {

uint64_t content_hash_avx2(const void* data, size_t size);  // engine/content_hash.h
uint64_t content_hash_avx2(const void* data, size_t size) { return XXH3_64bits(data, size); }

}  // namespace onekernel::engine::detail

#endif
