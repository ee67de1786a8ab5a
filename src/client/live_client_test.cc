// What a live session's client makes of answers that make no sense: an error, and a connection that is of no use any more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/fake_engine.h"
#include "onekernel/client.h"
#include "wire/live.h"

namespace onekernel::client {
namespace {

const std::vector<Combo> kCombos{{1, 2, 1, 1, 1, 2}};

struct Answer {
  std::string what;
  std::int64_t next_bar;
  std::uint64_t n_changes;
  std::size_t change_bytes;
};

// Opens a session of an engine that answers live open as it should, and everything else with `payload`.
template <class Use>
void with_engine(const Buffer& payload, Use use) {
  const FakeEngine engine([&](FakePeer& peer) {
    peer.answer_hello();
    while (!peer.receive().empty()) {
      const wire::LiveInfo info{.live_id = 3, .next_bar = 0, .n_combos = kCombos.size()};
      const bool opens = peer.header().opcode == static_cast<std::uint8_t>(wire::SessionOpcode::kLiveOpen);
      peer.send(reply_frame(peer.header(), opens ? std::as_bytes(std::span(&info, 1)) : std::span<const std::byte>(payload)));
    }
  });
  Result<Client> client = Client::connect(engine.url());
  ASSERT_TRUE(client.ok()) << client.status().message();
  use(client.value());
}

TEST(RemoteLive, SenselessAnswersToBarsBreakTheConnection) {
  const std::vector<Answer> answers{{"not taken", 0, 0, 0},      {"too many taken", 2, 0, 0}, {"no change came", 1, 1, 0},
                                    {"untold change", 1, 0, 64}, {"cut change", 1, 1, 56},    {"huge count", 1, UINT64_MAX, 64},
                                    {"went backwards", -1, 0, 0}};
  for (const Answer& answer : answers) {
    const wire::LiveBarsReply reply{.next_bar = answer.next_bar, .n_changes = answer.n_changes};
    with_engine(joined(std::as_bytes(std::span(&reply, 1)), Buffer(answer.change_bytes)), [&](Client& client) {
      RemoteLive live = client.live(kCombos).value();
      EXPECT_EQ(live.bar(0, 1.0).status().code(), StatusCode::kMalformedFrame) << answer.what;
      EXPECT_EQ(live.next_bar(), 0) << answer.what;
      EXPECT_EQ(live.bar(0, 1.0).status().code(), StatusCode::kConnectionClosed) << answer.what;
    });
  }
}

TEST(RemoteLive, AnswersOfTheWrongSizeAreErrors) {
  for (const std::size_t size : {0, 8, 24, 40, 72, 88}) {
    with_engine(Buffer(size), [&](Client& client) {
      RemoteLive live = client.live(kCombos).value();
      EXPECT_EQ(live.states().status().code(), StatusCode::kMalformedFrame) << size;
      EXPECT_EQ(client.trades(std::vector<double>{1.0}, kCombos).status().code(), StatusCode::kMalformedFrame) << size;
    });
  }
}

TEST(RemoteLive, AnOpeningThatIsTooShortIsAnError) {
  with_engine(Buffer(32),
              [](Client& client) { EXPECT_EQ(client.restore(Buffer(8)).status().code(), StatusCode::kMalformedFrame); });
}

}  // namespace
}  // namespace onekernel::client
