// ONNX TensorProto files (.pb): inputs and expected outputs of the official cases.
#pragma once

#include <optional>
#include <string>

#include "sdk/evaluate/evaluate.hpp"

namespace byoc::test {

// nullopt for a file that is no tensor, or one of strings or another type that we do not have.
std::optional<evaluate::Tensor> read_tensor_pb(const std::string& path);

}  // namespace byoc::test
