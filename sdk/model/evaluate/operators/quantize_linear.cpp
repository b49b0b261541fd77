// QuantizeLinear and DequantizeLinear, as ONNX defines them: scale and zero point as operands, of all elements, of each
// index of an axis, or of blocks along it.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {
namespace {

struct Parameters {
  std::vector<Affine> all;
  std::vector<float> zeros;     // of small floats, which are real numbers
  std::vector<std::size_t> of;  // element of the tensor -> its parameters
};

// The index of each element's parameters, for a tensor of shape `dims`.
Result<std::vector<std::size_t>> indexes(const Call& call, const Dims& dims) {
  const Dims& scale = *call.in(1).type.dims;
  const std::int64_t block = call.node.integer("block_size", 0);
  const std::optional<std::int64_t> count = product(dims);
  std::vector<std::size_t> out(static_cast<std::size_t>(count.value_or(0)), 0);
  if (block < 0) return call.error("block_size is out of range", std::to_string(block), "0 or more");
  if (block == 0 && scale.size() > 1) return call.error("the scale must be a scalar or a vector", describe(call.in(1)));
  if (block == 0 && (scale.empty() || scale[0] == 1)) return out;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 1), dims.size());
  if (!axis) return failure;
  const std::int64_t length = dims[*axis];
  const std::int64_t blocks = block == 0 ? length : length / block + (length % block != 0 ? 1 : 0);
  Dims wanted{length};
  if (block != 0) {
    wanted = dims;
    wanted[*axis] = blocks;
  }
  if (scale != wanted)
    return call.error(block == 0 ? "the scale must have one element for each index of its axis"
                                 : "the scale must have one element for each block",
                      describe(call.in(1)), describe(wanted));
  std::int64_t inner = 1;
  for (std::size_t d = *axis + 1; d < dims.size(); ++d) inner *= dims[d];
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(out.size()); ++i) {
    const std::int64_t outer = i / inner / length, at = i / inner % length;
    out[static_cast<std::size_t>(i)] =
        static_cast<std::size_t>(block == 0 ? at : (outer * blocks + at / block) * inner + i % inner);
  }
  return out;
}

Result<Parameters> read_parameters(const Call& call, const Dims& dims, DType quantised, bool divides) {
  const DType real = call.in(1).type.dtype;
  if (real != DType::f32 && real != DType::f16 && real != DType::bf16)
    return call.unsupported_dtype(1, "f32, f16 or bf16");
  const bool is_real = small_float(quantised) != nullptr;
  if (!is_real && !is_small(quantised) &&
      (!is_integer(quantised) || bit_width(quantised) > 32 || quantised == DType::u32))
    return call.error("a quantised tensor cannot have this element type", std::string(to_string(quantised)),
                      "integers of at most 16 bits, i32, or floats of at most 8");
  const std::vector<float> scales = reals<float>(call.in(1));
  std::vector<float> real_zeros(scales.size(), 0);
  std::vector<std::int64_t> zeros(scales.size(), 0);
  if (call.find(2) != nullptr) {
    if (call.in(2).type.dtype != quantised) return call.unsupported_dtype(2, std::string(to_string(quantised)));
    if (is_real)
      real_zeros = reals<float>(call.in(2));
    else
      zeros = whole_numbers(call.in(2));
    if ((is_real ? real_zeros.size() : zeros.size()) != scales.size())
      return call.error("scale and zero point must have one shape", describe(call.in(2)), describe(call.in(1)));
  }
  Result<std::vector<std::size_t>> of = indexes(call, dims);
  if (!of) return failure;
  Parameters out{{}, {}, std::move(*of)};
  for (std::size_t i = 0; i < scales.size(); ++i) {
    // A negative scale turns the order round; a block of zeros has the scale 0, by which nothing is divided.
    if (!std::isfinite(scales[i]) || (divides && scales[i] == 0))
      return call.error("a scale is out of range", std::to_string(scales[i]),
                        divides ? "a finite number other than 0" : "a finite number");
    const IntegerRange range = is_real ? IntegerRange{0, 0} : integer_range(quantised);
    out.all.push_back({scales[i], zeros[i], range});
  }
  out.zeros = std::move(real_zeros);
  return out;
}

// Both operands of the division, and its result, in the type that `precision` names; float32 without one.
float quotient(float x, float scale, DType precision) {
  const auto rounded = [&](float v) {
    if (precision == DType::f16) return static_cast<float>(widen(to_float16(static_cast<double>(v))));
    if (precision == DType::bf16) return static_cast<float>(widen(to_bfloat16(static_cast<double>(v))));
    return v;
  };
  return rounded(rounded(x) / rounded(scale));
}

}  // namespace

Outcome quantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const DType from = x.type.dtype;
  if (from != DType::f32 && from != DType::f16 && from != DType::bf16 && from != DType::i32)
    return call.unsupported_dtype(0, "f32, f16, bf16 or i32");
  const DType dtype = call.find(2) != nullptr ? call.in(2).type.dtype : DType::u8;
  const Result<Parameters> q = read_parameters(call, dims, dtype, true);
  if (!q) return failure;
  const DType precision = ir::onnx_type(call.node.integer("precision", 0));
  const std::vector<float> values = reals<float>(x);
  if (const SmallFloat* format = small_float(dtype)) {
    const SmallRounding rounding{call.node.integer("saturate", 1) != 0};
    std::vector<unsigned> y;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t k = q->of[i];
      const float v = quotient(values[i], q->all[k].scale, precision) + q->zeros[k];
      y.push_back(encode_small(*format, static_cast<double>(v), rounding));
    }
    Result<Buffer> out = call.allocate(dtype, dims);
    if (!out) return failure;
    out->bytes = packed(dtype, y);
    return single(std::move(*out));
  }
  std::vector<std::int64_t> y;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Affine to = q->all[q->of[i]];
    const float v = quotient(values[i], to.scale, precision);
    to.scale = 1;
    y.push_back(quantise(v, to, Requant::onnx));
  }
  return single(from_integers(call, dtype, dims, y));
}

Outcome dequantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const Result<Parameters> q = read_parameters(call, dims, x.type.dtype, false);
  if (!q) return failure;
  std::vector<float> y;
  if (small_float(x.type.dtype) != nullptr) {
    const std::vector<float> values = reals<float>(x);
    for (std::size_t i = 0; i < values.size(); ++i)
      y.push_back((values[i] - q->zeros[q->of[i]]) * q->all[q->of[i]].scale);
  } else {
    const std::vector<std::int64_t> values = whole_numbers(x);
    for (std::size_t i = 0; i < values.size(); ++i) y.push_back(dequantise(values[i], q->all[q->of[i]]));
  }
  return single(call.from_reals(call.in(1).type.dtype, dims, y));
}

}  // namespace byoc::evaluate
