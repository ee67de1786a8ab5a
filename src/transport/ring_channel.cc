#include "transport/ring_channel.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/clock.h"
#include "base/system_error.h"

namespace onekernel::transport {
namespace {

// Looks at the clock once in so many looks at the ring: the clock costs more than a look.
constexpr int kLooksPerClock = 64;

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void drain(int bell) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(bell, &count, sizeof(count));
}

void ring(int bell) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell, &one, sizeof(one));
}

int poll_timeout_ms(std::int64_t left_ns) {
  const std::int64_t ms = left_ns / 1'000'000 + 1;
  return static_cast<int>(std::min<std::int64_t>(ms, std::numeric_limits<int>::max()));
}

}  // namespace

RingChannel::RingChannel(SharedMemory memory, Side side, int socket, Waiting waiting)
    : memory_(std::move(memory)),
      reader_(side == Side::kServer ? memory_.to_server() : memory_.to_client()),
      writer_(side == Side::kServer ? memory_.to_client() : memory_.to_server()),
      own_bell_(side == Side::kServer ? memory_.server_bell() : memory_.client_bell()),
      other_bell_(side == Side::kServer ? memory_.client_bell() : memory_.server_bell()),
      socket_(socket),
      waiting_(waiting) {}

Result<std::size_t> RingChannel::read_some(std::span<std::byte> into) {
  for (;;) {
    Result<std::size_t> got = reader_.try_read(into);
    if (!got.ok()) return got;
    if (got.value() > 0) {
      ring_if_asleep(reader_.other_sleep());  // there is room again
      return got;
    }
    const Result<Woken> woken = wait([this] { return reader_.ready(); }, reader_.own_sleep());
    if (!woken.ok()) return woken.status();
    if (woken.value() == Woken::kEnded) return std::size_t{0};
    if (woken.value() == Woken::kTooLate) return Status(StatusCode::kDeadlineExceeded, "the peer sent nothing for too long");
  }
}

Status RingChannel::write(Outgoing& outgoing) {
  while (outgoing.left() > 0) {
    Result<bool> written = writer_.try_write(outgoing);
    if (!written.ok()) return written.status();
    if (written.value()) {
      ring_if_asleep(writer_.other_sleep());
      if (outgoing.left() > 0 && outgoing.out_of_time()) {
        return {StatusCode::kDeadlineExceeded, "the peer takes a message too slowly"};
      }
      continue;
    }
    bool room = false;
    Status broken;
    const auto has_room = [&] {
      Result<bool> retried = writer_.try_write(outgoing);
      room = !retried.ok() || retried.value();
      if (!retried.ok()) broken = retried.status();
      return room;
    };
    const Result<Woken> woken = wait(has_room, writer_.own_sleep());
    if (!woken.ok()) return woken.status();
    if (!broken.ok()) return broken;
    if (woken.value() == Woken::kEnded) return {StatusCode::kConnectionClosed, "the peer hung up before its reply"};
    if (woken.value() == Woken::kTooLate) return {StatusCode::kDeadlineExceeded, "the peer took nothing for too long"};
    ring_if_asleep(writer_.other_sleep());
  }
  return {};
}

void RingChannel::end_reading() {
  ended_.store(true);
  ring(own_bell_);
}

// Waits until `ready` says so. Sleep is announced before the last look, and the other side looks for sleepers after it has
// written, so no bell is missed.
template <class Ready>
Result<RingChannel::Woken> RingChannel::wait(Ready ready, SleepLine& sleep) {
  const std::int64_t start = base::monotonic_ns();
  const std::int64_t spin_end = start + waiting_.spin.count();
  for (std::int64_t now = start; now < spin_end; now = base::monotonic_ns()) {
    for (int look = 0; look < kLooksPerClock; ++look) {
      if (ready()) return Woken::kReady;
      relax();
    }
    if (ended_.load(std::memory_order_relaxed)) break;
    ::sched_yield();  // the other side may have to run on this very core, and could not while this one only looks
  }
  const std::int64_t deadline = start + std::chrono::nanoseconds(waiting_.patience).count();
  for (;;) {
    sleep.announce();
    const bool is_ready = ready();
    if (is_ready || ended_.load()) {
      sleep.revoke();
      return is_ready ? Woken::kReady : Woken::kEnded;
    }
    const std::int64_t left = deadline - base::monotonic_ns();
    if (left <= 0) {
      sleep.revoke();
      return Woken::kTooLate;
    }
    std::array<pollfd, 2> sources{{{own_bell_, POLLIN, 0}, {socket_, POLLIN | POLLRDHUP, 0}}};
    const int events = ::poll(sources.data(), sources.size(), poll_timeout_ms(left));
    sleep.revoke();
    if (events < 0 && errno != EINTR) return base::system_error("cannot wait for the other side of shared memory", errno);
    if (sources[0].revents != 0) drain(own_bell_);
    if (ready()) return Woken::kReady;
    // Nothing is ever sent over the socket once rings are used: whatever happens there is the end.
    if (events > 0 && sources[1].revents != 0) return Woken::kEnded;
  }
}

void RingChannel::ring_if_asleep(SleepLine& sleep) {
  if (sleep.somebody_sleeps()) ring(other_bell_);
}

}  // namespace onekernel::transport
