// The engine service: accepts clients on its endpoints and answers each on a thread of its own.
#ifndef ONEKERNEL_SERVER_SERVER_H_
#define ONEKERNEL_SERVER_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "onekernel/status.h"
#include "server/engine_state.h"
#include "server/settings.h"
#include "transport/listener.h"

namespace onekernel::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning };
// Called from several threads at once. The library itself writes to no terminal and no file.
using Log = std::function<void(LogLevel, const std::string&)>;

class Server {
 public:
  // Listens on every endpoint; clients that connect from now on are answered once run() is entered.
  // Errors: kInvalidArgument (no endpoint, or one that cannot be), kUnavailable (somebody listens there), kIo.
  static Result<std::unique_ptr<Server>> listen(const ServerSettings& settings, TimingsLog timings, Log log);
  ~Server();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The endpoints' URLs, with the ports that the system chose.
  std::vector<std::string> urls() const;

  // Serves until stop(); then takes no more clients or requests, finishes the requests that run, sends their replies, and
  // returns when every connection is closed. Errors: kIo when the listening sockets fail.
  Status run();

  // Makes run() return. From any thread, any number of times.
  void stop();

 private:
  struct Connection;

  Server(const ServerSettings& settings, TimingsLog timings, Log log);

  void take_client(const transport::Listener& listener);
  void serve(Connection& connection);
  static Status check(const Connection& connection);
  Status over_connection_limit() const;
  void turn_away(Connection& connection, const Status& why);
  void watch(Connection& connection);
  void note_deaths();
  void hang_up_on_stalled(std::int64_t stop_began);
  void reap_finished();
  void finish_all();
  void wake();
  void drain_wake_ups();

  ServerSettings settings_;
  EngineState engine_;
  Log log_;
  std::vector<transport::Listener> listeners_;
  base::FileDescriptor wake_;    // an eventfd: stop() and finished connections signal the accepting thread
  base::FileDescriptor deaths_;  // an epoll instance: which clients have hung up
  std::atomic<bool> stopping_{false};
  std::list<Connection> connections_;  // touched by the thread in run() only
  std::uint64_t next_id_ = 1;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_SERVER_H_
