// A Python object seen as combos, where it can be used as it is.
#ifndef ONEKERNEL_PYTHON_COMBO_VIEW_H_
#define ONEKERNEL_PYTHON_COMBO_VIEW_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace onekernel::python {

// Its owner keeps the bytes in place while this lives.
class ComboView {
 public:
  explicit ComboView(nanobind::handle combos) {
    if (PyObject_GetBuffer(combos.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
      PyErr_Clear();
      return;
    }
    const bool is_int64 = view_.itemsize == 8 && view_.format != nullptr &&
                          (std::strcmp(view_.format, "l") == 0 || std::strcmp(view_.format, "q") == 0);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(std::int64_t) == 0;
    good_ = is_int64 && is_aligned && view_.ndim == 2 && view_.shape[1] == 6 && windows_are_positive();
  }
  ComboView(const ComboView&) = delete;
  ComboView& operator=(const ComboView&) = delete;
  ~ComboView() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  // Whether this is a C-contiguous, aligned buffer of int64 (n, 6) without a window below 1.
  bool good() const { return good_; }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  bool windows_are_positive() const {
    const std::span values(static_cast<const std::int64_t*>(view_.buf), bytes().size() / sizeof(std::int64_t));
    std::uint64_t bad = 0;  // without a branch, for the sake of vector instructions
    for (const std::int64_t value : values) bad |= value >= 1 ? 0U : 1U;
    return bad == 0;
  }

  Py_buffer view_{};
  bool good_ = false;
};

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_COMBO_VIEW_H_
