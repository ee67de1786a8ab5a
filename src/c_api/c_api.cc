// The C interface: converts, calls the C++ one, and lets nothing but status codes out.
#include "onekernel/c_api.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "onekernel/client.h"
#include "onekernel/status.h"
#include "onekernel/sweep.h"
#include "onekernel/types.h"
#include "onekernel/version.h"

struct ok_client {  // NOLINT(readability-identifier-naming): C's name
  onekernel::Client client;
};

namespace {

using onekernel::Status;
using onekernel::StatusCode;

static_assert(sizeof(ok_combo) == sizeof(onekernel::Combo) && alignof(ok_combo) == alignof(onekernel::Combo));
// NOLINTNEXTLINE(misc-redundant-expression): that both sides are the same number is what is to be held
static_assert(OK_ALREADY_EXISTS == static_cast<int>(StatusCode::kAlreadyExists));
static_assert(OK_PERMISSION_DENIED == static_cast<int>(StatusCode::kPermissionDenied));

// More than any machine has cores; a sweep uses no more threads than there is work for.
constexpr std::uint32_t kMaxThreads = 1 << 16;

// A plain array: keeping a message must not fail, and must not run a destructor when a thread ends.
thread_local char last_error[1024] = "";

ok_status fail(StatusCode code, const char* message) noexcept {
  const std::size_t size = std::min(std::strlen(message), sizeof(last_error) - 1);
  std::memmove(last_error, message, size);
  last_error[size] = '\0';
  return static_cast<ok_status>(code);
}

ok_status report(const Status& status) noexcept {
  return status.ok() ? OK_SUCCESS : fail(status.code(), status.message().c_str());
}

// Runs `call`, which returns a Status; whatever is thrown becomes one.
template <class Call>
ok_status guarded(Call call) noexcept {
  try {
    return report(call());
  } catch (const std::bad_alloc&) {
    return fail(StatusCode::kUnavailable, "not enough memory for this call");
  } catch (const std::exception& error) {
    return fail(StatusCode::kInternal, error.what());
  } catch (...) {
    return fail(StatusCode::kInternal, "an unknown error");
  }
}

Status invalid(const char* what) { return {StatusCode::kInvalidArgument, what}; }

// What the caller gave, with defaults for the fields that its header did not have yet. Errors: kInvalidArgument.
template <class Options>
Status adopt(const Options* given, Options& options) {
  if (given == nullptr) return {};
  if (given->size < sizeof(given->size) || given->size > sizeof(Options)) {
    return invalid("the options' size is none that this library knows: start from the *_INIT macro");
  }
  std::memcpy(&options, given, given->size);
  return {};
}

template <class T>
Status adopt_array(T* given, std::size_t count, const char* name, std::span<T>& span) {
  if (given == nullptr && count != 0) return {StatusCode::kInvalidArgument, std::string(name) + " is NULL"};
  span = {given, count};
  return {};
}

// The arguments that all sweeps have in common.
struct SweepCall {
  ok_sweep_options options = OK_SWEEP_OPTIONS_INIT;
  std::span<const onekernel::Combo> combos;
  std::span<double> pnl;
  std::span<std::int64_t> trades;

  Status adopt(const ok_combo* given_combos, std::size_t n_combos, const ok_sweep_options* given, double* given_pnl,
               std::int64_t* given_trades, const ok_sweep_report* told) {
    if (Status status = ::adopt(given, options); !status.ok()) return status;
    if (told != nullptr && told->size < sizeof(ok_sweep_report)) {
      return invalid("the report's size is none that this library knows: start from OK_SWEEP_REPORT_INIT");
    }
    if (Status status = adopt_array(reinterpret_cast<const onekernel::Combo*>(given_combos), n_combos, "combos", combos);
        !status.ok())
      return status;
    if (Status status = adopt_array(given_pnl, n_combos, "pnl", pnl); !status.ok()) return status;
    return adopt_array(given_trades, n_combos, "trades", trades);
  }
};

void tell(ok_sweep_report* told, std::chrono::nanoseconds compute) {
  if (told != nullptr) told->compute_ns = compute.count();
}

Status sweep_in_process(std::span<const double> close, const SweepCall& call, ok_sweep_report* told) {
  onekernel::SweepOptions options;
  options.fee = call.options.fee;
  if (call.options.kernel != nullptr) {
    const std::optional<onekernel::Kernel> kernel = onekernel::kernel_from_name(call.options.kernel);
    if (!kernel) return {StatusCode::kInvalidArgument, "there is no kernel '" + std::string(call.options.kernel) + "'"};
    options.kernel = *kernel;
  }
  options.threads = static_cast<int>(std::min(call.options.threads, kMaxThreads));
  const auto start = std::chrono::steady_clock::now();
  Status status = onekernel::sweep(close, call.combos, options, call.pnl, call.trades);
  if (status.ok()) tell(told, std::chrono::steady_clock::now() - start);
  return status;
}

onekernel::RemoteSweepOptions remote_options(const SweepCall& call) {
  return {.fee = call.options.fee,
          .kernel = call.options.kernel == nullptr ? "" : call.options.kernel,
          .threads = call.options.threads};
}

Status take_reply(const onekernel::Result<onekernel::SweepReply>& reply, const SweepCall& call, ok_sweep_report* told) {
  if (!reply.ok()) return reply.status();
  std::ranges::copy(reply.value().pnl, call.pnl.begin());
  std::ranges::copy(reply.value().trades, call.trades.begin());
  tell(told, reply.value().compute);
  return {};
}

onekernel::RemoteSeries remote_series(const ok_series& series) {
  return {.id = series.id, .epoch = series.epoch, .n_bars = series.n_bars, .content_hash = series.content_hash, .name = {}};
}

}  // namespace

