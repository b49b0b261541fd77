#include "sdk/model/evaluate/operators/letter_case.hpp"

#include <algorithm>
#include <cstdint>

namespace byoc::evaluate {
namespace {

// Capitals `first` to `last`, and their small letters: `distance` further; a distance of 1 is that of pairs, of which
// the first is a capital. Source: UnicodeData.txt, simple case mappings.
struct Letters {
  std::uint32_t first, last, distance;
};
constexpr Letters kLetters[] = {
    {0x41, 0x5a, 32},   {0xc0, 0xd6, 32},    {0xd8, 0xde, 32},    {0x100, 0x12e, 1},    {0x132, 0x136, 1},
    {0x139, 0x147, 1},  {0x14a, 0x176, 1},   {0x179, 0x17d, 1},   {0x386, 0x386, 38},   {0x388, 0x38a, 37},
    {0x38c, 0x38c, 64}, {0x38e, 0x38f, 63},  {0x391, 0x3a1, 32},  {0x3a3, 0x3ab, 32},   {0x400, 0x40f, 80},
    {0x410, 0x42f, 32}, {0x460, 0x480, 1},   {0x48a, 0x4be, 1},   {0x4c1, 0x4cd, 1},    {0x4d0, 0x52e, 1},
    {0x531, 0x556, 48}, {0x1e00, 0x1e94, 1}, {0x1ea0, 0x1efe, 1}, {0xff21, 0xff3a, 32},
};

bool is_among(std::uint32_t c, std::uint32_t first, const Letters& l) {
  return c >= first && c <= first + (l.last - l.first) && (l.distance != 1 || (c - first) % 2 == 0);
}

std::uint32_t to_lower(std::uint32_t c) {
  if (c == 0x178) return 0xff;  // y with diaeresis, the one of Latin-1 whose capital lies elsewhere
  for (const Letters& l : kLetters)
    if (is_among(c, l.first, l)) return c + l.distance;
  return c;
}

std::uint32_t to_upper(std::uint32_t c) {
  if (c == 0xff) return 0x178;
  if (c == 0x3c2) return 0x3a3;  // the sigma at the end of words
  for (const Letters& l : kLetters)
    if (is_among(c, l.first + l.distance, l)) return c - l.distance;
  return c;
}

// The length of the character that begins here and its code; length 0 where none does. Longer ones have no case.
std::size_t decode_letter(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  if (byte(0) < 0x80) {
    code = byte(0);
    return 1;
  }
  if ((byte(0) & 0xe0U) == 0xc0U && follows(1)) {
    code = (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
    return 2;
  }
  if ((byte(0) & 0xf0U) == 0xe0U && follows(1) && follows(2)) {
    code = (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
    return 3;
  }
  return 0;
}

void encode_letter(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xc0U | c >> 6);
  } else {
    out += static_cast<char>(0xe0U | c >> 12);
    out += static_cast<char>(0x80U | (c >> 6 & 0x3fU));
  }
  out += static_cast<char>(0x80U | (c & 0x3fU));
}

std::string mapped(std::string_view text, std::uint32_t (*map)(std::uint32_t)) {
  std::string out;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = decode_letter(text, code);
    const std::uint32_t other = length == 0 ? code : map(code);
    if (other == code)
      out += text.substr(0, std::max<std::size_t>(length, 1));
    else
      encode_letter(out, other);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace

std::string lower_case(std::string_view text) { return mapped(text, to_lower); }
std::string upper_case(std::string_view text) { return mapped(text, to_upper); }

}  // namespace byoc::evaluate
