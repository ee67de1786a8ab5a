// What the client does when the other side is no proper engine. Against proper ones: tests/conformance.
#include "onekernel/client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "client/fake_engine.h"

namespace onekernel::client {
namespace {

using std::chrono::milliseconds;

constexpr ClientOptions kPatient{.timeout = std::chrono::seconds(60)};

Client connected(const FakeEngine& engine, const ClientOptions& options = kPatient) {
  Result<Client> client = Client::connect(engine.url(), options);
  if (!client.ok()) throw std::runtime_error(client.status().message());
  return std::move(client).value();
}

// A refused call after the exchange broke: says so, and says why.
void expect_unusable(Client& client, const std::string& why) {
  const Status status = client.statistics().status();
  EXPECT_EQ(status.code(), StatusCode::kConnectionClosed);
  EXPECT_NE(status.message().find("connect again"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find(why), std::string::npos) << status.message();
}

std::string text(const Status& status) { return status.message(); }

TEST(Client, NobodyListens) {
  const Result<Client> client = Client::connect("unix:/nonexistent/engine.sock");
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(text(client.status()).find("unix:/nonexistent/engine.sock"), std::string::npos);
  EXPECT_EQ(Client::connect("tcp://127.0.0.1:1").status().code(), StatusCode::kUnavailable);
}

TEST(Client, ArgumentsThatCannotBe) {
  const Status path = Client::connect("unix:/" + std::string(107, 'x')).status();
  EXPECT_EQ(path.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(text(path).find("107"), std::string::npos);
  EXPECT_EQ(Client::connect("unix:").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Client::connect("unix:/x", {.timeout = milliseconds(0)}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Client, HelloTellsWhatTheEngineIs) {
  const FakeEngine engine([](FakePeer& peer) { peer.answer_hello(); });
  const Client client = connected(engine);
  EXPECT_EQ(client.engine().version, "9.9.9");
  EXPECT_EQ(client.engine().epoch, kFakeEpoch);
  EXPECT_EQ(client.engine().kernels, std::vector<std::string>{"unchecked"});
  EXPECT_EQ(client.engine().default_kernel, "unchecked");
  EXPECT_EQ(client.engine().max_frame_bytes, 1u << 20);
}

TEST(Client, TurnedAwayAtTheDoor) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.send(with_length(wire::encode_error_body({StatusCode::kLimitExceeded, "full (--max-connections)"})));
    peer.receive();
  });
  const Status status = Client::connect(engine.url(), kPatient).status();
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(text(status).find("--max-connections"), std::string::npos);
}

TEST(Client, SomethingElseAnswers) {
  const std::vector<Buffer> answers{
      with_length(Buffer(8)),                                                            // a classic reply
      with_length(Buffer(16, std::byte{0x10})),                                          // too short for a header
      with_length(Buffer(64, std::byte{0x10})),                                          // a version nobody speaks
      reply_frame({.opcode = 0x15, .request_id = 1}),                                    // to another operation
      reply_frame({.opcode = 0x10, .request_id = 7}),                                    // to another request
      reply_frame({.opcode = 0x10, .request_id = 1}),                                    // hello without content
      reply_frame({.opcode = 0x10, .request_id = 1}, Buffer(sizeof(wire::HelloReply))),  // no kernels
  };
  for (const Buffer& answer : answers) {
    const FakeEngine engine([&](FakePeer& peer) {
      peer.receive();
      peer.send(answer);
    });
    EXPECT_EQ(Client::connect(engine.url(), kPatient).status().code(), StatusCode::kMalformedFrame);
  }
}

TEST(Client, AReplyBeyondAllSenseIsRefusedBeforeMemoryIsSetAside) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    Buffer frame = reply_frame(peer.header());
    const auto length = wire::encode_length(0xFFFFFFF0);
    std::copy(length.begin(), length.end(), frame.begin());
    peer.send(frame);
  });
  Client client = connected(engine);
  EXPECT_EQ(client.list().status().code(), StatusCode::kMalformedFrame);
  expect_unusable(client, "bytes");
}

TEST(Client, ResultsOfTheWrongSizeBreakTheExchange) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    peer.send(reply_frame(peer.header(), Buffer(sizeof(wire::SweepReply) + 16)));
  });
  Client client = connected(engine);
  const std::vector<Combo> combos(2, Combo{1, 2, 1, 1, 1, 1});
  const std::array<double, 3> close{1, 2, 3};
  EXPECT_EQ(client.sweep(close, combos).status().code(), StatusCode::kMalformedFrame);
  expect_unusable(client, "wrong size");
}

TEST(Client, AnErrorReplyLeavesTheClientUsable) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    for (const std::uint16_t status : {std::uint16_t{11}, std::uint16_t{999}}) {
      peer.receive();
      wire::ReplyHeader header = peer.header();
      header.status = status;
      wire::PayloadWriter message;
      message.put_text("not here");
      peer.send(reply_frame(header, message.bytes()));
    }
    peer.receive();
    peer.send(reply_frame(peer.header()));
  });
  Client client = connected(engine);
  const Status status = client.drop({.id = 5, .name = {}});
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "not here");
  EXPECT_EQ(client.drop({.id = 5, .name = {}}).code(), StatusCode::kInternal);  // a code of a later engine
  EXPECT_TRUE(client.drop({.id = 5, .name = {}}).ok());
}

