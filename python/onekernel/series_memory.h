// Prices that an engine can take over without a copy: an array in a memfd.
#ifndef ONEKERNEL_PYTHON_SERIES_MEMORY_H_
#define ONEKERNEL_PYTHON_SERIES_MEMORY_H_

#include <nanobind/nanobind.h>

namespace onekernel::python {

// Adds the class SeriesMemory to the module.
void bind_series_memory(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_SERIES_MEMORY_H_
