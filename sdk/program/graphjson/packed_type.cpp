#include "sdk/program/graphjson/packed_type.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace byoc {
namespace {

struct Family {
  std::string_view name;
  std::uint8_t code;
};

// Ordered so that a name comes before any shorter name that it contains.
constexpr std::array<Family, 5> kFamilies{{{"uint", BYOC_DL_UINT},
                                           {"int", BYOC_DL_INT},
                                           {"bfloat", BYOC_DL_BFLOAT},
                                           {"float", BYOC_DL_FLOAT},
                                           {"handle", BYOC_PACKED_HANDLE}}};

template <class T>
bool read_number(std::string_view& text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || out == 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<byoc_dl_data_type_t> read_packed_type(std::string_view text) {
  if (text == "bool") return byoc_dl_data_type_t{BYOC_DL_UINT, 1, 1};
  for (const Family& f : kFamilies) {
    if (!text.starts_with(f.name)) continue;
    text.remove_prefix(f.name.size());
    byoc_dl_data_type_t out{f.code, static_cast<std::uint8_t>(f.code == BYOC_PACKED_HANDLE ? 64 : 32), 1};
    if (!text.empty() && text[0] != 'x' && !read_number(text, out.bits)) return std::nullopt;
    if (!text.empty() && text[0] == 'x') {
      text.remove_prefix(1);
      if (!read_number(text, out.lanes)) return std::nullopt;
    }
    return text.empty() ? std::optional(out) : std::nullopt;
  }
  return std::nullopt;
}

std::string to_string(const byoc_dl_data_type_t& t) {
  if (t.code == BYOC_DL_UINT && t.bits == 1 && t.lanes == 1) return "bool";
  std::string out = "unknown";
  for (const Family& f : kFamilies)
    if (f.code == t.code) out = f.name;
  if (t.code != BYOC_PACKED_HANDLE) out += std::to_string(t.bits);
  return t.lanes == 1 ? out : out + "x" + std::to_string(t.lanes);
}

std::optional<byoc_dl_data_type_t> packed_type(DType t) {
  const auto bits = static_cast<std::uint8_t>(bit_width(t));
  switch (element_row(t).kind) {
    case ElementKind::none:
    case ElementKind::text: return std::nullopt;
    case ElementKind::truth: return byoc_dl_data_type_t{BYOC_DL_UINT, 1, 1};
    case ElementKind::natural: return byoc_dl_data_type_t{BYOC_DL_UINT, bits, 1};
    case ElementKind::whole: return byoc_dl_data_type_t{BYOC_DL_INT, bits, 1};
    case ElementKind::real: break;
  }
  if (t == DType::bf16) return byoc_dl_data_type_t{BYOC_DL_BFLOAT, bits, 1};
  return bits < 16 ? std::nullopt : std::optional(byoc_dl_data_type_t{BYOC_DL_FLOAT, bits, 1});
}

std::optional<DType> element_type(const byoc_dl_data_type_t& type) {
  for (std::uint32_t d = 1; d < kElementTypeCount; ++d)
    if (const auto own = packed_type(static_cast<DType>(d)); own && same(*own, type)) return static_cast<DType>(d);
  return std::nullopt;
}

bool same(const byoc_dl_data_type_t& a, const byoc_dl_data_type_t& b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::uint64_t element_bytes(const byoc_dl_data_type_t& t) { return (std::uint64_t{t.bits} * t.lanes + 7) / 8; }

std::optional<std::uint64_t> tensor_bytes(const byoc_dl_data_type_t& type, std::span<const std::int64_t> shape) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  bool empty = false;
  for (const std::int64_t d : shape) {
    if (d < 0) return std::nullopt;
    empty = empty || d == 0;
  }
  if (empty) return 0;
  std::uint64_t bytes = element_bytes(type);
  for (const std::int64_t d : shape) {
    if (bytes > kMost / static_cast<std::uint64_t>(d)) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(d);
  }
  return bytes;
}

std::string shape_text(const byoc_dl_data_type_t& type, std::span<const std::int64_t> shape) {
  std::string out = to_string(type) + "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

}  // namespace byoc
