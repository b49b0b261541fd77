#include "sdk/model/import/onnx/attributes.hpp"

#include <onnx/onnx-ml.pb.h>

#include <algorithm>

#include "sdk/model/ir/held_type.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Proto = ::onnx::AttributeProto;

Proto::AttributeType proto_type(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer: return Proto::INT;
    case AttributeKind::real: return Proto::FLOAT;
    case AttributeKind::text: return Proto::STRING;
    case AttributeKind::integers: return Proto::INTS;
    case AttributeKind::reals: return Proto::FLOATS;
    case AttributeKind::texts: return Proto::STRINGS;
    case AttributeKind::tensor: return Proto::TENSOR;
    case AttributeKind::sparse_tensor: return Proto::SPARSE_TENSOR;
    case AttributeKind::graph: return Proto::GRAPH;
    case AttributeKind::type: return Proto::TYPE_PROTO;
  }
  return Proto::UNDEFINED;
}

std::string type_name(Proto::AttributeType type) {
  const std::string& name = ::onnx::AttributeProto_AttributeType_Name(type);
  return name.empty() ? "type " + std::to_string(static_cast<int>(type)) : name;
}

// "f32" or "seq(f32)".
std::optional<std::string> type_text(const ::onnx::TypeProto& proto) {
  const bool is_sequence = proto.has_sequence_type();
  const ::onnx::TypeProto& tensor = is_sequence ? proto.sequence_type().elem_type() : proto;
  ir::TensorType type;
  type.dtype = tensor.has_tensor_type() ? ir::onnx_type(tensor.tensor_type().elem_type()) : DType::undefined;
  if (type.dtype == DType::undefined) return std::nullopt;
  if (is_sequence) type.container = ir::Container::sequence;
  return ir::held_name(type);
}

class AttributeImporter {
 public:
  AttributeImporter(const OperatorRule& rule, TensorReader& tensors, const ir::Graph& graph, ir::Node& node,
                    Diagnostics& diags)
      : rule_(rule), tensors_(tensors), graph_(graph), node_(node), diags_(diags) {}

  Result<void> read(const Proto& a) {
    const auto allowed = std::find_if(rule_.attributes.begin(), rule_.attributes.end(), [&](const AttributeRule& r) {
      return r.name == a.name() && r.since <= node_.version && node_.version <= r.until;
    });
    if (allowed == rule_.attributes.end())
      return error("attribute '" + a.name() + "' is not supported", "opset " + std::to_string(node_.version), {});
    if (a.has_ref_attr_name())
      return error("attribute '" + a.name() + "' refers to a function's attribute outside of a function");
    if (node_.attributes.contains(a.name())) return error("attribute '" + a.name() + "' is given twice");
    const Proto::AttributeType wanted = proto_type(allowed->kind);
    // Files of IR version 1 do not say the type.
    if (a.has_type() && a.type() != Proto::UNDEFINED && a.type() != wanted)
      return error("attribute '" + a.name() + "' has the wrong type", type_name(a.type()), type_name(wanted));
    return convert(a, allowed->kind);
  }

 private:
  Failure error(std::string message, std::string found = {}, std::string expected = {}) {
    return diags_.error(graph_.file, node_.describe(), std::move(message), std::move(found), std::move(expected));
  }

  Result<void> convert(const Proto& a, AttributeKind kind) {
    ir::Attribute& out = node_.attributes[a.name()];
    switch (kind) {
      case AttributeKind::integer: out = std::int64_t{a.i()}; break;
      case AttributeKind::real: out = a.f(); break;
      case AttributeKind::text: out = a.s(); break;
      case AttributeKind::integers: out = std::vector<std::int64_t>(a.ints().begin(), a.ints().end()); break;
      case AttributeKind::reals: out = std::vector<float>(a.floats().begin(), a.floats().end()); break;
      case AttributeKind::texts: out = std::vector<std::string>(a.strings().begin(), a.strings().end()); break;
      case AttributeKind::graph: out = std::shared_ptr<ir::Graph>(); break;  // read once what it captures is known
      case AttributeKind::type: {
        const auto held = type_text(a.tp());
        if (!held)
          return error("attribute '" + a.name() + "' is a type that is not supported", {},
                       "a tensor or a sequence of tensors");
        out = *held;
        break;
      }
      case AttributeKind::tensor:
      case AttributeKind::sparse_tensor: {
        const std::string where = node_.describe() + ", attribute " + a.name();
        auto tensor = kind == AttributeKind::tensor ? tensors_.read(a.t(), where)
                                                    : tensors_.read_sparse(a.sparse_tensor(), where);
        if (!tensor) return failure;
        out = std::move(*tensor);
        break;
      }
    }
    return {};
  }

  const OperatorRule& rule_;
  TensorReader& tensors_;
  const ir::Graph& graph_;
  ir::Node& node_;
  Diagnostics& diags_;
};

}  // namespace

std::optional<AttributeKind> plain_kind(const Proto& a) {
  switch (a.type()) {
    case Proto::INT: return AttributeKind::integer;
    case Proto::FLOAT: return AttributeKind::real;
    case Proto::STRING: return AttributeKind::text;
    case Proto::INTS: return AttributeKind::integers;
    case Proto::FLOATS: return AttributeKind::reals;
    case Proto::STRINGS: return AttributeKind::texts;
    default: return std::nullopt;
  }
}

Result<void> read_attributes(const ::onnx::NodeProto& from, const OperatorRule& rule, TensorReader& tensors,
                             const ir::Graph& graph, ir::Node& node, Diagnostics& diags) {
  AttributeImporter importer(rule, tensors, graph, node, diags);
  bool ok = true;
  for (const Proto& a : from.attribute()) ok = static_cast<bool>(importer.read(a)) && ok;
  // An empty auto_pad is what tools write for the default.
  if (node.text("auto_pad", "NOTSET").empty()) node.attributes.erase("auto_pad");
  for (const AttributeRule& r : rule.attributes) {
    if (!ok || !r.required || node.version > r.until || node.attributes.contains(r.name)) continue;
    diags.error(graph.file, node.describe(), "attribute '" + std::string(r.name) + "' is missing");
    ok = false;
  }
  if (!ok) return failure;
  return {};
}

}  // namespace byoc::onnx_import
