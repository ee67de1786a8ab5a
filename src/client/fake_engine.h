// For tests: something that listens on a Unix socket like an engine, and answers what the test wants.
#ifndef ONEKERNEL_CLIENT_FAKE_ENGINE_H_
#define ONEKERNEL_CLIENT_FAKE_ENGINE_H_

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "onekernel/client.h"
#include "transport/byte_channel.h"
#include "transport/listener.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace onekernel::client {

inline constexpr std::uint64_t kFakeEpoch = 0xF0E0D0C0B0A09080;

using Buffer = std::vector<std::byte>;

inline Buffer joined(std::span<const std::byte> first, std::span<const std::byte> second) {
  Buffer both(first.size() + second.size());
  std::copy(first.begin(), first.end(), both.begin());
  std::copy(second.begin(), second.end(), both.begin() + static_cast<std::ptrdiff_t>(first.size()));
  return both;
}

inline Buffer with_length(std::span<const std::byte> body) {
  return joined(wire::encode_length(static_cast<std::uint32_t>(body.size())), body);
}

inline Buffer reply_frame(const wire::ReplyHeader& header, std::span<const std::byte> payload = {}) {
  return with_length(joined(std::as_bytes(std::span(&header, 1)), payload));
}

// One client's requests, one after the other.
class FakePeer {
 public:
  explicit FakePeer(base::FileDescriptor socket) : channel_(std::move(socket), std::chrono::seconds(30)) {}

  // The next request's body; empty when the client has hung up.
  Buffer receive() {
    Buffer prefix(4);
    if (!read(prefix)) return {};
    Buffer body(wire::decode_length(std::span<const std::byte, 4>(prefix)));
    if (!read(body)) return {};
    std::memcpy(&header_, body.data(), std::min(sizeof(header_), body.size()));
    return body;
  }
  // False where the client has hung up.
  bool send(std::span<const std::byte> bytes) { return channel_.write_all({&bytes, 1}).ok(); }
  // The header of a proper reply to the request received last.
  wire::ReplyHeader header() const { return {.opcode = header_.opcode, .request_id = header_.request_id, .epoch = kFakeEpoch}; }
  base::FileDescriptor take_descriptor() { return channel_.take_descriptor(); }

  // Returns hello's body.
  Buffer answer_hello(std::uint64_t max_frame_bytes = 1 << 20, std::string_view kernels = "unchecked") {
    Buffer request = receive();
    wire::HelloReply hello{.capabilities = wire::kCanPassDescriptors,
                           .max_frame_bytes = max_frame_bytes,
                           .kernel_names_bytes = static_cast<std::uint32_t>(kernels.size())};
    std::strcpy(hello.version, "9.9.9");
    wire::PayloadWriter payload;
    payload.put(hello).put_text(kernels);
    send(reply_frame(header(), payload.bytes()));
    return request;
  }

 private:
  bool read(std::span<std::byte> into) {
    while (!into.empty()) {
      const Result<std::size_t> got = channel_.read_some(into);
      if (!got.ok() || got.value() == 0) return false;
      into = into.subspan(got.value());
    }
    return true;
  }

  transport::SocketChannel channel_;
  wire::RequestHeader header_;
};

// Serves one client on a thread of its own.
class FakeEngine {
 public:
  explicit FakeEngine(std::function<void(FakePeer&)> talk) : folder_(make_folder()), path_(folder_ + "/fake") {
    Result<transport::Listener> listener = transport::Listener::open(transport::UnixEndpoint{path_});
    if (!listener.ok()) throw std::runtime_error(listener.status().message());
    thread_ = std::thread([listening = std::move(listener).value(), talk = std::move(talk)] {
      pollfd waiting{listening.fd(), POLLIN, 0};
      ::poll(&waiting, 1, 30'000);
      Result<base::FileDescriptor> socket = listening.accept();
      if (!socket.ok() || !socket.value().valid()) return;
      FakePeer peer(std::move(socket).value());
      talk(peer);
    });
  }
  ~FakeEngine() {
    thread_.join();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  std::string url() const { return "unix:" + path_; }

 private:
  static std::string make_folder() {
    std::string folder = (std::filesystem::temp_directory_path() / "onekernel-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp");
    return folder;
  }

  std::string folder_;
  std::string path_;
  std::thread thread_;
};

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_FAKE_ENGINE_H_
