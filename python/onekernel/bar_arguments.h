// The index and the price of a live session's bar, as Python callers give them.
#ifndef ONEKERNEL_PYTHON_BAR_ARGUMENTS_H_
#define ONEKERNEL_PYTHON_BAR_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

#include "misfit.h"

namespace onekernel::python {

[[noreturn]] inline void refuse(const char* what, nanobind::handle value, const char* should_be) {
  throw nanobind::type_error(
      (std::string(what) + " is " + nanobind::cast<std::string>(nanobind::repr(value)) + should_be).c_str());
}

// A whole number that no float can hold is infinite, which is no price.
inline double as_number(nanobind::handle price) {
  const double value = PyFloat_AsDouble(price.ptr());  // of anything with __float__ or __index__; text has neither
  if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
  const bool is_too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  if (!is_too_large && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nanobind::python_error();
  PyErr_Clear();
  if (is_too_large) return std::numeric_limits<double>::infinity();
  refuse("the price", price, "; it must be a number");
}

// An index beyond 64 bits is the last one there is, which is never due.
inline std::int64_t as_index(nanobind::handle index) {
  if (PyIndex_Check(index.ptr()) == 0) refuse("the index", index, "; it must be a whole number");
  const nanobind::object whole = nanobind::steal(PyNumber_Index(index.ptr()));
  if (!whole.is_valid()) throw nanobind::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  return overflow == 0 ? value : overflow > 0 ? INT64_MAX : INT64_MIN;
}

inline void require_price(std::int64_t bar, double price) {
  if (is_price(price)) return;
  const std::string value = nanobind::cast<std::string>(nanobind::repr(nanobind::float_(price)));
  throw nanobind::value_error(
      ("bar " + std::to_string(bar) + ": the price is " + value + "; it must be finite and above zero").c_str());
}

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_BAR_ARGUMENTS_H_
