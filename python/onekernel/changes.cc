#include "changes.h"

#include <cstddef>
#include <string>

#include "misfit.h"

namespace nb = nanobind;

namespace onekernel::python {
namespace {

PyStructSequence_Field kFields[] = {
    {"bar", "index of the bar at whose close it happened"},
    {"combo", "the combo's place among the session's"},
    {"position", "the new position: +1 long, -1 short"},
    {"price", "the bar's close, at which the position before was closed and this one opened"},
    {"entry_bar", "of the position that was closed; -1: there was none before"},
    {"entry", "its entry price; 0.0 where there was none"},
    {"trade_pnl", "what closing it brought, in percentage points net of the fee; 0.0 where there was none"},
    {"pnl", "the combo's sum over its closed trades, this one included"},
    {"trades", "and their number"},
    {nullptr, nullptr},
};

PyStructSequence_Desc kDescription = {
    "onekernel._native.Change",
    "A combo changed its position at a bar's close: a tuple with names.\n\n"
    "bar, combo, position (+1 long, -1 short), price (the bar's close), then of the position that was closed entry_bar (-1:\n"
    "there was none), entry (its price) and trade_pnl (percentage points net of the fee), then the combo's pnl and trades\n"
    "after it.",
    kFields, 9};

// Lives as long as the process: types that are in use must not be taken away under their objects.
PyTypeObject* change_type = nullptr;

PyObject* require(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return made;
}

nb::object change_to_python(const Change& change) {
  nb::object tuple = nb::steal(require(PyStructSequence_New(change_type)));
  const auto set = [&](Py_ssize_t field, PyObject* value) { PyStructSequence_SetItem(tuple.ptr(), field, require(value)); };
  set(0, PyLong_FromLongLong(change.bar));
  set(1, PyLong_FromUnsignedLong(change.combo));
  set(2, PyLong_FromLong(change.position));
  set(3, PyFloat_FromDouble(change.price));
  set(4, PyLong_FromLongLong(change.entry_bar));
  set(5, PyFloat_FromDouble(change.entry));
  set(6, PyFloat_FromDouble(change.trade_pnl));
  set(7, PyFloat_FromDouble(change.pnl));
  set(8, PyLong_FromLongLong(change.trades));
  return tuple;
}

}  // namespace

nb::object changes_to_python(std::span<const Change> changes) {
  nb::object tuple = nb::steal(require(PyTuple_New(static_cast<Py_ssize_t>(changes.size()))));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), change_to_python(changes[i]).release().ptr());
  }
  return tuple;
}

void require_price(std::int64_t bar, double price) {
  if (is_price(price)) return;
  const auto shown = nb::cast<std::string>(nb::repr(nb::float_(price)));
  throw nb::value_error(
      ("bar " + std::to_string(bar) + ": the price is " + shown + "; a price must be finite and above zero").c_str());
}

void bind_changes(nb::module_& module) {
  if (change_type == nullptr) {
    change_type = PyStructSequence_NewType(&kDescription);
    if (change_type == nullptr) throw nb::python_error();
  }
  module.attr("Change") = nb::borrow(reinterpret_cast<PyObject*>(change_type));
}

}  // namespace onekernel::python
