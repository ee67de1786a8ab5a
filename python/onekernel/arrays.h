// Arrays that cross between NumPy and the engine, none of them copied or converted.
#ifndef ONEKERNEL_PYTHON_ARRAYS_H_
#define ONEKERNEL_PYTHON_ARRAYS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "onekernel/types.h"

namespace onekernel::python {

using CloseArray = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using ComboArray = nanobind::ndarray<const std::int64_t, nanobind::shape<-1, 6>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using ResultArray = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

inline std::span<const double> span_of(const CloseArray& close) { return {close.data(), close.size()}; }

// A row of the array is one combo: six int64 in the same order (asserted in types.h).
inline std::span<const Combo> span_of(const ComboArray& combos) {
  return {reinterpret_cast<const Combo*>(combos.data()), combos.shape(0)};
}

template <class T>
ResultArray<T> give_to_numpy(std::unique_ptr<T[]> values, std::size_t size) {
  T* data = values.get();
  nanobind::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  values.release();
  return ResultArray<T>(data, {size}, owner);
}

// Numbers as they are, or records as their bytes (of which array.view(dtype) makes records again).
template <class As, class T>
ResultArray<As> give_to_numpy(std::vector<T> values) {
  static_assert(sizeof(T) % sizeof(As) == 0);
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  std::vector<T>* vector = kept.get();
  nanobind::capsule owner(vector, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  kept.release();
  return ResultArray<As>(reinterpret_cast<As*>(vector->data()), {vector->size() * (sizeof(T) / sizeof(As))}, owner);
}

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_ARRAYS_H_
