// Engines are deprecated since OpenSSL 3.0, and providers of PKCS #11 are younger than many systems.
#if defined(BYOC_WITH_SIGNATURES)
#define OPENSSL_SUPPRESS_DEPRECATED

#include "sdk/library/weights/engine_key.hpp"

#include <openssl/engine.h>
#include <openssl/ui.h>

namespace byoc::weights {

EVP_PKEY* engine_key(const std::string& uri) {
  ENGINE* const engine = ENGINE_by_id("pkcs11");
  if (engine == nullptr) return nullptr;
  EVP_PKEY* key = nullptr;
  if (ENGINE_init(engine) == 1) {
    auto* const nobody = const_cast<UI_METHOD*>(UI_null());  // which the engine does not change
    key = ENGINE_load_private_key(engine, uri.c_str(), nobody, nullptr);
    ENGINE_finish(engine);  // the key holds its own reference
  }
  ENGINE_free(engine);
  return key;
}

}  // namespace byoc::weights
#endif
