// In-process sweeps and a client, through the installed headers. Exit code 0 if all is as it must be.
#include <onekernel/client.h>
#include <onekernel/sweep.h>
#include <onekernel/version.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  expect(std::string(ONEKERNEL_VERSION_STRING) == EXPECTED_VERSION, "the header has the package's version");

  std::vector<double> close(20'000);
  for (std::size_t i = 0; i < close.size(); ++i) close[i] = 100.0 + static_cast<double>((i * 7919) % 1000) / 64.0;
  const std::vector<onekernel::Combo> combos{{3, 6, 2, 2, 3, 6}, {10, 20, 4, 7, 10, 20}};
  std::vector<double> pnl(combos.size());
  std::vector<std::int64_t> trades(combos.size());
  expect(onekernel::sweep(close, combos, {.fee = 0.09}, pnl, trades).ok(), "a sweep in this process succeeds");
  expect(trades[0] > 0, "it trades");

  for (const std::string scheme : {"unix:", "shm:"}) {
    onekernel::Result<onekernel::Client> connected = onekernel::Client::connect(scheme + argv[1]);
    expect(connected.ok(), "the engine can be reached");
    if (!connected.ok()) continue;
    onekernel::Client& client = connected.value();
    expect(client.engine().version == EXPECTED_VERSION, "the engine has the package's version");
    const onekernel::Result<onekernel::RemoteSeries> series = client.put("prices", close);
    expect(series.ok(), "a series can be put");
    if (!series.ok()) continue;
    const onekernel::Result<onekernel::SweepReply> reply = client.sweep(series.value(), combos, {.fee = 0.09});
    expect(reply.ok(), "the engine sweeps");
    if (!reply.ok()) continue;
    expect(std::memcmp(reply.value().pnl.data(), pnl.data(), pnl.size() * sizeof(double)) == 0, "its pnl are the same bits");
    expect(reply.value().trades == trades, "its trades are the same");
  }
  return failures == 0 ? 0 : 1;
}
