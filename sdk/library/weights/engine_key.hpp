// Private keys in tokens, through an engine of OpenSSL: what there is for PKCS #11 where no provider is installed.
#pragma once

#include <openssl/evp.h>

#include <string>

namespace byoc::weights {

// The key that the engine of libp11 (https://github.com/OpenSC/libp11) finds by this URI of RFC 7512; the caller frees
// it. A PIN is asked of nobody: the URI has it. Null: no such engine, token, key or PIN.
[[nodiscard]] EVP_PKEY* engine_key(const std::string& uri);

}  // namespace byoc::weights
