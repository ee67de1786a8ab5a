/* The C interface, from C99. Exit code 0 if all is as it must be. */
#include <onekernel/c_api.h>
#include <stdio.h>
#include <string.h>

enum { BARS = 20000, COMBOS = 2 };

static double close_prices[BARS];
static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s (last error: %s)\n", what, ok_last_error());
  ++failures;
}

static void use_engine(const char* scheme, const char* path, const ok_combo* combos, const double* pnl, const int64_t* trades) {
  char url[256];
  ok_client_options options = OK_CLIENT_OPTIONS_INIT;
  ok_sweep_options sweep = OK_SWEEP_OPTIONS_INIT;
  ok_sweep_report report = OK_SWEEP_REPORT_INIT;
  ok_client* client = NULL;
  ok_series series;
  double engine_pnl[COMBOS];
  int64_t engine_trades[COMBOS];
  char back[6];

  snprintf(url, sizeof(url), "%s%s", scheme, path);
  options.timeout_ms = 60000;
  sweep.fee = 0.09;
  expect(ok_client_connect(url, &options, &client) == OK_SUCCESS, "the engine can be reached");
  expect(ok_client_echo(client, "hello", sizeof(back), back) == OK_SUCCESS && strcmp(back, "hello") == 0, "it echoes");
  expect(ok_client_put(client, "prices", close_prices, BARS, 0, &series) == OK_SUCCESS && series.n_bars == BARS,
         "it keeps a series");

  expect(ok_client_sweep(client, &series, combos, COMBOS, &sweep, engine_pnl, engine_trades, &report) == OK_SUCCESS,
         "it sweeps over what it keeps");
  expect(memcmp(engine_pnl, pnl, sizeof(engine_pnl)) == 0, "its pnl are the same bits");
  expect(memcmp(engine_trades, trades, sizeof(engine_trades)) == 0, "its trades are the same");
  expect(report.compute_ns > 0, "it says how long it took");
  memset(engine_pnl, 0, sizeof(engine_pnl));
  expect(
      ok_client_sweep_closes(client, close_prices, BARS, combos, COMBOS, &sweep, engine_pnl, engine_trades, NULL) == OK_SUCCESS,
      "it sweeps over what is sent");
  expect(memcmp(engine_pnl, pnl, sizeof(engine_pnl)) == 0, "its pnl are the same bits again");

  expect(ok_client_drop(client, &series) == OK_SUCCESS, "it drops a series");
  expect(ok_client_sweep(client, &series, combos, COMBOS, &sweep, engine_pnl, engine_trades, NULL) == OK_NOT_FOUND,
         "which is gone then");
  ok_client_close(client);
}

int main(int argc, char** argv) {
  static const ok_combo combos[COMBOS] = {{3, 6, 2, 2, 3, 6}, {10, 20, 4, 7, 10, 20}};
  ok_sweep_options options = OK_SWEEP_OPTIONS_INIT;
  double pnl[COMBOS];
  int64_t trades[COMBOS];
  ok_client* client = NULL;
  int i;

  if (argc != 2) return 2;
  expect(ok_abi_version() == OK_ABI_VERSION, "header and library fit");
  expect(strcmp(ok_version(), EXPECTED_VERSION) == 0, "the library has the package's version");
  expect(ok_kernel_count() > 0 && ok_kernel_name(0) != NULL && ok_kernel_name(ok_kernel_count()) == NULL, "kernels have names");

  for (i = 0; i < BARS; ++i) close_prices[i] = 100.0 + (double)((i * 7919) % 1000) / 64.0;
  options.fee = 0.09;
  expect(ok_sweep(close_prices, BARS, combos, COMBOS, &options, pnl, trades, NULL) == OK_SUCCESS,
         "a sweep in this process succeeds");
  expect(trades[0] > 0, "it trades");
  options.kernel = "none such";
  expect(ok_sweep(close_prices, BARS, combos, COMBOS, &options, pnl, trades, NULL) == OK_INVALID_ARGUMENT,
         "a wrong kernel is an error");
  expect(strstr(ok_last_error(), "none such") != NULL, "whose message names it");

  use_engine("unix:", argv[1], combos, pnl, trades);
  use_engine("shm:", argv[1], combos, pnl, trades);
  expect(ok_client_connect("unix:/nonexistent/engine", NULL, &client) == OK_UNAVAILABLE && client == NULL,
         "nobody there is an error");
  ok_client_close(NULL);
  return failures == 0 ? 0 : 1;
}
