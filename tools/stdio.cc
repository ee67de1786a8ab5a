#include <unistd.h>

#include <string>

#include "server/conversation.h"
#include "tools/commands.h"
#include "transport/byte_channel.h"

namespace onekernel::tools {

int stdio(const StdioOptions& options) {
  server::TimingsLog timings;
  if (!options.timings_path.empty()) {
    Result<server::TimingsLog> opened = server::TimingsLog::open(options.timings_path);
    if (!opened.ok()) return fail(opened.status());
    timings = std::move(opened).value();
  }
  transport::PipeChannel channel(STDIN_FILENO, STDOUT_FILENO);
  server::EngineState engine(options.engine, std::move(timings));
  const std::string no_token;
  const Status status = server::Conversation(engine, channel, std::chrono::milliseconds::max(), no_token).answer_once();
  if (status.ok()) return kExitOk;
  fail(status);
  return kExitFailed;  // the command line was in order, whatever was wrong with the request
}

}  // namespace onekernel::tools
