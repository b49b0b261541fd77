// Operators whose result has an element type of its own: Cast, the quantising ones.
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// Element types of quantised tensors; DequantizeLinear takes i32 as well.
constexpr std::initializer_list<DType> kQuantised = {
    DType::i8, DType::u8,       DType::i16,        DType::u16,    DType::i4,         DType::u4,    DType::i2,
    DType::u2, DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f4e2m1};

// A scale of one element is per tensor; more are one for each index of `axis`, or, with a block_size, of each block.
Result<void> check_scale(const Inference& call) {
  const std::int64_t block = call.node.integer("block_size", 0);
  if (block < 0) return call.error("block_size is out of range", std::to_string(block), "0 or more");
  if (!call.one_of(1, {DType::f32, DType::f16, DType::bf16}) || !call.want_rank(1, 0, block == 0 ? 1 : kAny))
    return failure;
  if (call.find(2) != nullptr) {
    // A scalar and a vector of one element are the same.
    const auto known = [](const Dims& d) { return d == Dims{1} ? Dims{} : d; };
    const Dims scales = known(call.dims(1)), zeros = known(call.dims(2));
    bool same = scales.size() == zeros.size();
    for (std::size_t d = 0; same && d < scales.size(); ++d)
      same = !is_known(scales[d]) || !is_known(zeros[d]) || scales[d] == zeros[d];
    if (!same) return call.error("scale and zero point must have one shape", call.text(2), call.text(1));
  }
  if (block == 0 && (call.rank(1) == 0 || call.dims(1)[0] == 1)) return {};
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 1), call.rank(0));
  if (!axis) return failure;
  const ir::Dim length = call.dims(0)[*axis];
  if (block == 0) {
    if (is_known(length) && is_known(call.dims(1)[0]) && length != call.dims(1)[0])
      return call.error("the scale must have one element for each index of its axis", call.text(1),
                        std::to_string(length));
    return {};
  }
  Dims wanted = call.dims(0);
  if (is_known(length)) wanted[*axis] = length / block + (length % block != 0 ? 1 : 0);
  bool fits = call.rank(1) == wanted.size();
  for (std::size_t d = 0; fits && d < wanted.size(); ++d)
    fits = !is_known(wanted[d]) || !is_known(call.dims(1)[d]) || wanted[d] == call.dims(1)[d];
  if (!fits) return call.error("the scale must have one element for each block", call.text(1), call.text(wanted));
  return {};
}

}  // namespace

Result<void> cast(const Inference& call) {
  const DType to = ir::onnx_type(call.node.integer("to", 0));
  if (to == DType::undefined)
    return call.error("attribute to is not an element type that is supported",
                      ir::onnx_type_name(call.node.integer("to", 0)));
  return call.set(0, to, call.dims(0));
}

// Reinterprets the bits as a type of equal width. bool is excluded, because it is only 0 or 1.
Result<void> bit_cast(const Inference& call) {
  const std::int64_t number = call.node.integer("to", 0);
  const DType to = ir::onnx_type(number), from = call.in(0).dtype;
  if (to == DType::undefined || to == DType::boolean)
    return call.error("attribute to is not an element type that is supported", ir::onnx_type_name(number));
  if (bit_width(to) != bit_width(from))
    return call.error("the element types have different widths", ir::onnx_type_name(number), call.text(0));
  return call.set(0, to, call.dims(0));
}

Result<void> cast_like(const Inference& call) { return call.set(0, call.in(1).dtype, call.dims(0)); }

Result<void> quantize_linear(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f16, DType::bf16, DType::i32}) || !check_scale(call)) return failure;
  if (call.find(2) != nullptr && !call.one_of(2, kQuantised)) return failure;
  return call.set(0, call.find(2) != nullptr ? call.in(2).dtype : DType::u8, call.dims(0));
}

Result<void> dequantize_linear(const Inference& call) {
  if ((call.in(0).dtype != DType::i32 && !call.one_of(0, kQuantised)) || !check_scale(call)) return failure;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  return call.set(0, call.in(1).dtype, call.dims(0));
}

Result<void> dynamic_quantize_linear(const Inference& call) {
  if (!call.one_of(0, {DType::f32})) return failure;
  if (!call.set(1, DType::f32, {}) || !call.set(2, DType::u8, {})) return failure;
  return call.set(0, DType::u8, call.dims(0));
}

Result<void> dynamic_quantize(const Inference& call) {
  if (!call.one_of(0, {DType::f32})) return failure;
  const Dims dims = call.dims(0);
  const std::int64_t axis = call.node.integer("axis", 1);
  if (axis < 0 || axis > static_cast<std::int64_t>(dims.size()))
    return call.error("attribute axis is out of range", std::to_string(axis), "0 to " + std::to_string(dims.size()));
  const Dims outer(dims.begin(), dims.begin() + axis);
  if (!call.set(1, DType::f32, outer) || !call.set(2, DType::i8, outer)) return failure;
  return call.set(0, DType::i8, dims);
}

Result<void> byoc_quantize(const Inference& call) {
  const ir::TensorType* stated = call.stated(0);
  if (stated == nullptr || !stated->quantisation || stated->dtype == DType::undefined)
    return call.error("the output must be stated with its element type and quantisation");
  if (!call.in(0).quantisation && !call.one_of(0, {DType::f32})) return failure;
  return call.set(0, stated->dtype, call.dims(0));
}

Result<void> byoc_dequantize(const Inference& call) {
  if (!call.in(0).quantisation) return call.error("input 0 is not quantised", call.text(0));
  return call.set(0, DType::f32, call.dims(0));
}

}  // namespace byoc::shapes
