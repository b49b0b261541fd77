#include "sdk/library/weights/sign.hpp"

#include "sdk/base/support/file.hpp"

#ifdef BYOC_WITH_SIGNATURES
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#endif

namespace byoc::weights {

#ifdef BYOC_WITH_SIGNATURES

namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};

using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Signing = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;

// OpenSSL would ask on the terminal.
int no_pass_phrase(char* /*to*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<Key> read_key(const std::string& file, Diagnostics& diags) {
  const auto text = read_text(file, diags);
  if (!text) return failure;
  constexpr const char* kExpected = "an Ed25519 private key in PEM, as 'openssl genpkey -algorithm ed25519' makes";
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  bool asked = false;
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, &asked));
  if (!key) return diags.error(file, {}, "cannot be read as a key", asked ? "a key with a pass phrase" : "", kExpected);
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519)
    return diags.error(file, {}, "is a key of another kind", OBJ_nid2sn(EVP_PKEY_get_base_id(key.get())), kExpected);
  return key;
}

}  // namespace

Result<std::array<std::uint8_t, kSignatureBytes>> sign(const std::string& key_file, std::span<const std::byte> bytes,
                                                       Diagnostics& diags) {
  const auto key = read_key(key_file, diags);
  if (!key) return failure;
  std::array<std::uint8_t, kSignatureBytes> out{};
  std::size_t size = out.size();
  const Signing signing(EVP_MD_CTX_new());
  if (EVP_DigestSignInit(signing.get(), nullptr, nullptr, nullptr, key->get()) != 1 ||
      EVP_DigestSign(signing.get(), out.data(), &size, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                     bytes.size()) != 1 ||
      size != out.size())
    return diags.error(key_file, {}, "cannot sign");
  return out;
}

#else

Result<std::array<std::uint8_t, kSignatureBytes>> sign(const std::string& key_file, std::span<const std::byte>,
                                                       Diagnostics& diags) {
  return diags.error(key_file, {}, "weights cannot be signed: this byoc was built without OpenSSL");
}

#endif

}  // namespace byoc::weights
