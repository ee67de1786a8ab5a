// A file descriptor with one owner, closed when the owner goes.
#ifndef ONEKERNEL_BASE_FILE_DESCRIPTOR_H_
#define ONEKERNEL_BASE_FILE_DESCRIPTOR_H_

#include <utility>

namespace onekernel::base {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

}  // namespace onekernel::base

#endif  // ONEKERNEL_BASE_FILE_DESCRIPTOR_H_
