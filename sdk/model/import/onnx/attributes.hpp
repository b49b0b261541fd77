// AttributeProto -> ir::Attribute, checked against what the operator may have.
#pragma once

#include <optional>

#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/import/onnx/tensor.hpp"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace byoc::onnx_import {

// The kind of an attribute of an unknown operator; nullopt if it is not a number, text or a list of them.
[[nodiscard]] std::optional<AttributeKind> plain_kind(const ::onnx::AttributeProto& a);

// Fills node.attributes. Errors: an attribute that `rule` does not have at node.version, one of another type, one
// given twice, a required one that is missing.
Result<void> read_attributes(const ::onnx::NodeProto& from, const OperatorRule& rule, TensorReader& tensors,
                             const ir::Graph& graph, ir::Node& node, Diagnostics& diags);

}  // namespace byoc::onnx_import
