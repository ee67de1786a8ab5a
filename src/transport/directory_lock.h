// Serialises servers that start or stop at the same path: between "nobody listens there" and "now I do" no other may step in.
#ifndef ONEKERNEL_TRANSPORT_DIRECTORY_LOCK_H_
#define ONEKERNEL_TRANSPORT_DIRECTORY_LOCK_H_

#include <fcntl.h>
#include <sys/file.h>

#include <string>

#include "base/file_descriptor.h"

namespace onekernel::transport {

// Holds an advisory lock on the folder of `path` while it lives. Where the folder cannot be opened there is no lock; what
// follows then fails by itself.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& path) : folder_(::open(parent(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_.valid()) ::flock(folder_.get(), LOCK_EX);
  }

 private:
  static std::string parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
  }

  base::FileDescriptor folder_;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_DIRECTORY_LOCK_H_