TEST(Client, SilenceEndsAtTheDeadline) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    while (!peer.receive().empty()) continue;  // until the client goes
  });
  Client client = connected(engine, {.timeout = milliseconds(50)});
  std::array<std::byte, 8> back{};
  EXPECT_EQ(client.echo(std::array<std::byte, 8>{}, back).code(), StatusCode::kDeadlineExceeded);
  expect_unusable(client, "");
}

TEST(Client, AReplyThatTricklesEndsAtTheDeadline) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    const Buffer frame = reply_frame(peer.header(), Buffer(10'000));
    for (const std::byte& byte : frame) {
      if (!peer.send({&byte, 1})) return;
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  std::vector<std::byte> data(10'000);
  {
    Client client = connected(engine, {.timeout = milliseconds(100)});
    const Status status = client.echo(data, data);
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_NE(text(status).find("trickles"), std::string::npos);
  }
}

TEST(Client, TheEngineHangsUp) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    peer.send(std::span<const std::byte>(reply_frame(peer.header())).first(20));
  });
  Client client = connected(engine);
  EXPECT_EQ(client.drop({.id = 1, .name = {}}).code(), StatusCode::kConnectionClosed);
  expect_unusable(client, "hung up");
}

TEST(Client, AFrameOverTheLimitIsNotSent) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello(/*max_frame_bytes=*/1000);
    const Buffer request = peer.receive();
    peer.send(reply_frame(peer.header(), std::span<const std::byte>(request).subspan(wire::kSessionHeaderSize)));
  });
  Client client = connected(engine);
  std::vector<std::byte> data(969);
  const Status status = client.echo(data, data);
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(text(status).find("--max-frame-bytes"), std::string::npos);
  data.resize(968);
  EXPECT_TRUE(client.echo(data, data).ok());
}

TEST(Client, WhatTheCallerGotWrongIsNotSent) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    EXPECT_TRUE(peer.receive().empty());
  });
  Client client = connected(engine);
  std::array<std::byte, 8> data{};
  EXPECT_EQ(client.echo(data, std::span(data).first(7)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client.sweep(RemoteSeries{}, {}).status().code(), StatusCode::kInvalidArgument);
  const Status status = client.sweep(std::span<const double>(), {}, {.kernel = "warp"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(text(status).find("unchecked"), std::string::npos) << text(status);
}

TEST(Client, ALongSeriesGoesAsASealedMemfd) {
  std::vector<double> close(10'000);
  for (std::size_t i = 0; i < close.size(); ++i) close[i] = 1.0 + static_cast<double>(i);
  const FakeEngine engine([&](FakePeer& peer) {
    peer.answer_hello();
    const Buffer request = peer.receive();
    EXPECT_EQ(request.size(), wire::kSessionHeaderSize + sizeof(wire::PutRequest) + 8);
    const base::FileDescriptor memory = peer.take_descriptor();
    const int seals = ::fcntl(memory.get(), F_GET_SEALS);
    EXPECT_EQ(seals & (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_SEAL), F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_SEAL);
    std::vector<double> arrived(close.size());
    EXPECT_EQ(::pread(memory.get(), arrived.data(), arrived.size() * sizeof(double), 0),
              static_cast<ssize_t>(arrived.size() * sizeof(double)));
    EXPECT_EQ(arrived, close);
    wire::PayloadWriter info;
    info.put(wire::SeriesInfo{.id = 3, .n_bars = close.size(), .content_hash = 4, .name_bytes = 4}).put_text("long");
    peer.send(reply_frame(peer.header(), info.bytes()));
  });
  Client client = connected(engine, {.timeout = kPatient.timeout, .memfd_from_bytes = 80'000});
  const Result<RemoteSeries> series = client.put("long", close);
  ASSERT_TRUE(series.ok()) << text(series.status());
  EXPECT_EQ(series.value().id, 3u);
  EXPECT_EQ(series.value().epoch, kFakeEpoch);
  EXPECT_EQ(series.value().name, "long");
}

TEST(Client, RefusedInAForkAndFineInTheParent) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    peer.send(reply_frame(peer.header()));
  });
  Client client = connected(engine);
  const pid_t child = ::fork();
  if (child == 0) {
    const Status status = client.drop({.id = 1, .name = {}});
    const bool told = status.code() == StatusCode::kInvalidArgument && status.message().find("fork") != std::string::npos;
    ::_exit(told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(client.drop({.id = 1, .name = {}}).ok());
}

TEST(Client, MovesAndStaysUsable) {
  const FakeEngine engine([](FakePeer& peer) {
    peer.answer_hello();
    peer.receive();
    peer.send(reply_frame(peer.header()));
  });
  Client first = connected(engine);
  Client second = std::move(first);
  EXPECT_TRUE(second.drop({.id = 1, .name = {}}).ok());
}

}  // namespace
}  // namespace onekernel::client
