#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Upsample is the Resize of opset 10; before opset 9 its scales are an attribute.
Result<void> normalise_upsample(Normaliser& e, ir::Node node) {
  if (const auto* scales = node.find<std::vector<float>>("scales")) {
    node.inputs.push_back(e.reals(*scales));
    node.attributes.erase("scales");
  }
  node.op = "Resize";
  node.version = 10;
  return normalise_resize(e, std::move(node));
}

// Opset 10 has no roi, and positions that ONNX Runtime's form of it defines: asymmetric, and the nearest element below
// where the axis grows, above where it shrinks. The roi is about one transformation alone.
Result<void> normalise_resize(Normaliser& e, ir::Node node) {
  if (node.version < 11) {
    node.inputs.insert(node.inputs.begin() + 1, ir::kNoValue);
    node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
    node.attributes["nearest_mode"] = std::string("simple");
  } else if (node.inputs.size() > 1 && node.text("coordinate_transformation_mode", "") != "tf_crop_and_resize") {
    node.inputs[1] = ir::kNoValue;
  }
  if (node.text("mode", "") == "bilinear") node.attributes["mode"] = std::string("linear");
  e.emit(std::move(node));
  return {};
}

// Opset 20 says linear and cubic for what opset 16 calls bilinear and bicubic.
Result<void> normalise_grid_sample(Normaliser& e, ir::Node node) {
  const std::string mode = node.text("mode", "linear");
  if (mode == "bilinear") node.attributes["mode"] = std::string("linear");
  if (mode == "bicubic") node.attributes["mode"] = std::string("cubic");
  e.emit(std::move(node));
  return {};
}

// Before opset 16 a box is not moved by half an element.
Result<void> normalise_roi_align(Normaliser& e, ir::Node node) {
  if (node.version < 16) node.attributes["coordinate_transformation_mode"] = std::string("output_half_pixel");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
