#include "sdk/base/support/identity.hpp"

#include <xxhash.h>

#include <cstdio>

namespace byoc {

Identity identify(std::span<const std::byte> bytes) {
  XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {bytes.size(), h.high64, h.low64};
}

Identifier::Identifier() : state_(XXH3_createState()) { XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_)); }

Identifier::~Identifier() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void Identifier::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
  size_ += bytes.size();
}

Identity Identifier::finish() const {
  const XXH128_hash_t h = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {size_, h.high64, h.low64};
}

std::string to_hex(const Identity& id) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(id.high),
                static_cast<unsigned long long>(id.low));
  return text;
}

}  // namespace byoc
