// Answers classic requests: bytes in, bytes out. One handler per connection, since it owns the memory of the last reply.
#ifndef ONEKERNEL_SERVER_CLASSIC_HANDLER_H_
#define ONEKERNEL_SERVER_CLASSIC_HANDLER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onekernel/status.h"
#include "server/reply.h"
#include "server/settings.h"
#include "transport/frame_reader.h"
#include "wire/classic.h"

namespace onekernel::server {

class ClassicHandler {
 public:
  explicit ClassicHandler(const EngineSettings& settings, const std::atomic<bool>* gone = nullptr)
      : settings_(settings), gone_(gone) {}

  // What a frame reader must know to receive requests: limits, and where a body has to lie.
  transport::FrameRules rules() const;

  // Answers the request in `body`, which was received under rules(). Whatever is wrong with it becomes an error reply.
  Reply handle(std::span<const std::byte> body);

  // The error reply that says `status`. REQUIRES: !status.ok().
  Reply refuse(const Status& status);

 private:
  Reply sweep(const wire::ClassicRequest& request);
  Reply reply(std::span<const std::byte> first, std::span<const std::byte> second, Timing timing);

  EngineSettings settings_;
  const std::atomic<bool>* gone_;
  std::array<std::byte, wire::kLengthPrefixSize> length_{};
  std::vector<double> pnl_;
  std::vector<std::int64_t> trades_;
  std::vector<std::byte> error_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_CLASSIC_HANDLER_H_
