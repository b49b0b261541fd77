#include "sdk/run/values/output_npy.hpp"

#include "sdk/model/ir/packed_elements.hpp"

namespace byoc {
namespace {

// "<f4", "|i1"
std::string descr_of(DType t) {
  if (t == DType::bf16) return "<V2";
  const ElementRow& row = element_row(t);
  if (is_small(t)) return "|V1";
  const char* const kind = row.kind == ElementKind::truth     ? "b"
                           : row.kind == ElementKind::real    ? "f"
                           : row.kind == ElementKind::natural ? "u"
                                                              : "i";
  return (row.bits == 8 ? "|" : "<") + std::string(kind) + std::to_string(row.bits / 8);
}

}  // namespace

std::vector<std::byte> npy_file(const IoTensor& tensor, std::span<const std::byte> bytes) {
  std::string shape;
  std::size_t count = 1;
  for (const std::int64_t d : tensor.dims) {
    shape += std::to_string(d) + ",";
    count *= static_cast<std::size_t>(d);
  }
  std::string header =
      "{'descr': '" + descr_of(tensor.dtype) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data starts at a multiple of 64.
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(header.size() & 0xff);
  head += static_cast<char>(header.size() >> 8);
  head += header;
  const auto text = std::as_bytes(std::span(head));
  std::vector<std::byte> out(text.begin(), text.end());
  if (bit_width(tensor.dtype) >= 8) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  } else {
    for (const unsigned code : ir::unpack(bytes, bit_width(tensor.dtype), count))
      out.push_back(static_cast<std::byte>(code));
  }
  return out;
}

}  // namespace byoc
