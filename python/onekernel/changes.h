// Changes of a live session as Python tuples with names.
#ifndef ONEKERNEL_PYTHON_CHANGES_H_
#define ONEKERNEL_PYTHON_CHANGES_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "onekernel/live.h"

namespace onekernel::python {

// A tuple of Change; the empty tuple, which costs nothing, where nothing changed.
nanobind::object changes_to_python(std::span<const Change> changes);

// Raises ValueError unless this is a price: finite and above zero.
void require_price(std::int64_t bar, double price);

// Adds the type Change to the module.
void bind_changes(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_CHANGES_H_
