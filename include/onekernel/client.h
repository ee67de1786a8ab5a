// A client of an engine in another process.
//
//   onekernel::Result<onekernel::Client> client = onekernel::Client::connect("unix:/run/onekernel.sock");
//   if (!client.ok()) ...                                     // client.status().message() says what is wrong and where
//   auto series = client.value().put("btc-1m", close);        // crosses once
//   auto reply = client.value().sweep(series.value(), combos, {.fee = 0.09});  // only the parameters cross
//
// A failed call is a Status. Where the engine refused the request, the code is the engine's and the client goes on. Where the
// exchange itself broke (kConnectionClosed, kDeadlineExceeded, kMalformedFrame, kIo), request and reply may no longer match:
// every later call is refused with kConnectionClosed, and the reason is repeated. Connect again then.
#ifndef ONEKERNEL_CLIENT_H_
#define ONEKERNEL_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onekernel/export.h"
#include "onekernel/remote_live.h"
#include "onekernel/status.h"
#include "onekernel/sweep.h"
#include "onekernel/trades.h"
#include "onekernel/types.h"

namespace onekernel {

struct ClientOptions {
  // What an engine on another machine wants to hear; sent to whatever answers.
  // NOLINTNEXTLINE(readability-redundant-member-init): without it GCC warns of {.timeout = 5s}, as for `spin`
  std::string token{};
  // Bounds connecting and every single wait for the engine. A reply that trickles in is given up as well.
  std::chrono::milliseconds timeout{30'000};
  // How long a wait looks again and again before it sleeps; unset: not at all on sockets, 50 us in shared memory. Spinning
  // takes a whole core and saves the few microseconds of being woken.
  // NOLINTNEXTLINE(readability-redundant-member-init)
  std::optional<std::chrono::nanoseconds> spin{};
  // Of each direction of shared memory. Longer messages pass through in pieces.
  std::size_t ring_bytes = std::size_t{1} << 20;
  // put() copies a series of so many bytes or more into a memfd and passes that, where it can. Filling new pages costs more
  // than the socket does until the engine no longer keeps a buffer for frames of that size.
  std::size_t memfd_from_bytes = std::size_t{64} << 20;
};

// What the engine said of itself when the client connected.
struct EngineInfo {
  std::string version;
  std::uint64_t epoch = 0;  // differs with every start of an engine
  std::vector<std::string> kernels;
  std::string default_kernel;
  double default_fee = 0.0;  // of classic frames; percent
  std::uint64_t max_frame_bytes = 0;
  std::uint64_t max_combos = 0;
  std::uint64_t max_connections = 0;
  std::uint64_t max_series = 0;
  std::uint64_t max_series_bytes = 0;
  std::uint64_t max_live_sessions = 0;
};

struct EngineStatistics {
  std::chrono::nanoseconds uptime{0};
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::chrono::nanoseconds compute{0};
  std::uint64_t connections = 0;  // now
  std::uint64_t series = 0;       // now
  std::uint64_t series_bytes = 0;
  std::uint64_t live_sessions = 0;  // now, of all clients
  std::uint64_t live_bytes = 0;
};

// A series that the engine keeps. Good for as long as that engine runs: its successor answers kStaleEpoch.
struct RemoteSeries {
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;  // of the engine that keeps it
  std::uint64_t n_bars = 0;
  std::uint64_t content_hash = 0;  // XXH3, 64 bits, of the closes' bytes
  bool shared = false;
  std::string name;
};

struct PutOptions {
  bool shared = false;   // every client sees it, and it stays when this one goes
  bool replace = false;  // a shared series of this name gives way
};

struct RemoteSweepOptions {
  double fee = 0.0;  // round-trip fee per closed trade, in percent: 0.09 means 0.09 %
  // NOLINTNEXTLINE(readability-redundant-member-init): without it GCC warns of {.fee = 0.09}
  std::string_view kernel{};  // by name; empty: the engine's
  std::uint32_t threads = 0;  // at most so many; 0: the engine decides
};

struct SweepReply {
  std::vector<double> pnl;              // per combo: sum over its closed trades, in percentage points, net of fees
  std::vector<std::int64_t> trades;     // per combo: trades closed
  std::chrono::nanoseconds compute{0};  // the engine's own time, so that boundary = wall - compute
  std::string kernel;                   // that ran
  std::string target;                   // instruction set that ran
  std::uint32_t threads = 0;            // that had a part in it
  LevelCounts levels;                   // of `exact` and `certified`
};

// One thread at a time. Movable. Not to be used on the other side of a fork: calls are refused there, the parent goes on.
class ONEKERNEL_EXPORT Client {
 public:
  // `url`: unix:/path, tcp://host:port, or shm:/path (shared memory negotiated over the Unix socket at that path).
  // Errors: kInvalidArgument (a URL that cannot be), kUnavailable (nobody listens there), kLimitExceeded (too many clients),
  // kPermissionDenied (another user's engine, or the token is wrong),
  // kDeadlineExceeded, kConnectionClosed, kMalformedFrame (what answers is no engine), kIo.
  static Result<Client> connect(std::string_view url, const ClientOptions& options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // REQUIRES: not moved from.
  const EngineInfo& engine() const;

  // Keeps `close` in the engine under `name` (1 to 255 bytes).
  // Errors: kInvalidArgument, kLimitExceeded, kAlreadyExists (a shared name).
  Result<RemoteSeries> put(std::string_view name, std::span<const double> close, const PutOptions& options = {});
  // The same for closes that already lie in a memfd, sealed against writing and shrinking: nothing is copied anywhere. The
  // descriptor stays the caller's. Errors: as put; kInvalidArgument also where the transport passes no descriptors.
  Result<RemoteSeries> put_memfd(std::string_view name, int memfd, std::uint64_t n_bars, const PutOptions& options = {});
  // This client's series and all shared ones.
  Result<std::vector<RemoteSeries>> list();
  // Errors: kNotFound.
  Status drop(const RemoteSeries& series);

  // As onekernel::sweep, bit for bit. Errors: kInvalidArgument, kNotFound, kStaleEpoch, kLimitExceeded.
  Result<SweepReply> sweep(const RemoteSeries& series, std::span<const Combo> combos, const RemoteSweepOptions& options = {});
  Result<SweepReply> sweep(std::span<const double> close, std::span<const Combo> combos,
                           const RemoteSweepOptions& options = {});

  // A live session in the engine, as LiveSession::open: it stands after the bars of `history`.
  // Errors: kInvalidArgument, kNotFound, kStaleEpoch, kLimitExceeded (too many sessions, too much memory).
  Result<RemoteLive> live(std::span<const Combo> combos, const RemoteLiveOptions& options = {},
                          std::span<const double> history = {});
  Result<RemoteLive> live(std::span<const Combo> combos, const RemoteLiveOptions& options, const RemoteSeries& history);
  // From a snapshot of any session, in this process or an engine. Errors: as live.
  Result<RemoteLive> restore(std::span<const std::byte> snapshot);

  // As onekernel::list_trades. Errors: as sweep; kLimitExceeded where the list would not fit into a frame.
  Result<TradeList> trades(const RemoteSeries& series, std::span<const Combo> combos, const RemoteLiveOptions& options = {});
  Result<TradeList> trades(std::span<const double> close, std::span<const Combo> combos, const RemoteLiveOptions& options = {});

  // Sends `data` and gets it back: what a crossing costs that carries it. `back` must be as long as `data`.
  Status echo(std::span<const std::byte> data, std::span<std::byte> back);

  Result<EngineStatistics> statistics();

 private:
  Result<RemoteLive> open_live(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> history,
                               std::span<const Combo> combos, const RemoteLiveOptions& options);
  Result<RemoteLive> keep_live(const Result<std::vector<std::byte>>& reply);
  Result<TradeList> list_trades(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> close,
                                std::span<const Combo> combos, const RemoteLiveOptions& options);

  explicit Client(std::shared_ptr<client::Rep> rep);
  std::shared_ptr<client::Rep> rep_;
};

}  // namespace onekernel

#endif  // ONEKERNEL_CLIENT_H_
