#include "base/file_descriptor.h"

#include <unistd.h>

namespace onekernel::base {

void FileDescriptor::reset(int fd) {
  // Not repeated on EINTR: Linux has released the descriptor by then, and a second close could hit somebody else's.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace onekernel::base
