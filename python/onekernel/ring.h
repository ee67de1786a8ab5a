// Shared memory for Python: sends and receives bytes through rings, with the GIL released.
#ifndef ONEKERNEL_PYTHON_RING_H_
#define ONEKERNEL_PYTHON_RING_H_

#include <nanobind/nanobind.h>

namespace onekernel::python {

// Adds the class Ring to the module.
void bind_ring(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_RING_H_
