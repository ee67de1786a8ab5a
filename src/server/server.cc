#include "server/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/system_error.h"
#include "server/classic_handler.h"
#include "server/conversation.h"
#include "transport/byte_channel.h"

namespace onekernel::server {
namespace {

// How long a connection that broke is kept readable, so that its peer can still take the error reply.
constexpr std::chrono::milliseconds kLinger{2000};
// Clients over the limit that are told so at one time; more than these are simply hung up on.
constexpr std::size_t kTurnedAwayAtOnce = 16;
// Pause after the system refused to accept (no descriptors left): the client waits in the queue, we do not spin.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

struct Server::Connection {
  Connection(std::uint64_t number, base::FileDescriptor socket, const ServerSettings& settings, EngineState& engine)
      : id(number),
        channel(std::move(socket), settings.patience, settings.engine.spin.socket),
        conversation(engine, channel, settings.patience) {}

  std::uint64_t id;
  transport::SocketChannel channel;
  Conversation conversation;
  std::atomic<bool> finished{false};
  std::thread thread;
};

Server::Server(const ServerSettings& settings, TimingsLog timings, Log log)
    : settings_(settings),
      engine_(settings.engine, std::move(timings)),
      log_(std::move(log)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Server::~Server() {
  stop();
  finish_all();
}

Result<std::unique_ptr<Server>> Server::listen(const ServerSettings& settings, TimingsLog timings, Log log) {
  if (settings.endpoints.empty()) {
    return Status(StatusCode::kInvalidArgument, "nowhere to listen: give --unix PATH, --tcp HOST:PORT, or both");
  }
  std::unique_ptr<Server> server(new Server(settings, std::move(timings), std::move(log)));
  if (!server->wake_.valid()) return base::system_error("cannot create an eventfd", errno);
  for (const transport::Endpoint& endpoint : settings.endpoints) {
    Result<transport::Listener> listener = transport::Listener::open(endpoint);
    if (!listener.ok()) return listener.status();
    server->listeners_.push_back(std::move(listener).value());
  }
  return server;
}

std::vector<std::string> Server::urls() const {
  std::vector<std::string> urls;
  for (const transport::Listener& listener : listeners_) urls.push_back(transport::endpoint_url(listener.endpoint()));
  return urls;
}

Status Server::run() {
  std::vector<pollfd> waiting{{wake_.get(), POLLIN, 0}};
  for (const transport::Listener& listener : listeners_) waiting.push_back({listener.fd(), POLLIN, 0});

  Status status;
  while (!stopping_.load()) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      status = base::system_error("cannot wait for clients", errno);
      break;
    }
    drain_wake_ups();
    reap_finished();
    for (std::size_t i = 0; i < listeners_.size() && !stopping_.load(); ++i) {
      if (waiting[i + 1].revents != 0) take_client(listeners_[i]);
    }
  }
  stop();
  listeners_.clear();
  finish_all();
  return status;
}

void Server::stop() {
  stopping_.store(true);
  wake();
}

void Server::take_client(const transport::Listener& listener) {
  Result<base::FileDescriptor> client = listener.accept();
  if (!client.ok()) {
    log_(LogLevel::kWarning, client.status().message());
    std::this_thread::sleep_for(kAcceptPause);
    return;
  }
  if (!client.value().valid()) return;
  const std::size_t open = connections_.size();
  const std::size_t limit = settings_.engine.limits.max_connections;
  if (open >= limit + kTurnedAwayAtOnce) return;  // closes it
  Connection& connection = connections_.emplace_back(next_id_++, std::move(client).value(), settings_, engine_);
  try {
    connection.thread = std::thread([this, &connection, welcome = open < limit] {
      welcome ? serve(connection) : turn_away(connection);
      connection.finished.store(true);
      wake();
    });
  } catch (const std::system_error& error) {
    log_(LogLevel::kWarning, std::string("no thread for a new client: ") + error.what());
    connections_.pop_back();
  }
}

void Server::serve(Connection& connection) {
  const std::string name = "client " + std::to_string(connection.id);
  log_(LogLevel::kDebug, name + ": connected");
  const Status status = connection.conversation.run();
  if (status.ok()) {
    log_(LogLevel::kDebug, name + ": closed");
    return;
  }
  log_(LogLevel::kInfo, name + ": closed: " + status.message());
  if (!stopping_.load()) connection.channel.linger(kLinger);
}

void Server::turn_away(Connection& connection) {
  const std::string limit = std::to_string(settings_.engine.limits.max_connections);
  log_(LogLevel::kWarning, "client " + std::to_string(connection.id) + ": turned away, " + limit + " are connected already");
  ClassicHandler handler(settings_.engine);
  const Reply reply = handler.refuse(
      {StatusCode::kLimitExceeded, "this engine serves at most " + limit + " connections at one time (--max-connections)"});
  static_cast<void>(connection.channel.write_all(reply.parts));
  connection.channel.linger(kLinger);
}

void Server::reap_finished() {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    if (connection->finished.load()) {
      connection->thread.join();
      connection = connections_.erase(connection);
    } else {
      ++connection;
    }
  }
}

void Server::finish_all() {
  for (Connection& connection : connections_) connection.conversation.end();
  for (Connection& connection : connections_) connection.thread.join();
  connections_.clear();
}

void Server::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void Server::drain_wake_ups() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof(count));
}

}  // namespace onekernel::server
