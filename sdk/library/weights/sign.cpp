#include "sdk/library/weights/sign.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"

#ifdef BYOC_WITH_SIGNATURES
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/store.h>
#include <openssl/ui.h>

#include <memory>

#include "sdk/library/weights/engine_key.hpp"
#endif

namespace byoc::weights {

namespace {

// The bytes of a header that a signature is over.
std::array<std::byte, kSignedBytes> signed_part(const Header& header) {
  const auto all = encode(header);
  std::array<std::byte, kSignedBytes> out{};
  std::copy_n(all.begin(), out.size(), out.begin());
  return out;
}

// A URI as diagnostics show it: a PIN is for nobody's log.
std::string without_pin(const std::string& uri) {
  constexpr std::string_view kPin = "pin-value=";
  const std::size_t at = uri.find(kPin);
  if (at == std::string::npos) return uri;
  const std::size_t end = uri.find_first_of(";&", at);
  return uri.substr(0, at + kPin.size()) + "***" + (end == std::string::npos ? "" : uri.substr(end));
}

}  // namespace

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
using Digesting = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Store = std::unique_ptr<OSSL_STORE_CTX, Freed<OSSL_STORE_close>>;
using StoreInfo = std::unique_ptr<OSSL_STORE_INFO, Freed<OSSL_STORE_INFO_free>>;

constexpr std::size_t kHalf = kSignatureBytes / 2;
constexpr const char* kPrivate =
    "an Ed25519 or P-256 private key in PEM, as 'openssl genpkey -algorithm ed25519' makes";
constexpr const char* kPublic = "an Ed25519 or P-256 public key in PEM, as 'openssl pkey -pubout' writes";

// OpenSSL would ask on the terminal.
int no_pass_phrase(char* /*to*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

constexpr std::string_view kToken = "pkcs11:";

bool is_uri(const std::string& key) { return key.starts_with(kToken) || key.starts_with("file:"); }

// The first private key that a store of OpenSSL has there; a store that asks for a PIN gets none.
Key key_in_store(const std::string& uri) {
  const Store store(OSSL_STORE_open(uri.c_str(), UI_null(), nullptr, nullptr, nullptr));
  while (store && OSSL_STORE_eof(store.get()) == 0) {
    const StoreInfo info(OSSL_STORE_load(store.get()));
    if (info && OSSL_STORE_INFO_get_type(info.get()) == OSSL_STORE_INFO_PKEY)
      return Key(OSSL_STORE_INFO_get1_PKEY(info.get()));
  }
  return {};
}

// A token is asked through a provider where OpenSSL's configuration loads one for it, else through an engine.
Key stored_key(const std::string& uri) {
  Key key = key_in_store(uri);
  if (!key && uri.starts_with(kToken)) key.reset(engine_key(uri));
  return key;
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t size = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
         OBJ_txt2nid(group.data()) == NID_X9_62_prime256v1;
}

// The flags of headers that the key signs. Error: a key of another kind.
Result<std::uint32_t> flags_of(const EVP_PKEY* key, const std::string& name, const char* expected, Diagnostics& diags) {
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519) return kSigned;
  if (is_p256(key)) return kSigned | kEcdsaP256;
  return diags.error(without_pin(name), {}, "is a key of another kind", OBJ_nid2sn(EVP_PKEY_get_base_id(key)),
                     expected);
}

Result<Key> read_stored(const std::string& uri, Diagnostics& diags) {
  Key key = stored_key(uri);
  if (!key)
    return diags.error(without_pin(uri), {}, "no private key can be read there", {},
                       "OpenSSL's provider or engine for it, as of libengine-pkcs11-openssl, and a PIN in the URI");
  return key;
}

Result<Key> read_private(const std::string& name, Diagnostics& diags) {
  if (is_uri(name)) return read_stored(name, diags);
  const auto text = read_text(name, diags);
  if (!text) return failure;
  bool asked = false;
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, &asked));
  if (!key) return diags.error(name, {}, "cannot be read as a key", asked ? "a key with a pass phrase" : "", kPrivate);
  return key;
}

Result<Key> read_public(const std::string& file, Diagnostics& diags) {
  const auto text = read_text(file, diags);
  if (!text) return failure;
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  Key key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (!key) return diags.error(file, {}, "cannot be read as a public key", "", kPublic);
  return key;
}

const EVP_MD* digest_of(std::uint32_t flags) { return (flags & kEcdsaP256) != 0 ? EVP_sha256() : nullptr; }

const unsigned char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// r and s of a DER signature, 32 bytes each, as hardware takes them.
std::optional<Signature> from_der(std::span<const unsigned char> der) {
  const unsigned char* at = der.data();
  const EcSignature decoded(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  Signature out{};
  if (!decoded || at != der.data() + der.size() ||
      BN_bn2binpad(ECDSA_SIG_get0_r(decoded.get()), out.data(), kHalf) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(decoded.get()), out.data() + kHalf, kHalf) < 0)
    return std::nullopt;
  return out;
}

std::vector<unsigned char> to_der(const Signature& signature) {
  const EcSignature made(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(signature.data(), kHalf, nullptr);
  BIGNUM* s = BN_bin2bn(signature.data() + kHalf, kHalf, nullptr);
  if (!made || ECDSA_SIG_set0(made.get(), r, s) != 1) return {};
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(made.get(), &bytes);
  std::vector<unsigned char> out(bytes, bytes + std::max(size, 0));
  OPENSSL_free(bytes);
  return out;
}

bool verifies(EVP_PKEY* key, std::uint32_t flags, std::span<const std::byte> head, const Signature& signature) {
  std::vector<unsigned char> bytes(signature.begin(), signature.end());
  if ((flags & kEcdsaP256) != 0) bytes = to_der(signature);
  const Digesting digesting(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(digesting.get(), nullptr, digest_of(flags), nullptr, key) == 1 &&
         EVP_DigestVerify(digesting.get(), bytes.data(), bytes.size(), chars(head), head.size()) == 1;
}

std::optional<Signature> signature_of(EVP_PKEY* key, std::uint32_t flags, std::span<const std::byte> head) {
  std::array<unsigned char, 128> bytes{};
  std::size_t size = bytes.size();
  const Digesting digesting(EVP_MD_CTX_new());
  if (EVP_DigestSignInit(digesting.get(), nullptr, digest_of(flags), nullptr, key) != 1 ||
      EVP_DigestSign(digesting.get(), bytes.data(), &size, chars(head), head.size()) != 1)
    return std::nullopt;
  if ((flags & kEcdsaP256) != 0) return from_der(std::span(bytes).first(size));
  Signature out{};
  std::copy_n(bytes.begin(), out.size(), out.begin());
  return size == out.size() ? std::optional(out) : std::nullopt;
}

// The signature in the output of a program: its bytes, or DER.
std::optional<Signature> answer_of(const std::string& output, std::uint32_t flags) {
  Signature out{};
  if (output.size() == out.size()) {
    std::memcpy(out.data(), output.data(), out.size());
    return out;
  }
  if ((flags & kEcdsaP256) == 0) return std::nullopt;
  return from_der({reinterpret_cast<const unsigned char*>(output.data()), output.size()});
}

Result<Signature> asked_of(const std::string& program, EVP_PKEY* key, std::uint32_t flags,
                           std::span<const std::byte> head, Diagnostics& diags) {
  auto folder = TemporaryDirectory::create(diags);
  if (!folder) return failure;
  const std::string file = folder->path() + "/header";
  std::ofstream out(file, std::ios::binary);
  if (!out.write(reinterpret_cast<const char*>(head.data()), kSignedBytes).flush())
    return diags.error(file, {}, "cannot be written");
  const auto done = run_process({program, file}, diags);
  if (!done) return failure;
  if (done->exit_code != 0)
    return diags.error(program, {}, "cannot sign: " + done->errors, "exit code " + std::to_string(done->exit_code),
                       "0");
  const auto signature = answer_of(done->output, flags);
  if (!signature)
    return diags.error(program, {}, "wrote no signature", std::to_string(done->output.size()) + " bytes",
                       "64 bytes, or DER of ECDSA");
  if (!verifies(key, flags, head, *signature))
    return diags.error(program, {}, "signed with another key than --key says, or other bytes");
  return *signature;
}

}  // namespace

Result<Signer> key_signer(const std::string& name, Diagnostics& diags) {
  auto key = read_private(name, diags);
  if (!key) return failure;
  const auto flags = flags_of(key->get(), name, kPrivate, diags);
  if (!flags) return failure;
  const std::shared_ptr<EVP_PKEY> shared(std::move(*key));
  return Signer{*flags, [=](std::span<const std::byte> head, Diagnostics& to) -> Result<Signature> {
                  const auto signature = signature_of(shared.get(), *flags, head);
                  if (!signature) return to.error(name, {}, "cannot sign");
                  return *signature;
                }};
}

Result<Signer> program_signer(const std::string& program, const std::string& public_key, Diagnostics& diags) {
  auto key = read_public(public_key, diags);
  if (!key) return failure;
  const auto flags = flags_of(key->get(), public_key, kPublic, diags);
  if (!flags) return failure;
  const std::shared_ptr<EVP_PKEY> shared(std::move(*key));
  return Signer{*flags, [=](std::span<const std::byte> head, Diagnostics& to) {
                  return asked_of(program, shared.get(), *flags, head, to);
                }};
}

Result<void> verify_weights(const Weights& weights, const std::string& file, const std::string& public_key,
                            Diagnostics& diags) {
  const auto key = read_public(public_key, diags);
  if (!key) return failure;
  const auto flags = flags_of(key->get(), public_key, kPublic, diags);
  if (!flags) return failure;
  for (const ReadBlob& blob : weights.blobs) {
    const Header& h = blob.header;
    if (!h.is_signed()) return diags.error(file, blob.model, "is not signed");
    if (h.flags != *flags)
      return diags.error(file, blob.model, "has a signature of another kind than the key", signature_kind(h.flags),
                         signature_kind(*flags));
    if (!verifies(key->get(), *flags, signed_part(h), h.signature))
      return diags.error(file, blob.model, "has no signature by this key", "", public_key);
  }
  return {};
}

#else

namespace {
constexpr const char* kWithout = "weights cannot be signed or verified: this byoc was built without OpenSSL";
}  // namespace

Result<Signer> key_signer(const std::string& key, Diagnostics& diags) {
  return diags.error(without_pin(key), {}, kWithout);
}

Result<Signer> program_signer(const std::string& program, const std::string&, Diagnostics& diags) {
  return diags.error(program, {}, kWithout);
}

Result<void> verify_weights(const Weights&, const std::string& file, const std::string&, Diagnostics& diags) {
  return diags.error(file, {}, kWithout);
}

#endif

Result<std::vector<std::byte>> sign_weights(const Weights& weights, const Signer& signer, Diagnostics& diags) {
  std::vector<std::byte> out = weights.bytes;
  for (const ReadBlob& blob : weights.blobs) {
    Header h = blob.header;
    const std::byte* begin = blob.payload.data() - h.payload_offset;
    h.flags = signer.flags;
    h.crc32 = 0;
    h.crc32 = crc32(blob.payload, crc32(signed_part(h)));
    const auto signature = signer.sign(signed_part(h), diags);
    if (!signature) return failure;
    h.signature = *signature;
    std::ranges::copy(encode(h), out.begin() + (begin - weights.bytes.data()));
  }
  return out;
}

}  // namespace byoc::weights
