// The place of an output that was asked for by a name.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct OutputPlace {
  std::string path;                  // what a new file is put in the place of: links followed
  std::optional<struct stat> there;  // what is there now
  int descriptor = -1;               // of this process, as that of /dev/stdout, where it is nothing else
  // A pipe, a character device or a descriptor: what is there stays and is written to.
  [[nodiscard]] bool is_stream() const;
};

// The place of a file. Errors: a missing folder, which is named; endless links; a folder, a block device or a socket.
[[nodiscard]] Result<OutputPlace> place_of_file(const std::string& name, Diagnostics&);
// The place of a folder; its path becomes absolute. Errors: a missing parent folder; something else has the name.
[[nodiscard]] Result<OutputPlace> place_of_folder(const std::string& name, Diagnostics&);

}  // namespace byoc
