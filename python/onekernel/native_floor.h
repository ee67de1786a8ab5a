// What a crossing costs where no Python is in between: for the study.
#ifndef ONEKERNEL_PYTHON_NATIVE_FLOOR_H_
#define ONEKERNEL_PYTHON_NATIVE_FLOOR_H_

#include <nanobind/nanobind.h>

namespace onekernel::python {

// Adds native_echo and same_thread_ring to the module.
void bind_native_floor(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_NATIVE_FLOOR_H_
