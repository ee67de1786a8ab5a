#include "server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "wire/classic.h"

namespace onekernel::server {
namespace {

// A server on a loopback port in this process, and plain sockets to talk to it.
class RunningServer {
 public:
  explicit RunningServer(EngineSettings engine = {}, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    ServerSettings settings;
    settings.engine = engine;
    settings.patience = patience;
    settings.endpoints.emplace_back(transport::TcpEndpoint{"127.0.0.1", 0});
    Result<std::unique_ptr<Server>> listening = Server::listen(settings, {}, [](LogLevel, const std::string&) {});
    EXPECT_TRUE(listening.ok());
    server_ = std::move(listening).value();
    const std::string url = server_->urls().at(0);
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    thread_ = std::thread([this] { EXPECT_TRUE(server_->run().ok()); });
  }
  ~RunningServer() {
    server_->stop();
    thread_.join();
  }
  Server& server() { return *server_; }

  base::FileDescriptor connect() const {
    base::FileDescriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return client;
  }

 private:
  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

void send_all(const base::FileDescriptor& socket, std::span<const std::byte> bytes) {
  ASSERT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// The body of the next reply; empty where the server hung up.
std::vector<std::byte> receive(const base::FileDescriptor& socket) {
  std::array<std::byte, 4> prefix;
  if (::recv(socket.get(), prefix.data(), prefix.size(), MSG_WAITALL) != 4) return {};
  std::vector<std::byte> body(wire::decode_length(prefix));
  EXPECT_EQ(::recv(socket.get(), body.data(), body.size(), MSG_WAITALL), static_cast<ssize_t>(body.size()));
  return body;
}

std::vector<std::byte> echo_request(double value) {
  const auto head = wire::encode_classic_head({wire::ClassicOpcode::kEcho, 1, 0});
  std::vector<std::byte> request(head.begin(), head.end());
  request.resize(head.size() + 8);
  std::memcpy(request.data() + head.size(), &value, 8);
  return request;
}

void expect_echo(const base::FileDescriptor& socket, double value) {
  send_all(socket, echo_request(value));
  const std::vector<std::byte> body = receive(socket);
  ASSERT_EQ(body.size(), 8u);
  EXPECT_EQ(std::memcmp(body.data(), &value, 8), 0);
}

TEST(Server, SeveralClientsAtOnce) {
  const RunningServer running;
  const base::FileDescriptor first = running.connect();
  const base::FileDescriptor second = running.connect();
  send_all(first, std::span<const std::byte>(echo_request(1.0)).first(10));  // stalls inside its frame
  expect_echo(second, 2.0);
  send_all(first, std::span<const std::byte>(echo_request(1.0)).subspan(10));
  EXPECT_EQ(receive(first).size(), 8u);
}

TEST(Server, RequestsMayBePipelined) {
  const RunningServer running;
  const base::FileDescriptor client = running.connect();
  std::vector<std::byte> burst;
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::byte> request = echo_request(i);
    burst.insert(burst.end(), request.begin(), request.end());
  }
  send_all(client, burst);
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::byte> body = receive(client);
    const double expected = i;
    ASSERT_EQ(body.size(), 8u);
    EXPECT_EQ(std::memcmp(body.data(), &expected, 8), 0);
  }
}

TEST(Server, ALengthOverTheLimitIsToldThenTheConnectionCloses) {
  const RunningServer running({.limits = {.max_frame_bytes = 100}});
  const base::FileDescriptor client = running.connect();
  const auto prefix = wire::encode_length(101);
  send_all(client, prefix);
  EXPECT_EQ(wire::decode_error_body(receive(client)).code(), StatusCode::kLimitExceeded);
  EXPECT_TRUE(receive(client).empty());
  expect_echo(running.connect(), 3.0);
}

TEST(Server, AClientThatStallsInsideAFrameIsToldAndClosed) {
  const RunningServer running({}, std::chrono::milliseconds(50));
  const base::FileDescriptor client = running.connect();
  send_all(client, std::span<const std::byte>(echo_request(1.0)).first(7));
  EXPECT_EQ(wire::decode_error_body(receive(client)).code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(receive(client).empty());
}

TEST(Server, IdlingBetweenRequestsIsNoStall) {
  const RunningServer running({}, std::chrono::milliseconds(20));
  const base::FileDescriptor client = running.connect();
  expect_echo(client, 1.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  expect_echo(client, 2.0);
}

TEST(Server, ClientsOverTheLimitAreToldSo) {
  const RunningServer running({.limits = {.max_connections = 1}});
  base::FileDescriptor first = running.connect();
  expect_echo(first, 1.0);
  const base::FileDescriptor second = running.connect();
  const Status status = wire::decode_error_body(receive(second));
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(status.message().find("--max-connections"), std::string::npos);
  expect_echo(first, 2.0);
}

TEST(Server, StoppingFinishesWhatRuns) {
  RunningServer running;
  const base::FileDescriptor idle = running.connect();
  const base::FileDescriptor busy = running.connect();
  expect_echo(idle, 1.0);

  // A sweep that takes a while: 20,000 bars, window 2,000, repeated.
  const std::vector<double> close(20'000, 1.0);
  const std::vector<Combo> combos(4, Combo{1000, 2000, 45, 333, 500, 1000});
  const auto head = wire::encode_classic_head({wire::ClassicOpcode::kSweep, 20'000, 4});
  send_all(busy, head);
  send_all(busy, std::as_bytes(std::span(close)));
  send_all(busy, std::as_bytes(std::span(combos)));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  running.server().stop();
  EXPECT_EQ(receive(busy).size(), 4u * 16);
  EXPECT_TRUE(receive(busy).empty());
  EXPECT_TRUE(receive(idle).empty());
}

TEST(Server, NowhereToListenIsAnError) {
  const Result<std::unique_ptr<Server>> server = Server::listen({}, {}, [](LogLevel, const std::string&) {});
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace onekernel::server
