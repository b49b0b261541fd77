#include "sdk/support/identity.hpp"

#include <xxhash.h>

#include <cstdio>

namespace byoc {

Identity identify(std::span<const std::byte> bytes) {
  XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {bytes.size(), h.high64, h.low64};
}

std::string to_hex(const Identity& id) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(id.high),
                static_cast<unsigned long long>(id.low));
  return text;
}

}  // namespace byoc
