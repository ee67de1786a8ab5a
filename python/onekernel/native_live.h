// Live sessions fed where no Python is in between: for the study.
#ifndef ONEKERNEL_PYTHON_NATIVE_LIVE_H_
#define ONEKERNEL_PYTHON_NATIVE_LIVE_H_

#include <nanobind/nanobind.h>

namespace onekernel::python {

// Adds NativeLive to the module.
void bind_native_live(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_NATIVE_LIVE_H_