int ok_abi_version(void) { return OK_ABI_VERSION; }

const char* ok_version(void) { return ONEKERNEL_VERSION_STRING; }

const char* ok_status_name(ok_status status) {
  // The names are literals, so their data ends in a zero.
  if (status < OK_SUCCESS || status > OK_PERMISSION_DENIED) return "unknown status";
  return onekernel::status_code_name(static_cast<StatusCode>(status)).data();
}

const char* ok_last_error(void) { return last_error; }

size_t ok_kernel_count(void) { return onekernel::all_kernels().size(); }

const char* ok_kernel_name(size_t number) {
  const std::span<const onekernel::Kernel> kernels = onekernel::all_kernels();
  return number < kernels.size() ? onekernel::kernel_name(kernels[number]).data() : nullptr;
}

ok_status ok_sweep(const double* close, size_t n_bars, const ok_combo* combos, size_t n_combos, const ok_sweep_options* options,
                   double* pnl, int64_t* trades, ok_sweep_report* report) {
  return guarded([&]() -> Status {
    SweepCall call;
    std::span<const double> prices;
    if (Status status = adopt_array(close, n_bars, "close", prices); !status.ok()) return status;
    if (Status status = call.adopt(combos, n_combos, options, pnl, trades, report); !status.ok()) return status;
    return sweep_in_process(prices, call, report);
  });
}

ok_status ok_client_connect(const char* url, const ok_client_options* options, ok_client** client) {
  return guarded([&]() -> Status {
    if (client == nullptr) return invalid("client is NULL");
    *client = nullptr;
    if (url == nullptr) return invalid("url is NULL");
    ok_client_options given = OK_CLIENT_OPTIONS_INIT;
    if (Status status = adopt(options, given); !status.ok()) return status;
    onekernel::ClientOptions converted;
    converted.timeout = std::chrono::milliseconds(given.timeout_ms);
    if (given.spin_ns >= 0) converted.spin = std::chrono::nanoseconds(given.spin_ns);
    onekernel::Result<onekernel::Client> connected = onekernel::Client::connect(url, converted);
    if (!connected.ok()) return connected.status();
    *client = std::make_unique<ok_client>(ok_client{std::move(connected).value()}).release();
    return {};
  });
}

void ok_client_close(ok_client* client) { std::unique_ptr<ok_client>(client).reset(); }

ok_status ok_client_put(ok_client* client, const char* name, const double* close, size_t n_bars, uint32_t flags,
                        ok_series* series) {
  return guarded([&]() -> Status {
    if (client == nullptr || name == nullptr || series == nullptr) return invalid("client, name or series is NULL");
    if ((flags & ~static_cast<uint32_t>(OK_PUT_SHARED | OK_PUT_REPLACE)) != 0) return invalid("a flag of put is unknown");
    std::span<const double> prices;
    if (Status status = adopt_array(close, n_bars, "close", prices); !status.ok()) return status;
    const onekernel::PutOptions options{.shared = (flags & OK_PUT_SHARED) != 0, .replace = (flags & OK_PUT_REPLACE) != 0};
    const onekernel::Result<onekernel::RemoteSeries> put = client->client.put(name, prices, options);
    if (!put.ok()) return put.status();
    *series = {put.value().id, put.value().epoch, put.value().n_bars, put.value().content_hash};
    return {};
  });
}

ok_status ok_client_drop(ok_client* client, const ok_series* series) {
  return guarded([&]() -> Status {
    if (client == nullptr || series == nullptr) return invalid("client or series is NULL");
    return client->client.drop(remote_series(*series));
  });
}

ok_status ok_client_sweep(ok_client* client, const ok_series* series, const ok_combo* combos, size_t n_combos,
                          const ok_sweep_options* options, double* pnl, int64_t* trades, ok_sweep_report* report) {
  return guarded([&]() -> Status {
    if (client == nullptr || series == nullptr) return invalid("client or series is NULL");
    SweepCall call;
    if (Status status = call.adopt(combos, n_combos, options, pnl, trades, report); !status.ok()) return status;
    return take_reply(client->client.sweep(remote_series(*series), call.combos, remote_options(call)), call, report);
  });
}

ok_status ok_client_sweep_closes(ok_client* client, const double* close, size_t n_bars, const ok_combo* combos, size_t n_combos,
                                 const ok_sweep_options* options, double* pnl, int64_t* trades, ok_sweep_report* report) {
  return guarded([&]() -> Status {
    if (client == nullptr) return invalid("client is NULL");
    SweepCall call;
    std::span<const double> prices;
    if (Status status = adopt_array(close, n_bars, "close", prices); !status.ok()) return status;
    if (Status status = call.adopt(combos, n_combos, options, pnl, trades, report); !status.ok()) return status;
    return take_reply(client->client.sweep(prices, call.combos, remote_options(call)), call, report);
  });
}

ok_status ok_client_echo(ok_client* client, const void* data, size_t size, void* back) {
  return guarded([&]() -> Status {
    if (client == nullptr) return invalid("client is NULL");
    std::span<const std::byte> sent;
    std::span<std::byte> returned;
    if (Status status = adopt_array(static_cast<const std::byte*>(data), size, "data", sent); !status.ok()) return status;
    if (Status status = adopt_array(static_cast<std::byte*>(back), size, "back", returned); !status.ok()) return status;
    return client->client.echo(sent, returned);
  });
}
