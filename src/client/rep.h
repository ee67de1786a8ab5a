// What a client and its live sessions share: the connection, and what the engine said of itself.
#ifndef ONEKERNEL_CLIENT_REP_H_
#define ONEKERNEL_CLIENT_REP_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "client/connection.h"
#include "onekernel/client.h"
#include "onekernel/status.h"
#include "wire/session.h"

namespace onekernel::client {

using Bytes = Connection::Bytes;

template <class T>
Bytes bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

inline Status malformed(const char* what) {
  return {StatusCode::kMalformedFrame, std::string("the engine's reply makes no sense: ") + what};
}

inline Status not_kept() { return {StatusCode::kInvalidArgument, "this is no series that an engine keeps: put one first"}; }

// What a caller's memory cannot hold is an error like any other, and leaves the reply unread.
template <class Call>
auto guarded(Connection& connection, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return connection.give_up({StatusCode::kUnavailable, "not enough memory for this call"});
  } catch (const std::exception& error) {
    return connection.give_up({StatusCode::kInternal, error.what()});
  }
}

struct Rep {
  Rep(base::FileDescriptor socket, const ClientOptions& options)
      : connection(std::move(socket), options), memfd_from_bytes(options.memfd_from_bytes) {}

  Status say_hello(const std::string& token);
  // A call whose reply is small: its payload, in one piece.
  Result<std::vector<std::byte>> call(wire::SessionOpcode opcode, std::initializer_list<Bytes> payload,
                                      std::span<const int> descriptors = {}) {
    return call_of_run(engine.epoch, opcode, payload, descriptors);
  }
  Result<std::vector<std::byte>> call_of_run(std::uint64_t epoch, wire::SessionOpcode opcode,
                                             std::initializer_list<Bytes> payload, std::span<const int> descriptors = {});
  Result<RemoteSeries> take_info(wire::PayloadReader& payload) const;
  // The closes are in `close` or, where `memfd` is not -1, there.
  Result<RemoteSeries> put(std::string_view name, std::uint64_t n_bars, Bytes close, int memfd, const PutOptions& options);
  Result<SweepReply> sweep(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> close,
                           std::span<const Combo> combos, const RemoteSweepOptions& options);
  Result<std::uint32_t> kernel_index(std::string_view name) const;

  Connection connection;
  EngineInfo engine;
  std::size_t memfd_from_bytes;
};

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_REP_H_
