// A live session in an engine in another process: LiveSession's calls, the same bits. Client::live opens one.
//
// What is guaranteed once a bar is acknowledged is written down in docs/live.md. When the connection breaks (kConnectionClosed,
// kDeadlineExceeded), the session is gone: open another one with the closes so far as history, or restore the last snapshot
// and send the closes since. Both arrive at the same bits.
#ifndef ONEKERNEL_REMOTE_LIVE_H_
#define ONEKERNEL_REMOTE_LIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onekernel/export.h"
#include "onekernel/live.h"
#include "onekernel/status.h"

namespace onekernel {

namespace client {
struct Rep;
}

struct RemoteLiveOptions {
  double fee = 0.0;           // round-trip fee per closed trade, in percent: 0.09 means 0.09 %
  std::uint32_t threads = 0;  // for the history, at most so many; 0: the engine decides
};

// Uses its client's connection, and keeps it open when the client goes first: client and sessions are for one thread at a time.
// Movable. Going out of scope, it closes itself.
class ONEKERNEL_EXPORT RemoteLive {
 public:
  RemoteLive(RemoteLive&&) noexcept;
  RemoteLive& operator=(RemoteLive&&) noexcept;
  ~RemoteLive();

  // As LiveSession::bar, which judges no price either. Errors: kOutOfOrder (nothing has changed), kNotFound (it is closed), and
  // what a client's calls say.
  Result<std::span<const Change>> bar(std::int64_t index, double close);

  // Takes all of `closes`, the first of which must be next_bar(), in as many requests as the engine wants. The changes are by
  // bar, then by combo, valid until the next call. Errors: as bar; next_bar() says how many were taken before.
  Result<std::span<const Change>> bars(std::int64_t first, std::span<const double> closes);

  std::int64_t next_bar() const;            // index of the bar that is due, as far as the engine has acknowledged
  std::size_t n_combos() const;             // of the session
  double fee() const;                       // percent per closed trade
  std::uint64_t bytes() const;              // that it takes in the engine
  Result<std::vector<LiveState>> states();  // per combo
  Result<std::vector<std::byte>> snapshot();

  // Ends the session. Errors: as bar.
  Status close();

 private:
  friend class Client;
  struct ONEKERNEL_HIDDEN State;
  explicit RemoteLive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace onekernel

#endif  // ONEKERNEL_REMOTE_LIVE_H_
