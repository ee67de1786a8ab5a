// What tells the contents of two series apart without comparing them.
#ifndef ONEKERNEL_ENGINE_CONTENT_HASH_H_
#define ONEKERNEL_ENGINE_CONTENT_HASH_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace onekernel::engine {

// XXH3, 64 bits: the same on every processor, faster where there are wide registers.
std::uint64_t content_hash(std::span<const std::byte> content);

namespace detail {

// REQUIRES: a processor with AVX2. Only where the compiler makes code for x86-64.
std::uint64_t content_hash_avx2(const void* data, std::size_t size);

}  // namespace detail

}  // namespace onekernel::engine

#endif  // ONEKERNEL_ENGINE_CONTENT_HASH_H_
