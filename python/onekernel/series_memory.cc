#include "series_memory.h"

#include <fcntl.h>
#include <nanobind/ndarray.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/file_descriptor.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

[[noreturn]] void raise_errno() {
  PyErr_SetFromErrno(errno == ENOMEM ? PyExc_MemoryError : PyExc_OSError);
  throw nb::python_error();
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class SeriesMemory {
 public:
  explicit SeriesMemory(std::size_t n_bars) : n_bars_(n_bars) {
    if (n_bars == 0) throw nb::value_error("a series has at least one bar");
    // The system would kill somebody before it said no.
    if (n_bars > physical_memory() / sizeof(double)) {
      PyErr_SetString(PyExc_MemoryError, "a series of so many bars is longer than this machine's memory");
      throw nb::python_error();
    }
    memory_.reset(::memfd_create("onekernel-series", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory_.valid()) raise_errno();
    // Pages are set aside now: later there would be nobody to tell that there are none.
    if (const int error = ::posix_fallocate(memory_.get(), 0, static_cast<off_t>(bytes())); error != 0) {
      errno = error == ENOSPC ? ENOMEM : error;
      raise_errno();
    }
    address_ = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_.get(), 0);
    if (address_ == MAP_FAILED) {
      address_ = nullptr;
      raise_errno();
    }
  }
  SeriesMemory(const SeriesMemory&) = delete;
  SeriesMemory& operator=(const SeriesMemory&) = delete;
  ~SeriesMemory() {
    if (address_ != nullptr) ::munmap(address_, bytes());
  }

  nb::ndarray<nb::numpy, double, nb::ndim<1>> values() { return {static_cast<double*>(address_), {n_bars_}, nb::find(this)}; }

  // Arrays that somebody still holds stay where they are, but are a private copy from now on as soon as they are written to:
  // a memfd that is mapped to be written cannot be sealed, and taking the pages away would end in SIGSEGV.
  void seal() {
    if (sealed_) return;
    constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const void* private_copy = ::mmap(address_, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, memory_.get(), 0);
    if (private_copy == MAP_FAILED || ::fcntl(memory_.get(), F_ADD_SEALS, kSeals) != 0) raise_errno();
    sealed_ = true;
  }

  int descriptor() const { return memory_.get(); }
  bool sealed() const { return sealed_; }

 private:
  std::size_t bytes() const { return n_bars_ * sizeof(double); }

  std::size_t n_bars_;
  base::FileDescriptor memory_;
  void* address_ = nullptr;
  bool sealed_ = false;
};

}  // namespace

void bind_series_memory(nb::module_& module) {
  nb::class_<SeriesMemory>(module, "SeriesMemory", "A float64 array in a memory file; onekernel.SharedSeries uses it.")
      .def(nb::init<std::size_t>(), "n_bars"_a, "MemoryError or OSError if the system has no room for it.")
      .def("values", &SeriesMemory::values, nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"),
           "The array, zeros at first; (n_bars,).")
      .def("seal", &SeriesMemory::seal,
           "Make the file unchangeable. What is written to arrays afterwards changes those and not the file.")
      .def("sealed", &SeriesMemory::sealed)
      .def("descriptor", &SeriesMemory::descriptor);
}

}  // namespace onekernel::python
