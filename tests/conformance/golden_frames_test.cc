// The C++ client sends what tests/golden_frames/session.json says, to the byte; the Python client is held to the same file.
// A request's id is its client's own, so the client's is replaced by the file's before frames are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "client/fake_engine.h"
#include "onekernel/client.h"
#include "wire/classic.h"
#include "wire/live.h"

namespace onekernel::client {
namespace {

using Frames = std::map<std::string, std::string>;  // name -> hexadecimal digits

constexpr std::uint64_t kRequestId = 0x0102030405060708;
constexpr std::uint64_t kSeriesId = 0x1122334455667788;
constexpr std::uint64_t kLiveId = 0x0807060504030201;
const std::vector<double> kClose{1.5, 2.25, 3.125};
const std::vector<Combo> kCombos{{3, 6, 2, 1, 2, 3}, {50, 100, 10, 17, 25, 50}};

Frames golden_frames() {
  std::ifstream file(ONEKERNEL_GOLDEN_FRAMES);
  std::stringstream content;
  content << file.rdbuf();
  const std::string json = content.str();
  // "name": {"description": "...", "hex": "digits"}, and nothing else in the file is called "hex".
  const std::string before_name = "\"";
  const std::string behind_name = "\": {";
  const std::string before_digits = "\"hex\": \"";
  Frames frames;
  for (std::size_t at = json.find(before_digits); at != std::string::npos; at = json.find(before_digits, at + 1)) {
    const std::size_t name_end = json.rfind(behind_name, at);
    const std::size_t name = json.rfind(before_name, name_end - 1) + 1;
    const std::size_t digits = at + before_digits.size();
    frames[json.substr(name, name_end - name)] = json.substr(digits, json.find('"', digits) - digits);
  }
  return frames;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string digits;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    digits += kDigits[static_cast<unsigned>(byte) >> 4];
    digits += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return digits;
}

// The first `count` requests that `use` makes a client send, hello among them; each but hello and
// live restore is answered with an error.
std::vector<std::string> requests(std::size_t count, const ClientOptions& options, const std::string& scheme,
                                  const std::function<void(Client&)>& use) {
  std::vector<std::string> sent;
  const auto keep = [&](Buffer body) {
    std::memcpy(body.data() + offsetof(wire::RequestHeader, request_id), &kRequestId, sizeof(kRequestId));
    sent.push_back(hex(with_length(body)));
  };
  {
    const FakeEngine engine([&](FakePeer& peer) {
      keep(peer.answer_hello(1 << 20, "checked,unchecked"));
      while (sent.size() < count) {
        const Buffer body = peer.receive();
        if (body.empty()) return;
        keep(body);
        wire::ReplyHeader header = peer.header();
        if (header.opcode == static_cast<std::uint8_t>(wire::SessionOpcode::kLiveRestore)) {
          const wire::LiveInfo info{.live_id = kLiveId, .next_bar = 7, .n_combos = kCombos.size()};
          peer.send(reply_frame(header, std::as_bytes(std::span(&info, 1))));
          continue;
        }
        header.status = static_cast<std::uint16_t>(StatusCode::kNotFound);
        peer.send(reply_frame(header));
      }
    });
    Result<Client> client = Client::connect(scheme + engine.url().substr(5), options);
    if (client.ok()) use(client.value());
  }
  return sent;
}

Frames frames_of_the_client() {
  const RemoteSeries stored{.id = kSeriesId, .epoch = kFakeEpoch, .name = {}};
  const auto floats = std::as_bytes(std::span(kClose));
  std::vector<std::byte> back(floats.size());
  const std::vector<std::string> sent = requests(8, {}, "unix:", [&](Client& client) {
    static_cast<void>(client.put("btc-1m", kClose, {.shared = true}));
    static_cast<void>(client.list());
    static_cast<void>(client.drop(stored));
    static_cast<void>(client.sweep(stored, kCombos, {.fee = 0.09, .kernel = "unchecked", .threads = 2}));
    static_cast<void>(client.sweep(kClose, kCombos, {.fee = 0.09}));
    static_cast<void>(client.echo(floats, back));
    static_cast<void>(client.statistics());
  });
  const std::vector<std::string> live = requests(9, {}, "unix:", [&](Client& client) {
    static_cast<void>(client.live(kCombos, {.fee = 0.09, .threads = 2}, stored));
    static_cast<void>(client.live(kCombos, {.fee = 0.09}, kClose));
    static_cast<void>(client.trades(kClose, kCombos, {.fee = 0.09}));
    RemoteLive session = client.restore(floats).value();
    static_cast<void>(session.bars(7, kClose));
    static_cast<void>(session.states());
    static_cast<void>(session.snapshot());
    static_cast<void>(session.close());
  });
  const std::vector<std::string> by_memfd = requests(2, {.memfd_from_bytes = 1}, "unix:", [&](Client& client) {
    static_cast<void>(client.put("btc-1m", kClose, {.shared = true, .replace = true}));
  });
  const std::vector<std::string> shm = requests(2, {.ring_bytes = 65536}, "shm:", [](Client&) {});
  const std::vector<std::string> token = requests(1, {.token = "correct-horse-battery-staple"}, "unix:", [](Client&) {});
  return {{"hello_with_token", token.at(0)},
          {"hello", sent.at(0)},
          {"put", sent.at(1)},
          {"put_by_memfd", by_memfd.at(1)},
          {"list", sent.at(2)},
          {"drop", sent.at(3)},
          {"echo", sent.at(6)},
          {"sweep_stored", sent.at(4)},
          {"sweep_shipped", sent.at(5)},
          {"statistics", sent.at(7)},
          {"attach", shm.at(1)},
          {"live_open_stored", live.at(1)},
          {"live_open_shipped", live.at(2)},
          {"trades", live.at(3)},
          {"live_restore", live.at(4)},
          {"live_bars", live.at(5)},
          {"live_states", live.at(6)},
          {"live_snapshot", live.at(7)},
          {"live_close", live.at(8)}};
}

std::string classic(wire::ClassicOpcode opcode, std::span<const Combo> combos) {
  const auto head =
      wire::encode_classic_head({opcode, static_cast<std::uint32_t>(kClose.size()), static_cast<std::uint32_t>(combos.size())});
  return hex(head) + hex(std::as_bytes(std::span(kClose))) + hex(std::as_bytes(combos));
}

TEST(GoldenFrames, TheClientSendsThem) {
  Frames frames = frames_of_the_client();
  frames["classic_sweep"] = classic(wire::ClassicOpcode::kSweep, kCombos);
  frames["classic_echo"] = classic(wire::ClassicOpcode::kEcho, {});
  const Frames golden = golden_frames();
  ASSERT_FALSE(golden.empty()) << ONEKERNEL_GOLDEN_FRAMES;
  for (const auto& [name, digits] : golden) {
    ASSERT_TRUE(frames.contains(name)) << "no test makes the frame " << name;
    EXPECT_EQ(frames[name], digits) << name;
  }
  EXPECT_EQ(frames.size(), golden.size());
}

}  // namespace
}  // namespace onekernel::client
