// .npy: NEP 1, https://numpy.org/neps/nep-0001-npy-format.html
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "sdk/base/support/file.hpp"
#include "sdk/model/ir/packed_elements.hpp"
#include "sdk/run/values/input.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kMostHeader = 1 << 20;  // bytes

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// The header is a Python dict literal with exactly these three keys, in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header header;
    unsigned seen = 0;
    if (!accept('{')) return std::nullopt;
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !accept(':')) return std::nullopt;
      if (key == "descr" && string(header.descr))
        seen |= 1;
      else if (key == "fortran_order" && boolean(header.fortran_order))
        seen |= 2;
      else if (key == "shape" && tuple(header.shape))
        seen |= 4;
      else
        return std::nullopt;
      if (accept(',')) continue;
      if (!accept('}')) return std::nullopt;
      break;
    }
    return seen == 7 ? std::optional(header) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool string(std::string& out) {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool& out) {
    skip_space();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      out = value;
      return true;
    }
    return false;
  }
  bool tuple(std::vector<std::int64_t>& out) {
    if (!accept('(')) return false;
    while (!accept(')')) {
      skip_space();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      out.push_back(value);
      if (accept(',')) continue;
      if (!accept(')')) return false;
      break;
    }
    return true;
  }

  std::string_view text_;
};

// '|' and '<' are what a little-endian machine writes; '=' is native. Types that numpy itself does not have (those of
// the package ml_dtypes) are bytes without a type, one for each element: they are what the input is.
DType dtype_of(std::string_view descr, DType input) {
  if (is_small(input) && descr.size() == 3 && descr.substr(1) == "V1") return input;
  if (descr.size() != 3 || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) return DType::undefined;
  const std::string_view kind = descr.substr(1);
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f4", DType::f32}, {"f8", DType::f64}, {"f2", DType::f16}, {"i1", DType::i8},
      {"i2", DType::i16}, {"i4", DType::i32}, {"i8", DType::i64}, {"u1", DType::u8},
      {"u2", DType::u16}, {"u4", DType::u32}, {"u8", DType::u64}, {"b1", DType::boolean}};
  for (const auto& [name, dtype] : kTypes) {
    if (name == kind) return dtype;
  }
  return DType::undefined;
}

// Header length of versions 2 and 3 has four bytes, of version 1 two.
std::optional<std::string_view> header_text(std::string_view file) {
  if (file.size() < 10 || !file.starts_with(std::string_view("\x93NUMPY", 6))) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(file[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return std::nullopt;
  std::size_t length = byte(8) | byte(9) << 8;
  std::size_t start = 10;
  if (version > 1) {
    if (file.size() < 12) return std::nullopt;
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (file.size() - start < length) return std::nullopt;
  return file.substr(start, length);
}

std::uint64_t elements(const std::vector<std::int64_t>& shape) {
  std::uint64_t out = 1;
  for (const std::int64_t d : shape) out *= static_cast<std::uint64_t>(d);
  return out;
}

// The low bits of each byte.
std::vector<std::byte> packed(std::span<const std::byte> bytes, unsigned bits) {
  std::vector<unsigned> codes;
  for (const std::byte b : bytes) codes.push_back(std::to_integer<unsigned>(b) & ((1u << bits) - 1));
  return ir::pack(codes, bits);
}

struct HeaderRead {
  Header header;
  std::uint64_t end = 0;  // where the elements start
};

Result<HeaderRead> read_header(std::span<const std::byte> file, const std::string& path, const IoTensor& input,
                               Diagnostics& diags) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kMostHeader)));
  const auto literal = header_text(text);
  if (!literal) return diags.error(path, input.name, "is not a .npy file of version 1, 2 or 3");
  auto header = HeaderParser(*literal).parse();
  if (!header) return diags.error(path, input.name, "has a .npy header that cannot be read", std::string(*literal));
  return HeaderRead{std::move(*header), static_cast<std::uint64_t>(literal->data() + literal->size() - text.data())};
}

}  // namespace

Result<std::vector<std::int64_t>> npy_dims(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  const auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  auto read = read_header((*file)->bytes(), path, input, diags);
  if (!read) return failure;
  return std::move(read->header.shape);
}

Result<Blob> read_npy_bytes(std::span<const std::byte> file, const std::string& path, const IoTensor& input,
                            Diagnostics& diags) {
  const auto read = read_header(file, path, input, diags);
  if (!read) return failure;
  const Header* header = &read->header;
  const DType dtype = dtype_of(header->descr, input.dtype);
  if (dtype == DType::undefined)
    return diags.error(path, input.name, "element type is not the tensor's", header->descr,
                       std::string(to_string(input.dtype)));
  if (!check_input_type(path, input, dtype, header->shape, diags)) return failure;
  if (header->fortran_order &&
      std::count_if(header->shape.begin(), header->shape.end(), [](std::int64_t d) { return d > 1; }) > 1)
    return diags.error(path, input.name, "element order is not supported", "fortran order", "C order");
  const std::uint64_t start = read->end;
  const std::uint64_t wanted = bit_width(dtype) < 8 ? elements(header->shape) : input.bytes;
  if (file.size() - start != wanted)
    return diags.error(path, input.name, "has a wrong number of bytes after its header",
                       std::to_string(file.size() - start), std::to_string(wanted));
  const std::span<const std::byte> bytes = file.subspan(start);
  return Blob::own(bit_width(dtype) < 8 ? packed(bytes, bit_width(dtype))
                                        : std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Result<Blob> read_npy(const std::string& path, const IoTensor& input, Diagnostics& diags) {
  const auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  return read_npy_bytes((*file)->bytes(), path, input, diags);
}

}  // namespace byoc
