#include "sdk/model/import/onnx/operators/packed_codes.hpp"

#include "sdk/model/ir/packed_elements.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

Value bytes_of(Composition& c, const std::vector<std::int64_t>& numbers) {
  return c.cast(c.integers(numbers), DType::u8);
}

}  // namespace

Value unpacked_codes(Composition& c, Value bytes, unsigned bits, CodeOrder order) {
  if (bits == 8) return bytes;
  std::vector<std::int64_t> shifts;
  for (unsigned at = 0; at < 8; at += bits) shifts.push_back(order == CodeOrder::low_bits_first ? at : 8 - bits - at);
  const Value apart = c.op("BitShift", {c.op("Unsqueeze", {bytes, c.integers({-1})}), bytes_of(c, shifts)},
                           {{"direction", std::string("RIGHT")}});
  const Value codes = c.op("BitwiseAnd", {apart, bytes_of(c, {(std::int64_t{1} << bits) - 1})});
  const Value outer = c.op("Shape", {bytes}, {{"end", std::int64_t{-1}}});
  return c.op("Reshape", {codes, c.join({outer, c.integers({-1})})});
}

Value retyped_codes(Normaliser& e, Value bytes, unsigned bits, std::vector<ir::Dim> dims) {
  std::size_t count = 1;
  for (const ir::Dim d : dims) count *= static_cast<std::size_t>(d);
  const DType dtype = bits == 2 ? DType::u2 : bits == 4 ? DType::u4 : DType::u8;
  const auto codes = ir::unpack(e.graph.values[bytes].constant->bytes.bytes(), bits, count);
  return e.graph.add_constant({}, {dtype, std::move(dims), std::nullopt}, Blob::own(ir::pack(codes, bits)));
}

}  // namespace byoc::onnx_import
