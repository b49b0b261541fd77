// Messages of onnx.proto that hold values. Internal to this folder.
#pragma once

#include <onnx/onnx_pb.h>

// Included after the header that defines ONNX_API for it.
#include <onnx/onnx-data.pb.h>

#include "sdk/run/values/input.hpp"

namespace byoc {

// The bytes of a tensor of numbers that is in memory; `path` is for diagnostics. Errors as read_input().
[[nodiscard]] Result<Blob> tensor_proto_data(const onnx::TensorProto& tensor, const std::string& path,
                                             const IoTensor& input, Diagnostics&);

}  // namespace byoc
