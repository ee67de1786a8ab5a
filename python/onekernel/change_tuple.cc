#include "change_tuple.h"

#include <array>
#include <initializer_list>

namespace onekernel::python {
namespace {

namespace nb = nanobind;

// A C named tuple: several times as quick to make as an instance of a Python class.
std::array<PyStructSequence_Field, 10> fields{{
    {"bar", "index of the bar at whose close the position changed"},
    {"combo", "the combo's place in the list of combos"},
    {"position", "the new one: +1 long, -1 short"},
    {"price", "the bar's close, at which the position before was closed and this one opened"},
    {"entry_bar", "bar at which the closed position had been opened; -1 if there was none"},
    {"entry", "its entry price; 0.0 if there was none"},
    {"trade_pnl", "what closing it brought, percentage points net of the fee; 0.0 if there was none"},
    {"pnl", "the combo's sum over its closed trades, this one included, percentage points"},
    {"trades", "how many those are"},
    {nullptr, nullptr},
}};
PyStructSequence_Desc description{
    "onekernel.Change",
    "A combo changed its position at a bar's close.\n\n"
    "bar, combo, position (+1 long, -1 short), price; entry_bar (-1: none before), entry and trade_pnl of the position\n"
    "that was closed; pnl and trades of the combo so far. pnl in percentage points, net of fees. A tuple of these nine.",
    fields.data(), static_cast<int>(fields.size() - 1)};
PyTypeObject* change_type = nullptr;  // lives as long as the process, as the module does

nb::object change_to_python(const Change& change) {
  nb::object made = nb::steal(PyStructSequence_New(change_type));
  if (!made.is_valid()) throw nb::python_error();
  Py_ssize_t place = 0;
  for (PyObject* value :
       {PyLong_FromLongLong(change.bar), PyLong_FromUnsignedLong(change.combo), PyLong_FromLong(change.position),
        PyFloat_FromDouble(change.price), PyLong_FromLongLong(change.entry_bar), PyFloat_FromDouble(change.entry),
        PyFloat_FromDouble(change.trade_pnl), PyFloat_FromDouble(change.pnl), PyLong_FromLongLong(change.trades)}) {
    PyStructSequence_SetItem(made.ptr(), place++, value);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();  // no memory for one of them
  return made;
}

}  // namespace

nb::tuple changes_to_python(std::span<const Change> changes) {
  nb::tuple made = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(changes.size())));
  if (!made.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), change_to_python(changes[i]).release().ptr());
  }
  return made;
}

void bind_change(nb::module_& module) {
  change_type = PyStructSequence_NewType(&description);
  if (change_type == nullptr) throw nb::python_error();
  module.attr("Change") = nb::handle(reinterpret_cast<PyObject*>(change_type));
}

}  // namespace onekernel::python
