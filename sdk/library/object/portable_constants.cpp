#include "sdk/library/object/portable_constants.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "byoc/c_text.hpp"
#include "sdk/library/object/blob_stream.hpp"

namespace byoc {
namespace {

constexpr std::size_t kLine = 110;  // columns after which a line of numbers ends

std::size_t size_of(DType element) { return std::max(bit_width(element), 8u) / 8; }

std::size_t count_of(const ConstantArtifact& c) { return c.bytes.size() / size_of(c.element); }

bool is_float(DType element) { return c_type(element) == "float"; }
bool is_double(DType element) { return c_type(element) == "double"; }

// The bits of an element, whose first byte is the lowest.
std::uint64_t bits_of(std::span<const std::byte> element) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < element.size(); ++i)
    out |= std::uint64_t{std::to_integer<std::uint8_t>(element[i])} << (8 * i);
  return out;
}

std::string real_text(double value, const std::string& finite) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return finite;
}

std::string double_text(double value) {
  std::array<char, 64> text{};
  std::string out(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

// The least number of a type has no literal of its own: "-128" is one that is negated.
std::string whole_text(std::int64_t value, std::size_t bytes) {
  const char* const suffix = bytes == 8 ? "LL" : "";
  const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - 8 * bytes);
  if (value != least || bytes < 4) return std::to_string(value) + suffix;
  return "(" + std::to_string(value + 1) + suffix + " - 1)";
}

std::string element_text(std::uint64_t bits, DType element) {
  const std::size_t bytes = size_of(element);
  const std::string_view type = c_type(element);
  if (is_float(element)) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return real_text(value, std::isfinite(value) ? c_float(value) : "");
  }
  if (is_double(element)) {
    const double value = std::bit_cast<double>(bits);
    return real_text(value, double_text(value));
  }
  if (type.starts_with('u')) return std::to_string(bits) + (bytes == 8 ? "ULL" : bytes == 4 ? "U" : "");
  const unsigned unused = static_cast<unsigned>(64 - 8 * bytes);
  return whole_text(static_cast<std::int64_t>(bits << unused) >> unused, bytes);
}

Result<void> put_elements(std::string& out, const ConstantArtifact& c, Diagnostics& diags) {
  const std::size_t bytes = size_of(c.element);
  std::size_t column = 0;
  // Pieces are of whole elements, for their size is a power of two.
  const bool read = read_pieces(c.bytes, [&](std::span<const std::byte> piece) {
    for (; piece.size() >= bytes; piece = piece.subspan(bytes)) {
      const std::string text = element_text(bits_of(piece.first(bytes)), c.element) + ",";
      if (column > 0 && column + text.size() > kLine) {
        out += '\n';
        column = 0;
      }
      out += text;
      column += text.size();
    }
    return true;
  });
  return read ? Result<void>() : diags.error({}, c.symbol, "the constant cannot be read");
}

// The properties of a compiler and its machine that the sources rely on.
std::string checks(std::span<const ConstantArtifact> constants) {
  std::uint64_t largest = 0;
  bool floats = false, doubles = false;
  for (const ConstantArtifact& c : constants) {
    largest = std::max<std::uint64_t>(largest, c.bytes.size());
    floats = floats || is_float(c.element);
    doubles = doubles || is_double(c.element);
  }
  const auto check = [](const std::string& condition, const std::string& message) {
    return "#if " + condition + "\n#error \"" + message + "\"\n#endif\n";
  };
  std::string out = "/* SPDX-License-Identifier: Apache-2.0 */\n#include <limits.h>\n#include <stdint.h>\n";
  if (floats || doubles) out += "#include <float.h>\n#include <math.h>\n";
  out += "\n" + check("CHAR_BIT != 8", "these sources are for bytes of 8 bits") +
         check("SIZE_MAX < " + std::to_string(largest), "a constant is larger than this machine's address space") +
         "/* Sums are scaled by right shifts, which have to keep the sign. */\n"
         "typedef char byoc_shifts_keep_the_sign[(-1 >> 1) == -1 ? 1 : -1];\n";
  if (floats) out += check("FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128", "these sources are for floats of 32 bits");
  if (doubles) out += check("DBL_MANT_DIG != 53", "these sources are for doubles of 64 bits");
  return out + "\n";
}

std::string includes(const std::string& header) { return "#include \"" + header + "\"\n"; }

}  // namespace

Result<std::string> portable_constants(std::span<const ConstantArtifact> constants, const std::string& header,
                                       Diagnostics& diags) {
  std::string out = checks(constants) + includes(header);
  for (const ConstantArtifact& c : constants) {
    out += "\nconst " + std::string(c_type(c.element)) + " " + c.symbol + "[" +
           std::to_string(std::max<std::size_t>(count_of(c), 1)) + "] = {\n";
    if (count_of(c) == 0) out += "0";
    if (!put_elements(out, c, diags)) return failure;
    out += "};\n";
  }
  return out;
}

Result<IncludedConstants> included_constants(std::span<const ConstantArtifact> constants, const std::string& header,
                                             const std::string& file, Diagnostics& diags) {
  IncludedConstants out{checks(constants), {}};
  if (std::any_of(constants.begin(), constants.end(), [](const auto& c) { return size_of(c.element) > 1; }))
    out.source +=
        "#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
        "#error \"" +
        file + " is for machines whose lowest byte is the first: export with --constants-as c\"\n#endif\n";
  out.source += includes(header) + "\n__asm__(\n  \".section .rodata,\\\"a\\\"\\n\"\n";
  const auto line = [&](const std::string& text) { out.source += "  \"" + text + "\\n\"\n"; };
  for (const ConstantArtifact& c : constants) {
    const std::size_t align = std::max<std::size_t>(c.align, size_of(c.element)), at = out.content.size();
    line(".balign " + std::to_string(align));
    line(".globl " + c.symbol);
    line(".type " + c.symbol + ", %object");
    line(".size " + c.symbol + ", " + std::to_string(c.bytes.size()));
    line(c.symbol + ":");
    line(".incbin \\\"" + file + "\\\", " + std::to_string(at) + ", " + std::to_string(c.bytes.size()));
    const bool read = read_pieces(c.bytes, [&](std::span<const std::byte> piece) {
      out.content.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      return true;
    });
    if (!read) return diags.error({}, c.symbol, "the constant cannot be read");
  }
  out.source += "  \".text\\n\");\n";
  return out;
}

}  // namespace byoc
