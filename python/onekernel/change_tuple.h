// Changes of a live session as Python sees them.
#ifndef ONEKERNEL_PYTHON_CHANGE_TUPLE_H_
#define ONEKERNEL_PYTHON_CHANGE_TUPLE_H_

#include <nanobind/nanobind.h>

#include <span>

#include "onekernel/live.h"

namespace onekernel::python {

// A tuple of onekernel.Change, in their order; the one empty tuple where nothing changed. REQUIRES: bind_change was called.
nanobind::tuple changes_to_python(std::span<const Change> changes);

// Puts the type into the module.
void bind_change(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_CHANGE_TUPLE_H_
