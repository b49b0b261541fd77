#include "sdk/base/support/visible.hpp"

namespace byoc {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
  bool begun = false;     // so far it is right, and the text ends in it
};

// The Unicode Standard, table 3-7: the length, and the range of the second byte.
struct Lead {
  std::size_t bytes;
  unsigned low, high;
};

Lead lead_of(unsigned byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2 || byte > 0xf4) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte < 0xf0) return {3, byte == 0xe0 ? 0xa0U : 0x80U, byte == 0xed ? 0x9fU : 0xbfU};
  return {4, byte == 0xf0 ? 0x90U : 0x80U, byte == 0xf4 ? 0x8fU : 0xbfU};
}

Character first_character(std::string_view text) {
  const unsigned first = static_cast<unsigned char>(text[0]);
  const Lead lead = lead_of(first);
  if (lead.bytes == 0) return {};
  if (lead.bytes == 1) return {first, 1, false};
  std::uint32_t code = first & (0x7fU >> lead.bytes);
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    if (i == text.size()) return {0, 0, true};
    const unsigned next = static_cast<unsigned char>(text[i]);
    if (next < (i == 1 ? lead.low : 0x80U) || next > (i == 1 ? lead.high : 0xbfU)) return {};
    code = code << 6U | (next & 0x3fU);
  }
  return {code, lead.bytes, false};
}

bool has_no_shape(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfffe || code == 0xffff;
}

std::string in_hexadecimal(std::uint32_t, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    (out += "\\x") += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

// Leaves in `text` what may still become a character.
std::string shown(std::string_view& text, std::string_view stays, Spelled spelled) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.begun) return out;
    const std::string_view bytes = text.substr(0, c.bytes == 0 ? 1 : c.bytes);
    if (c.bytes == 0 || (has_no_shape(c.code) && stays.find(bytes) == std::string_view::npos))
      out += spelled(c.code, bytes);
    else
      out += bytes;
    text.remove_prefix(bytes.size());
  }
  return out;
}

// The bytes that remain are no character.
std::string wholly_shown(std::string_view text, std::string_view stays, Spelled spelled) {
  std::string out = shown(text, stays, spelled);
  for (; !text.empty(); text.remove_prefix(1)) out += spelled(0, text.substr(0, 1));
  return out;
}

}  // namespace

std::string visible_text(std::string_view text) { return wholly_shown(text, {}, in_hexadecimal); }
std::string visible_multiline(std::string_view text) { return wholly_shown(text, "\n\t", in_hexadecimal); }
std::string with_shapes(std::string_view text, Spelled spelled) { return wholly_shown(text, {}, spelled); }

std::string VisibleStream::show(std::string_view text) {
  const std::string all = begun_ + std::string(text);
  std::string_view rest = all;
  std::string out = shown(rest, "\n\t", in_hexadecimal);
  begun_ = rest;
  return out;
}

}  // namespace byoc
