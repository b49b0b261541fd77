#include <algorithm>

#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// The last two dimensions of x cut off, or filled up with zeros, to these lengths.
ir::ValueId fitted(OperatorImport& op, ir::ValueId x, const std::vector<std::int64_t>& lengths) {
  std::vector<ir::Dim> dims = op.dims(x);
  const std::size_t first = dims.size() - 2;
  std::vector<std::int64_t> pads(2 * dims.size(), 0);
  std::vector<std::int64_t> ends;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t length = lengths[i];
    ends.push_back(std::min(dims[first + i], length));
    pads[dims.size() + first + i] = length - ends.back();
    dims[first + i] = ends.back();
  }
  if (dims != op.dims(x)) {
    const ir::ValueId cut = op.add_tensor(x, dims);
    op.node("Slice", {x, op.add_integers({0, 0}), op.add_integers(ends), op.add_integers({-2, -1})}, {cut});
    x = cut;
  }
  if (std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p == 0; })) return x;
  std::copy(lengths.begin(), lengths.end(), dims.end() - 2);
  const ir::ValueId filled = op.add_tensor(x, dims);
  op.node("Pad", {x, op.add_integers(pads)}, {filled});
  return filled;
}

// Part 0 or 1 of each complex number.
Result<void> import_part(OperatorImport& op, std::int64_t part) {
  const ir::ValueId x = op.input(0), y = op.output();
  std::vector<ir::Dim> dims = op.dims(x);
  dims.pop_back();
  if (!op.expect_dtype(y, {DType::f32}) || !op.expect_dims(y, dims)) return failure;
  dims.push_back(1);
  const ir::ValueId one = op.add_tensor(x, dims);
  op.node("Slice", {x, op.add_integers({part}), op.add_integers({part + 1}), op.add_integers({-1})}, {one});
  op.reshape(one, y);
  return {};
}

}  // namespace

// x [..., H, W], lengths [2] -> the transform of x cut or filled to them, [..., lengths[0], lengths[1] / 2 + 1] complex
// numbers: along the last dimension one half of the transform, for x is real, then along the one before.
Result<void> import_rfft2d(OperatorImport& op) {
  if (!op.optional_options<schema::Rfft2dOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::f32})) return failure;
  if (op.rank(x) < 2) return op.refuse("there is no image", std::to_string(op.rank(x)) + " dimensions", "2 or more");
  auto lengths = op.integers(op.input(1), "the lengths of the transform");
  if (!lengths) return failure;
  constexpr std::int64_t kLongest = 1 << 24;
  if (lengths->size() != 2) return op.refuse("wrong number of lengths", std::to_string(lengths->size()), "2");
  for (const std::int64_t n : *lengths)
    if (n < 1 || n > kLongest || (n & (n - 1)) != 0)
      return op.refuse("length out of range", std::to_string(n), "a power of two up to " + std::to_string(kLongest));
  std::vector<ir::Dim> dims = op.dims(x);
  std::copy(lengths->begin(), lengths->end(), dims.end() - 2);
  std::vector<ir::Dim> half = dims, real = dims;
  half.back() = dims.back() / 2 + 1;
  half.push_back(2);
  real.push_back(1);
  if (!op.expect_dims(y, half)) return failure;
  const ir::ValueId in = op.add_tensor(x, real);
  op.reshape(fitted(op, x, *lengths), in);
  const bool flat = (*lengths)[0] == 1;
  const ir::ValueId rows = flat ? y : op.add_tensor(x, half);
  op.node("DFT", {in, ir::kNoValue, op.add_integers({-2})}, {rows}).attributes["onesided"] = std::int64_t{1};
  if (!flat) op.node("DFT", {rows, ir::kNoValue, op.add_integers({-3})}, {y});
  return {};
}

Result<void> import_real(OperatorImport& op) { return import_part(op, 0); }

Result<void> import_imag(OperatorImport& op) { return import_part(op, 1); }

// The length of each complex number.
Result<void> import_complex_abs(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  std::vector<ir::Dim> dims = op.dims(x);
  dims.pop_back();
  if (!op.expect_dtype(y, {DType::f32}) || !op.expect_dims(y, dims)) return failure;
  op.node("ReduceL2", {x, op.add_integers({-1})}).attributes["keepdims"] = std::int64_t{0};
  return {};
}

}  // namespace byoc::tflite
