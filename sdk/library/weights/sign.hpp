// Signatures over headers of weights, by OpenSSL: Ed25519 (RFC 8032), and ECDSA over P-256 with SHA-256 (FIPS 186-5).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/weights/format.hpp"
#include "sdk/library/weights/read.hpp"

namespace byoc::weights {

// A key that signs. `flags` are those of a header that it signs; they are part of what it signs.
struct Signer {
  std::uint32_t flags = 0;
  std::function<Result<Signature>(std::span<const std::byte>, Diagnostics&)> sign;
};

// `key` is a file, a private key as PEM without a pass phrase, or a URI (pkcs11:..., file:...) for OpenSSL's stores.
// Errors: the key cannot be read, is of another kind, or has a pass phrase; this byoc was built without OpenSSL.
[[nodiscard]] Result<Signer> key_signer(const std::string& key, Diagnostics&);

// A program that signs: `program FILE` writes the signature of FILE's bytes to its standard output, 64 bytes or, of
// ECDSA, as DER. `public_key` is the PEM file of its key, by which each answer is verified.
[[nodiscard]] Result<Signer> program_signer(const std::string& program, const std::string& public_key, Diagnostics&);

// The bytes of the file with all its blobs signed. Errors: those of the signer.
[[nodiscard]] Result<std::vector<std::byte>> sign_weights(const Weights&, const Signer&, Diagnostics&);

// Errors, of `file`: a blob without a signature, with one of another kind, or with a wrong one.
[[nodiscard]] Result<void> verify_weights(const Weights&, const std::string& file, const std::string& public_key,
                                          Diagnostics&);

}  // namespace byoc::weights
