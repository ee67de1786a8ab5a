// A byte channel through shared memory, with a Unix socket beside it that tells when the other side has gone.
#ifndef ONEKERNEL_TRANSPORT_RING_CHANNEL_H_
#define ONEKERNEL_TRANSPORT_RING_CHANNEL_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "transport/byte_channel.h"
#include "transport/shared_memory.h"

namespace onekernel::transport {

class RingChannel final : public ByteChannel {
 public:
  enum class Side { kServer, kClient };
  struct Waiting {
    std::chrono::nanoseconds spin{50'000};       // look again and again for so long, then sleep until the bell rings
    std::chrono::milliseconds patience{30'000};  // bounds every single wait for the other side
  };

  // `socket` must outlive the channel; it is only watched.
  RingChannel(SharedMemory memory, Side side, int socket, Waiting waiting);

  Result<std::size_t> read_some(std::span<std::byte> into) override;
  Status write(Outgoing& outgoing) override;
  void end_reading() override;

  void set_patience(std::chrono::milliseconds patience) { waiting_.patience = patience; }

 private:
  enum class Woken { kReady, kEnded, kTooLate };

  template <class Ready>
  Result<Woken> wait(Ready ready, SleepLine& sleep);
  void ring_if_asleep(SleepLine& sleep);

  SharedMemory memory_;
  RingReader reader_;
  RingWriter writer_;
  int own_bell_;
  int other_bell_;
  int socket_;
  Waiting waiting_;
  std::atomic<bool> ended_{false};
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_RING_CHANNEL_H_
