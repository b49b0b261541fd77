// A region as a standard ONNX model, for plug-ins whose compiler reads that.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::plugin {

// The bytes of a ModelProto, one piece after the other. Constants are spans over the region's own, which must outlive
// it; a model of any size costs the memory of its structure.
struct OnnxModel {
  std::vector<std::span<const std::byte>> pieces;
  std::deque<std::string> own;  // what the other pieces are spans of
};

struct OnnxRefusal {
  codegen::NodeId node = codegen::kNoNode;
  std::string text;  // "no ONNX operator is the same"
};

// True if the region is quantised with the rounding of TensorFlow Lite. ONNX rounds otherwise: only plug-ins that
// accept the difference (BYOC_CAP_OTHER_ROUNDING) get such a region.
[[nodiscard]] bool rounds_as_tflite(const codegen::Region& region);

// Values are called "v<index>". Quantised values are integers between QuantizeLinear and DequantizeLinear; operators
// that only move elements stay on integers. NHWC operators stand between Transposes, their constant filters are
// rewritten; fused activations are Relu and Clip nodes. Metadata "byoc.requant" says whose rounding the region has.
[[nodiscard]] std::variant<OnnxModel, OnnxRefusal> onnx_model(const codegen::Region& region);

}  // namespace byoc::plugin
