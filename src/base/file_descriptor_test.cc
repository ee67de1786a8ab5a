#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace onekernel::base {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(FileDescriptor, ClosesWhatItOwns) {
  const int raw = ::dup(STDOUT_FILENO);
  {
    const FileDescriptor owner(raw);
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(FileDescriptor, MovesTheOwnership) {
  const int raw = ::dup(STDOUT_FILENO);
  FileDescriptor first(raw);
  FileDescriptor second(std::move(first));
  EXPECT_EQ(second.get(), raw);
  FileDescriptor third(::dup(STDOUT_FILENO));
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_TRUE(is_open(raw));
  third.reset();
  EXPECT_FALSE(third.valid());
  EXPECT_FALSE(is_open(raw));
}

}  // namespace
}  // namespace onekernel::base
