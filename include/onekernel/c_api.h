/* onekernel for C and for whatever can call C: in-process sweeps, and a client of an engine in another process.
 *
 *   double pnl[80];
 *   int64_t trades[80];
 *   ok_sweep_options options = OK_SWEEP_OPTIONS_INIT;
 *   options.fee = 0.09;
 *   if (ok_sweep(close, n_bars, combos, 80, &options, pnl, trades, NULL) != OK_SUCCESS) puts(ok_last_error());
 *
 * Every function that can fail returns an ok_status; the message is in ok_last_error(). No exception leaves this interface,
 * nothing is printed, no process ended. Structures begin with their size, so that one of an older header is understood by a
 * newer library; the *_INIT macros set it. Results are the same bits as everywhere else in onekernel.
 */
#ifndef ONEKERNEL_C_API_H_
#define ONEKERNEL_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ONEKERNEL_C_EXPORT __attribute__((visibility("default")))
#else
#define ONEKERNEL_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN: C, in C's own manner */

/* Changes when a program that was compiled with this header would no longer work with the library. */
#define OK_ABI_VERSION 1

/* The library's; a program may compare it with its header's OK_ABI_VERSION. */
ONEKERNEL_C_EXPORT int ok_abi_version(void);
/* Such as "0.1.0". */
ONEKERNEL_C_EXPORT const char* ok_version(void);

typedef int ok_status;
enum {
  OK_SUCCESS = 0,
  OK_MALFORMED_FRAME = 1, /* what answers does not speak the protocol */
  OK_UNKNOWN_OPCODE = 2,  /* the engine is older than this library */
  OK_INVALID_ARGUMENT = 3,
  OK_LIMIT_EXCEEDED = 4,    /* one of the engine's; the message names it */
  OK_INTERNAL = 5,          /* a defect of onekernel */
  OK_UNAVAILABLE = 6,       /* nobody listens there, or no memory */
  OK_IO = 7,                /* the operating system refused */
  OK_CONNECTION_CLOSED = 8, /* the engine hung up or died */
  OK_DEADLINE_EXCEEDED = 9,
  OK_STALE_EPOCH = 10, /* the series was put into an engine that is gone */
  OK_NOT_FOUND = 11,
  OK_ALREADY_EXISTS = 12,
  OK_PERMISSION_DENIED = 13,
  OK_OUT_OF_ORDER = 14
};

/* "invalid argument" and the like; never NULL. */
ONEKERNEL_C_EXPORT const char* ok_status_name(ok_status status);
/* What the last call in this thread that failed had to say. Good until the next one fails here. */
ONEKERNEL_C_EXPORT const char* ok_last_error(void);

/* Kernels by number, from the simplest to the fastest; NULL where there is no such number. */
ONEKERNEL_C_EXPORT size_t ok_kernel_count(void);
ONEKERNEL_C_EXPORT const char* ok_kernel_name(size_t number);

/* Six window lengths in bars, each at least 1. */
typedef struct ok_combo {
  int64_t half;
  int64_t full;
  int64_t smooth;
  int64_t third;
  int64_t half3;
  int64_t full3;
} ok_combo;

typedef struct ok_sweep_options {
  size_t size;
  double fee;         /* round trip, per closed trade, in percent: 0.09 means 0.09 % */
  const char* kernel; /* by name; NULL: the default */
  uint32_t threads;   /* at most so many; 0: the library or the engine decides */
  uint32_t reserved;  /* 0 */
} ok_sweep_options;
#define OK_SWEEP_OPTIONS_INIT \
  { sizeof(ok_sweep_options), 0.0, NULL, 0, 0 }

/* What a sweep tells beside its results. */
typedef struct ok_sweep_report {
  size_t size;
  int64_t compute_ns; /* the kernel's own time */
} ok_sweep_report;
#define OK_SWEEP_REPORT_INIT \
  { sizeof(ok_sweep_report), 0 }

/* Runs every combo over `close` (prices, oldest first) in this process.
 *   pnl[i]     sum over combo i's closed trades, in percentage points, net of fees
 *   trades[i]  how many it closed
 * `options` and `report` may be NULL. On an error nothing is written. */
ONEKERNEL_C_EXPORT ok_status ok_sweep(const double* close, size_t n_bars, const ok_combo* combos, size_t n_combos,
                                      const ok_sweep_options* options, double* pnl, int64_t* trades, ok_sweep_report* report);

/* A connection to an engine. One thread at a time. */
typedef struct ok_client ok_client;

typedef struct ok_client_options {
  size_t size;
  int64_t timeout_ms; /* bounds connecting and every single wait for the engine */
  int64_t spin_ns;    /* how long a wait looks again and again before it sleeps; -1: the default */
} ok_client_options;
#define OK_CLIENT_OPTIONS_INIT \
  { sizeof(ok_client_options), 30000, -1 }

/* A series that an engine keeps; good as long as that engine runs. */
typedef struct ok_series {
  uint64_t id;
  uint64_t epoch;
  uint64_t n_bars;
  uint64_t content_hash;
} ok_series;

enum {
  OK_PUT_SHARED = 1, /* every client sees it, and it stays when this one goes */
  OK_PUT_REPLACE = 2 /* a shared series of this name gives way */
};

/* `url`: unix:/path, tcp://host:port, shm:/path. `options` may be NULL. On an error *client is NULL. */
ONEKERNEL_C_EXPORT ok_status ok_client_connect(const char* url, const ok_client_options* options, ok_client** client);
/* NULL is fine. */
ONEKERNEL_C_EXPORT void ok_client_close(ok_client* client);

ONEKERNEL_C_EXPORT ok_status ok_client_put(ok_client* client, const char* name, const double* close, size_t n_bars,
                                           uint32_t flags, ok_series* series);
ONEKERNEL_C_EXPORT ok_status ok_client_drop(ok_client* client, const ok_series* series);
/* As ok_sweep, in the engine: over a series that it keeps, or over closes that are sent along. */
ONEKERNEL_C_EXPORT ok_status ok_client_sweep(ok_client* client, const ok_series* series, const ok_combo* combos,
                                             size_t n_combos, const ok_sweep_options* options, double* pnl, int64_t* trades,
                                             ok_sweep_report* report);
ONEKERNEL_C_EXPORT ok_status ok_client_sweep_closes(ok_client* client, const double* close, size_t n_bars,
                                                    const ok_combo* combos, size_t n_combos, const ok_sweep_options* options,
                                                    double* pnl, int64_t* trades, ok_sweep_report* report);
/* Sends `size` bytes and gets them back. */
ONEKERNEL_C_EXPORT ok_status ok_client_echo(ok_client* client, const void* data, size_t size, void* back);

/* NOLINTEND */

#ifdef __cplusplus
}
#endif

#endif /* ONEKERNEL_C_API_H_ */
