// ONNX models as protobuf's text format: what onnx.save() writes as .textproto, and what people write by hand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::onnx_import {

// Decides by the suffix (.textproto, .txtpb, .pbtxt, .prototxt, .onnxtxt, .onnxtext), or by the first word.
[[nodiscard]] bool is_model_text(std::string_view bytes, const std::string& path);

// The ModelProto's bytes. Errors have the line and column: no text of a ModelProto, a field that none of ONNX 1.23 has,
// ONNX's own syntax (onnx.parser), which is another one.
[[nodiscard]] Result<std::vector<std::byte>> read_model_text(std::string_view text, const std::string& path,
                                                             Diagnostics&);

}  // namespace byoc::onnx_import
