#include "native_floor.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "onekernel/client.h"
#include "raising.h"
#include "transport/outgoing.h"
#include "transport/shared_memory.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace onekernel::python {
namespace {

using Message = std::array<std::byte, sizeof(std::uint64_t)>;
using Times = std::vector<std::int64_t>;

constexpr std::size_t kRingBytes = std::size_t{1} << 20;

// Times `call`, which sends a message and gets one back, so often after some calls that do not count. Each message is new, and
// is compared with what comes back.
template <class Call>
Status time_calls(std::size_t settling, std::size_t calls, Times& times, Call call) {
  times.reserve(calls);
  for (std::uint64_t number = 1; number <= settling + calls; ++number) {
    Message sent, back{};
    std::memcpy(sent.data(), &number, sizeof(number));
    const std::int64_t start = base::monotonic_ns();
    if (Status status = call(sent, back); !status.ok()) return status;
    const std::int64_t taken = base::monotonic_ns() - start;
    if (back != sent) return {StatusCode::kMalformedFrame, "an echo came back different"};
    if (number > settling) times.push_back(taken);
  }
  return {};
}

Times native_echo(const std::string& url, std::size_t settling, std::size_t calls, double spin_us) {
  Times times;
  Status status;
  {
    const nb::gil_scoped_release released;
    const auto spin = std::chrono::nanoseconds(static_cast<std::int64_t>(1000.0 * spin_us));
    Result<Client> client = Client::connect(url, {.spin = spin});
    status = client.ok() ? time_calls(settling, calls, times,
                                      [&](Message& sent, Message& back) { return client.value().echo(sent, back); })
                         : client.status();
  }
  if (!status.ok()) raise_channel_error(status);
  return times;
}

Times same_thread_ring(std::size_t settling, std::size_t calls) {
  Result<transport::SharedMemory> memory = transport::SharedMemory::create(kRingBytes);
  if (!memory.ok()) raise_channel_error(memory.status());
  transport::RingWriter writer(memory.value().to_server());
  transport::RingReader reader(memory.value().to_server());
  Times times;
  const Status status = time_calls(settling, calls, times, [&](Message& sent, Message& back) -> Status {
    const std::span<const std::byte> part(sent);
    transport::Outgoing outgoing({&part, 1});
    if (Result<bool> written = writer.try_write(outgoing); !written.ok()) return written.status();
    for (std::size_t done = 0; done < back.size();) {
      const Result<std::size_t> read = reader.try_read(std::span(back).subspan(done));
      if (!read.ok()) return read.status();
      done += read.value();
    }
    return {};
  });
  if (!status.ok()) raise_channel_error(status);
  return times;
}

}  // namespace

void bind_native_floor(nb::module_& module) {
  module.def("native_echo", &native_echo, "url"_a, "settling"_a, "calls"_a, "spin_us"_a,
             "Nanoseconds of each of `calls` echoes of 8 bytes, made by the C++ client over a connection of its own, after\n"
             "`settling` ones that do not count. Every echo is compared. spin_us: how long the client looks before it sleeps.\n"
             "The GIL is released. ConnectionLost, ProtocolError, TimeoutError, OSError.");
  module.def("same_thread_ring", &same_thread_ring, "settling"_a, "calls"_a,
             "Nanoseconds of each of `calls` messages of 8 bytes that this thread writes into a ring and reads out again: no\n"
             "other process has a part in it, so this is no round trip. After `settling` ones that do not count.");
}

}  // namespace onekernel::python
