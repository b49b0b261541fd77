#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

constexpr std::int64_t kDetectionsPerClass = 100;  // upstream's where the options do not say

// Upstream computes in float32: quantised operands are dequantised first.
Result<ir::ValueId> as_float(OperatorImport& op, ir::ValueId v) {
  if (!op.expect_dtype(v, {DType::f32, DType::u8, DType::i8})) return failure;
  if (op.type(v).dtype == DType::f32) return v;
  if (!op.type(v).quantisation) return op.refuse(op.describe(v) + " has no quantisation");
  if (!op.expect_quantised(v, {op.type(v).dtype})) return failure;
  const ir::ValueId real = op.add_tensor(DType::f32, op.dims(v));
  op.byoc_node("Dequantize", {v}, {real});
  return real;
}

Result<void> keep_scales(OperatorImport& op, ir::Node& node) {
  for (const char* name : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
    const auto scale = op.real_option(name);
    if (!scale) return failure;
    if (*scale == 0)
      return op.refuse("option '" + std::string(name) + "' is out of range", "0", "a number that divides");
    node.attributes[name] = *scale;
  }
  return {};
}

}  // namespace

// encodings [1, boxes, 4 or more], scores [1, boxes, classes, or one more for the background], anchors [boxes, 4] ->
// boxes [1, most, 4], classes [1, most], scores [1, most], how many there are [1]
Result<void> import_detection_post_process(OperatorImport& op) {
  constexpr std::int64_t kMost = 1 << 20;
  for (std::size_t i = 0; i < 3; ++i)
    if (!op.expect_rank(op.input(i), i == 2 ? 2 : 3)) return failure;
  const auto detections = op.option("max_detections", 1, kMost);
  const auto classes = op.option("num_classes", 1, kMost);
  const auto each = op.option("max_classes_per_detection", 1, kMost / (detections ? *detections : 1));
  const auto least = op.real_option("nms_score_threshold"), overlap = op.real_option("nms_iou_threshold");
  if (!detections || !classes || !each || !least || !overlap) return failure;
  if (!(*overlap > 0 && *overlap <= 1))
    return op.refuse("option 'nms_iou_threshold' is out of range", std::to_string(*overlap), "above 0, at most 1");
  const std::vector<ir::Dim> encodings = op.dims(op.input(0));
  const ir::Dim boxes = encodings[1], columns = op.dims(op.input(1))[2];
  if (encodings[2] < 4) return op.refuse("the boxes have too few numbers", std::to_string(encodings[2]), "4 or more");
  if (columns != *classes && columns != *classes + 1)
    return op.refuse("the scores do not fit the classes", std::to_string(columns),
                     std::to_string(*classes) + ", or one more for the background");
  const ir::Dim most = *detections * *each;
  if (!op.expect_dims(op.input(0), {1, boxes, encodings[2]}) || !op.expect_dims(op.input(1), {1, boxes, columns}) ||
      !op.expect_dims(op.input(2), {boxes, 4}) || !op.give_dims(op.output(0), {1, most, 4}) ||
      !op.give_dims(op.output(1), {1, most}) || !op.give_dims(op.output(2), {1, most}) ||
      !op.give_dims(op.output(3), {1}))
    return failure;
  std::vector<ir::ValueId> inputs, outputs;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto real = as_float(op, op.input(i));
    if (!real) return failure;
    inputs.push_back(*real);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (!op.expect_dtype(op.output(i), {DType::f32})) return failure;
    outputs.push_back(op.output(i));
  }
  ir::Node& node = op.byoc_node("DetectionPostProcess", inputs, outputs);
  node.attributes["max_detections"] = *detections;
  node.attributes["max_classes_per_detection"] = *each;
  node.attributes["num_classes"] = *classes;
  node.attributes["nms_score_threshold"] = *least;
  node.attributes["nms_iou_threshold"] = *overlap;
  node.attributes["use_regular_nms"] = std::int64_t{0};
  node.attributes["detections_per_class"] = kDetectionsPerClass;
  if (op.has_option("use_regular_nms") && !op.keep_option(node, "use_regular_nms", 0, 1)) return failure;
  if (op.has_option("detections_per_class") && !op.keep_option(node, "detections_per_class", 1, INT32_MAX))
    return failure;
  return keep_scales(op, node);
}

}  // namespace byoc::tflite
