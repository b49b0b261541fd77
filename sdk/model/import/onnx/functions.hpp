// Functions of a model: their bodies in the place of their calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace onnx {
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace byoc::onnx_import {

using Opsets = std::map<std::string, std::int64_t>;  // domain -> version; "ai.onnx" is ""

// A node that came from a function follows the operator sets of that function. Its doc_string, which the reduced model
// leaves empty, is the decimal index into the list.
class FunctionOpsets {
 public:
  // The opsets of the node; null: the model's own.
  [[nodiscard]] const Opsets* find(const ::onnx::NodeProto& node) const;
  // Marks the node.
  void set(::onnx::NodeProto& node, std::size_t index) const;
  std::vector<Opsets> all;
};

// Replaces every call of a function of the model, in sub-graphs and in functions too, and takes the functions out of
// the model. Names of the body are made unique, attribute references are resolved. Errors: a function that calls
// itself (with the path), calls that do not fit the function's signature, two functions of one name, calls and
// bodies that are nested too deeply, and functions that grow beyond all measure.
Result<void> inline_functions(::onnx::ModelProto& model, const std::string& file, FunctionOpsets& opsets, Diagnostics&);

}  // namespace byoc::onnx_import
