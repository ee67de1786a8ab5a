// Live sessions and lists of trades, for Python.
#ifndef ONEKERNEL_PYTHON_LIVE_BINDING_H_
#define ONEKERNEL_PYTHON_LIVE_BINDING_H_

#include <nanobind/nanobind.h>

namespace onekernel::python {

void bind_live(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_LIVE_BINDING_H_
