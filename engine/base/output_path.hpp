// What an output goes to: where the links of its path lead, and of what kind that is.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "base/descriptor.hpp"

namespace kr {

struct OutputPath {
  /// A regular file, or none yet: it may be replaced as a whole. Links are followed.
  std::filesystem::path file;
  std::optional<struct stat> there;  // what `file` is now
  /// Or a device, a FIFO, or an open file of this process (`/dev/stdout`, `/proc/self/fd/N`),
  /// opened for writing.
  Descriptor stream;
};

/// Opens what is not a regular file, which waits for the reader of a FIFO. Throws Error: a folder,
/// a block device, a socket, a loop of links, a link of another user in a folder that everybody can
/// write.
OutputPath open_output(const std::filesystem::path& path);

}  // namespace kr
