#include "server/server.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/system_error.h"
#include "server/access.h"
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
// How long a client may go on taking its last reply once the engine stops.
constexpr std::chrono::milliseconds kLastReply{2000};

constexpr int kStopTick = 100;  // milliseconds

const std::string kNoToken;

}  // namespace

struct Server::Connection {
  Connection(std::uint64_t number, base::FileDescriptor socket, const ServerSettings& settings, EngineState& engine)
      : id(number),
        channel(std::move(socket), settings.patience, settings.engine.spin.socket),
        is_local(channel.passes_descriptors()),
        conversation(engine, channel, settings.patience, is_local ? kNoToken : settings.token) {}

  std::uint64_t id;
  transport::SocketChannel channel;
  bool is_local;  // a Unix socket
  Conversation conversation;
  std::atomic<bool> finished{false};
  std::thread thread;
};

Server::Server(const ServerSettings& settings, TimingsLog timings, Log log)
    : settings_(settings),
      engine_(settings.engine, std::move(timings)),
      log_(std::move(log)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      deaths_(::epoll_create1(EPOLL_CLOEXEC)) {}

Server::~Server() {
  stop();
  finish_all();
}

Result<std::unique_ptr<Server>> Server::listen(const ServerSettings& settings, TimingsLog timings, Log log) {
  if (settings.endpoints.empty()) {
    return Status(StatusCode::kInvalidArgument, "nowhere to listen: give --unix PATH, --tcp HOST:PORT, or both");
  }
  std::unique_ptr<Server> server(new Server(settings, std::move(timings), std::move(log)));
  if (!server->wake_.valid() || !server->deaths_.valid()) return base::system_error("cannot create an eventfd", errno);
  using Reach = transport::Listener::Reach;
  const Reach reach = settings.token.empty() ? Reach::kThisMachine : Reach::kAnywhere;
  for (const transport::Endpoint& endpoint : settings.endpoints) {
    Result<transport::Listener> listener = transport::Listener::open(endpoint, reach);
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
  std::vector<pollfd> waiting{{wake_.get(), POLLIN, 0}, {deaths_.get(), POLLIN, 0}};
  const std::size_t first = waiting.size();
  for (const transport::Listener& listener : listeners_) waiting.push_back({listener.fd(), POLLIN, 0});

  Status status;
  while (!stopping_.load()) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      status = base::system_error("cannot wait for clients", errno);
      break;
    }
    if (waiting[1].revents != 0) note_deaths();
    drain_wake_ups();
    reap_finished();
    for (std::size_t i = 0; i < listeners_.size() && !stopping_.load(); ++i) {
      if (waiting[first + i].revents != 0) take_client(listeners_[i]);
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
      const Status refusal = welcome ? check(connection) : over_connection_limit();
      refusal.ok() ? serve(connection) : turn_away(connection, refusal);
      connection.finished.store(true);
      wake();
    });
  } catch (const std::system_error& error) {
    log_(LogLevel::kWarning, std::string("no thread for a new client: ") + error.what());
    connections_.pop_back();
    return;
  }
  watch(connection);
}

// Asks to be told when the client has gone, so that nothing is computed for nobody: its thread does not look at the socket
// meanwhile. On a Unix socket that is when it has closed; over TCP its death cannot be told from its having said all.
void Server::watch(Connection& connection) {
  epoll_event event{};
  event.events = EPOLLONESHOT | (connection.is_local ? 0u : std::uint32_t{EPOLLRDHUP});
  event.data.u64 = connection.id;
  ::epoll_ctl(deaths_.get(), EPOLL_CTL_ADD, connection.channel.descriptor_to_watch(), &event);
}

void Server::note_deaths() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(deaths_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(std::max(count, 0)))) {
    for (Connection& connection : connections_) {
      if (connection.id == event.data.u64) connection.conversation.abandon();
    }
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

Status Server::check(const Connection& connection) {
  return connection.is_local ? check_peer(connection.channel.descriptor_to_watch()) : Status();
}

Status Server::over_connection_limit() const {
  const std::string limit = std::to_string(settings_.engine.limits.max_connections);
  return {StatusCode::kLimitExceeded, "this engine serves at most " + limit + " connections at one time (--max-connections)"};
}

void Server::turn_away(Connection& connection, const Status& why) {
  log_(LogLevel::kWarning, "client " + std::to_string(connection.id) + ": turned away: " + why.message());
  ClassicHandler handler(settings_.engine);
  const Reply reply = handler.refuse(why);
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
  const std::int64_t start = base::monotonic_ns();
  for (reap_finished(); !connections_.empty(); reap_finished()) {
    std::array<pollfd, 2> waiting{{{wake_.get(), POLLIN, 0}, {deaths_.get(), POLLIN, 0}}};
    static_cast<void>(::poll(waiting.data(), waiting.size(), kStopTick));
    note_deaths();
    drain_wake_ups();
    hang_up_on_stalled(start);
  }
}

// Whoever does not take its last reply does not keep the engine from stopping.
void Server::hang_up_on_stalled(std::int64_t stop_began) {
  const std::int64_t late = base::monotonic_ns() - std::chrono::nanoseconds(kLastReply).count();
  for (Connection& connection : connections_) {
    const std::int64_t since = connection.conversation.replying_since();
    if (since != 0 && std::max(since, stop_began) < late) connection.channel.hang_up();
  }
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
