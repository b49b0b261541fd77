// Ed25519 (RFC 8032) over a header of weights, by OpenSSL.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/weights/format.hpp"

namespace byoc::weights {

// `key_file` is a private key as PEM, without a pass phrase. Errors: the file cannot be read, is no key, one of another
// kind, one with a pass phrase; this byoc was built without OpenSSL.
[[nodiscard]] Result<std::array<std::uint8_t, kSignatureBytes>> sign(const std::string& key_file,
                                                                     std::span<const std::byte> bytes, Diagnostics&);

}  // namespace byoc::weights
