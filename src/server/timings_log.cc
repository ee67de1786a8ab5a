#include "server/timings_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace onekernel::server {

Result<TimingsLog> TimingsLog::open(const std::string& path) {
  TimingsLog log;
  log.file_.reset(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!log.file_.valid()) return base::system_error("cannot open the timings file " + path, errno);
  return log;
}

void TimingsLog::record(const Timing& timing) const {
  if (!file_.valid()) return;
  std::string line;
  line.append("{\"op\":\"").append(timing.operation);
  line.append("\",\"n_bars\":").append(std::to_string(timing.n_bars));
  line.append(",\"n_combos\":").append(std::to_string(timing.n_combos));
  line.append(",\"bytes_in\":").append(std::to_string(timing.bytes_in));
  line.append(",\"bytes_out\":").append(std::to_string(timing.bytes_out));
  line.append(",\"compute_ns\":").append(std::to_string(timing.compute_ns)).append("}\n");
  // A full disk loses the line, not the request it tells of.
  [[maybe_unused]] const ssize_t written = ::write(file_.get(), line.data(), line.size());
}

}  // namespace onekernel::server
