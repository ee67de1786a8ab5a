"""The protobuf messages of the gRPC peer, described here instead of in a .proto file, so that no compiler is needed.

message SweepRequest { repeated double close = 1; repeated int64 combos = 2; double fee = 3; }
message SweepReply   { repeated double pnl = 1; repeated int64 trades = 2; int64 compute_ns = 3; }
message BarRequest   { double close = 1; }
message BarReply     { double value = 1; int64 compute_ns = 2; }
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "onekernel.peer"
_FIELD = descriptor_pb2.FieldDescriptorProto
_FIELDS = {
    "SweepRequest": (("close", "double", True), ("combos", "int64", True), ("fee", "double", False)),
    "SweepReply": (("pnl", "double", True), ("trades", "int64", True), ("compute_ns", "int64", False)),
    "BarRequest": (("close", "double", False),),
    "BarReply": (("value", "double", False), ("compute_ns", "int64", False)),
}
_TYPES = {"double": _FIELD.TYPE_DOUBLE, "int64": _FIELD.TYPE_INT64}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="onekernel_peer.proto", package=PACKAGE, syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for number, (field, kind, repeated) in enumerate(fields, 1):
            label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
            message.field.add(name=field, number=number, type=_TYPES[kind], label=label)
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file())


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))


SweepRequest = _class("SweepRequest")
SweepReply = _class("SweepReply")
BarRequest = _class("BarRequest")
BarReply = _class("BarReply")
