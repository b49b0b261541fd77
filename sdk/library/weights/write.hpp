// Bound constants as a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/weights/format.hpp"
#include "sdk/target/module/bound_constants.hpp"

namespace byoc::weights {

struct Request {
  std::string model;         // its name, for people
  std::string model_sha256;  // 64 hexadecimal digits, or ""
  std::string key;           // of key_signer(); "": not signed
  std::uint32_t sequence = 0;
  std::vector<IoTensor> inputs = {}, outputs = {};
};

// One blob, which is streamed: memory does not depend on the size of the constants.
class WeightsFile {
 public:
  // Reads all constants once, for the hashes. Errors: one cannot be read; those of sign().
  static Result<WeightsFile> make(BoundConstants constants, const Request& request, Diagnostics&);
  [[nodiscard]] const Header& header() const { return header_; }
  // Appends header().blob_bytes. False with errno set.
  [[nodiscard]] bool write(int fd) const;
  [[nodiscard]] bool write_hex(int fd, std::uint32_t address) const;  // as Intel HEX, its first byte at `address`
  // All bytes in memory; empty if a constant cannot be read.
  [[nodiscard]] std::vector<std::byte> bytes() const;

 private:
  template <class Put>
  [[nodiscard]] bool stream(const Put& put) const;

  BoundConstants constants_;
  Header header_;
  std::string directory_;
};

}  // namespace byoc::weights
