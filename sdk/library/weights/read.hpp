// Files of weights, read and checked; from anybody.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/weights/format.hpp"

namespace byoc::weights {

struct ReadBlob {
  Header header;
  std::span<const std::byte> payload;  // in Weights::bytes
  std::string model;                   // as the directory says
  std::vector<Entry> entries;          // none where the directory was cut off
  std::vector<End> inputs, outputs;    // none where the directory does not say
};

struct Weights {
  std::vector<std::byte> bytes;  // of a .hex: what it is of
  std::vector<ReadBlob> blobs;   // at least one
};

// True if the file begins with a blob's magic, or is a .hex of a blob.
[[nodiscard]] bool is_weights(const std::string& path);

// Errors: no weights, another version, sizes that exceed the file, a wrong CRC32 or SHA-256, a directory that is no
// JSON or whose constants are not in the payload. Bytes behind the last blob must be erased flash; anything else is an
// error.
[[nodiscard]] Result<Weights> read_weights(const std::string& path, Diagnostics&);

}  // namespace byoc::weights
