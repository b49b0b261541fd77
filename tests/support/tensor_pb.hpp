// ONNX TensorProto files (.pb): inputs and expected outputs of the official cases.
#pragma once

#include <optional>
#include <string>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

// nullopt for a file that is no tensor, or one of a type that we do not have.
std::optional<evaluate::Tensor> read_tensor_pb(const std::string& path);
// The same of a file that holds a value of that kind: a SequenceProto, an OptionalProto, a TensorProto.
std::optional<evaluate::Tensor> read_value_pb(const std::string& path, ir::Container kind);

}  // namespace byoc::test
