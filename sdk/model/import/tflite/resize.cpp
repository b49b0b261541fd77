#include "sdk/model/import/tflite/resize.hpp"

#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/elementwise.hpp"

namespace byoc::tflite {
namespace {

// The kernel of uint8 interpolates in float32 and rounds halves up. A Reshape takes the scale off the integers.
ir::ValueId in_real_numbers(OperatorImport& op, ir::ValueId x) {
  const ir::ValueId integers = op.add_tensor(DType::u8, op.dims(x)), real = op.add_tensor(DType::f32, op.dims(x));
  op.reshape(x, integers);
  op.node("Cast", {integers}, {real}).attributes["to"] = onnx_number(DType::f32);
  return real;
}

void from_reals(OperatorImport& op, ir::ValueId real, ir::ValueId y) {
  const ir::ValueId moved = op.add_tensor(DType::f32, op.dims(y)), integers = op.add_tensor(DType::u8, op.dims(y));
  op.node("Add", {real, op.add_scalar(0.5F)}, {moved});
  op.node("Cast", {moved}, {integers}).attributes["to"] = onnx_number(DType::u8);
  op.reshape(integers, y);
}

}  // namespace

Result<void> import_to_resize(OperatorImport& op, const char* mode, bool align_corners, bool half_pixel_centers) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_rank(x, 4) || !op.expect_rank(y, 4) || !op.expect_dtype(op.input(1), {DType::i32})) return failure;
  const std::vector<ir::Dim> from = op.dims(x);
  if (!op.expect_dims(op.input(1), {2})) return failure;
  if (op.is_known(op.input(1))) {
    auto size = op.integers(op.input(1), "the new size");
    if (!size || !op.expect_dims(y, {from[0], (*size)[0], (*size)[1], from[3]})) return failure;
  } else {
    if (op.is_resized(y)) return op.refuse("the new size is computed");
    if (!op.expect_no_placeholder(op.input(1), y) ||
        !op.expect_dims(y, {from[0], op.dims(y)[1], op.dims(y)[2], from[3]}))
      return failure;
  }
  const std::vector<ir::Dim> to = op.dims(y);
  for (const std::size_t d : {std::size_t{1}, std::size_t{2}}) {
    if (from[d] < 1 || to[d] < 1)
      return op.refuse("height and width must be 1 or more", std::to_string(from[d]) + " to " + std::to_string(to[d]));
    // Positions are counted in 1/1024 with 32 bits, or in float32.
    if (from[d] > 1 << 20 || to[d] > 1 << 20)
      return op.refuse("height or width is too large", std::to_string(std::max(from[d], to[d])), "at most 2^20");
  }
  if (align_corners && half_pixel_centers)
    return op.refuse("align_corners and half_pixel_centers exclude each other", "both", "one of them");
  const ir::ValueId size = op.add_integers(to);
  const ir::ValueId checked = expect_at_run_time(op, x, op.input(1), {to[1], to[2]});
  const bool in_reals = op.type(x).dtype == DType::u8;
  const ir::ValueId real = in_reals ? op.add_tensor(DType::f32, to) : y;
  if (in_reals) from_reals(op, real, y);
  ir::Node& node =
      op.node("Resize", {in_reals ? in_real_numbers(op, checked) : checked, ir::kNoValue, ir::kNoValue, size}, {real});
  const bool is_nearest = std::string_view(mode) == "nearest";
  node.attributes["mode"] = std::string(mode);
  node.attributes["coordinate_transformation_mode"] = std::string(align_corners        ? "align_corners"
                                                                  : half_pixel_centers ? "half_pixel"
                                                                                       : "asymmetric");
  // Halves: TFLite takes the floor of what ONNX's half_pixel has moved down by a half, or rounds up.
  if (is_nearest)
    node.attributes["nearest_mode"] = std::string(align_corners || half_pixel_centers ? "round_prefer_ceil" : "floor");
  return {};
}

}  // namespace byoc::tflite
