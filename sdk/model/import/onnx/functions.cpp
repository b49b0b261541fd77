#include "sdk/model/import/onnx/functions.hpp"

#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "sdk/model/ir/control.hpp"

namespace byoc::onnx_import {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

constexpr int kMostNodes = 1'000'000;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of the nodes that functions consist of
// Nodes and calls that functions may become in any model, and for each byte of nodes in the file: the work that a file
// asks for grows with the file, also where functions call the next ones twice.
constexpr std::size_t kFewNodes = 256, kNodesPerByte = 4;
constexpr std::size_t kDeepestCall = 64;

// Fields that are newer than the installed onnx.proto.
constexpr int kNodeOverload = 8, kFunctionOverload = 13, kFunctionAttribute = 11;

template <class Message>
std::string unknown_text(const Message& message, int field) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == field &&
        unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      return unknown.field(i).length_delimited();
  return "";
}

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string function_name(const std::string& domain, const std::string& name, const std::string& overload) {
  return (plain_domain(domain).empty() ? "" : plain_domain(domain) + ".") + name +
         (overload.empty() ? "" : ":" + overload);
}

struct ModelFunction {
  const ::onnx::FunctionProto* proto = nullptr;
  std::map<std::string, ::onnx::AttributeProto> defaults;
  std::size_t opsets = 0;  // index of its operator sets
};

// The meaning of names and attribute references in one copy of a body.
struct Scope {
  std::string prefix;
  std::map<std::string, std::string> names;  // inputs and outputs of the function
  std::map<std::string, ::onnx::AttributeProto> attributes;
  std::size_t opsets = 0;

  [[nodiscard]] std::string name(const std::string& inner) const {
    if (inner.empty()) return inner;
    const auto it = names.find(inner);
    return it == names.end() ? prefix + inner : it->second;
  }
};

class Inliner {
 public:
  Inliner(::onnx::ModelProto& model, const std::string& file, FunctionOpsets& opsets, Diagnostics& diags)
      : model_(model), file_(file), opsets_(opsets), diags_(diags) {}

  Result<void> run() {
    if (model_.functions_size() == 0) return {};
    if (!index()) return failure;
    for (const auto& f : model_.functions()) most_ += kNodesPerByte * f.ByteSizeLong();
    for (const auto& n : model_.graph().node()) most_ += kNodesPerByte * n.ByteSizeLong();
    std::vector<std::string> path;
    if (!expand(*model_.mutable_graph(), path)) return failure;
    functions_.clear();
    model_.clear_functions();
    return {};
  }

 private:
  Failure error(std::string where, std::string message, std::string found = {}, std::string expected = {}) {
    return diags_.error(file_, std::move(where), std::move(message), std::move(found), std::move(expected));
  }

  Result<void> index() {
    for (const auto& proto : model_.functions()) {
      const std::string name = function_name(proto.domain(), proto.name(), unknown_text(proto, kFunctionOverload));
      ModelFunction f;
      f.proto = &proto;
      const auto& unknown = proto.GetReflection()->GetUnknownFields(proto);
      for (int i = 0; i < unknown.field_count(); ++i) {
        if (unknown.field(i).number() != kFunctionAttribute ||
            unknown.field(i).type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
          continue;
        ::onnx::AttributeProto attribute;
        if (!attribute.ParseFromString(unknown.field(i).length_delimited()))
          return error("function '" + name + "'", "an attribute of it is damaged");
        f.defaults[attribute.name()] = attribute;
      }
      Opsets sets;
      for (const auto& import : proto.opset_import()) sets.emplace(plain_domain(import.domain()), import.version());
      f.opsets = opsets_.all.size();
      opsets_.all.push_back(std::move(sets));
      if (!functions_.emplace(name, std::move(f)).second) return error("function '" + name + "'", "is defined twice");
    }
    return {};
  }

  const ModelFunction* find(const ::onnx::NodeProto& node, std::string& name) const {
    name = function_name(node.domain(), node.op_type(), unknown_text(node, kNodeOverload));
    const auto it = functions_.find(name);
    return it == functions_.end() ? nullptr : &it->second;
  }

  Result<void> expand(::onnx::GraphProto& graph, std::vector<std::string>& path) {
    Nodes out;
    for (auto& node : *graph.mutable_node())
      if (!append(node, path, out)) return failure;
    graph.mutable_node()->Swap(&out);
    return {};
  }

  Result<void> expand_body(const ::onnx::NodeProto& node, ::onnx::GraphProto& graph, std::vector<std::string>& path) {
    if (bodies_ == ir::kDeepestBody)
      return error(describe(node), "graphs are nested too deeply", {},
                   "at most " + std::to_string(ir::kDeepestBody) + " deep");
    ++bodies_;
    const Result<void> done = expand(graph, path);
    --bodies_;
    return done;
  }

  // Puts the node, or what its function consists of, behind `out`.
  Result<void> append(::onnx::NodeProto& node, std::vector<std::string>& path, Nodes& out) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g() && !expand_body(node, *attribute.mutable_g(), path)) return failure;
      for (auto& graph : *attribute.mutable_graphs())
        if (!expand_body(node, graph, path)) return failure;
    }
    std::string name;
    const ModelFunction* f = find(node, name);
    if (!path.empty() && ++expanded_ > most_)
      return error(describe(node), "functions make the model too large for what they are", {},
                   "at most " + std::to_string(most_) + " nodes and calls, for " +
                       std::to_string((most_ - kFewNodes) / kNodesPerByte) + " bytes of nodes in the file");
    if (f == nullptr) {
      if (!path.empty()) bytes_ += node.ByteSizeLong();
      if (++nodes_ > kMostNodes || bytes_ > kMostBytes)
        return error(describe(node), "functions make the model too large", {},
                     "at most " + std::to_string(kMostNodes) + " nodes and " + std::to_string(kMostBytes) + " bytes");
      out.Add()->Swap(&node);
      return {};
    }
    if (std::find(path.begin(), path.end(), name) != path.end()) {
      std::string whole;
      for (const std::string& p : path) whole += p + " -> ";
      return error(describe(node), "function calls itself", whole + name);
    }
    if (path.size() == kDeepestCall)
      return error(describe(node), "functions call each other too deeply", path[0] + " -> ... -> " + name,
                   "at most " + std::to_string(kDeepestCall) + " deep");
    path.push_back(name);
    const Result<void> done = append_body(node, *f, path, out);
    path.pop_back();
    return done;
  }

  static std::string describe(const ::onnx::NodeProto& node) {
    return node.op_type() + (node.name().empty() ? "" : " '" + node.name() + "'");
  }

  Result<Scope> open(const ::onnx::NodeProto& call, const ModelFunction& f) {
    const ::onnx::FunctionProto& proto = *f.proto;
    if (call.input_size() > proto.input_size() || call.output_size() > proto.output_size())
      return error(describe(call), "does not fit the function's signature",
                   std::to_string(call.input_size()) + " inputs and " + std::to_string(call.output_size()) + " outputs",
                   "at most " + std::to_string(proto.input_size()) + " and " + std::to_string(proto.output_size()));
    Scope scope;
    scope.prefix = (call.name().empty() ? call.op_type() : call.name()) + "#" + std::to_string(++calls_) + "/";
    scope.opsets = f.opsets;
    scope.attributes = f.defaults;
    for (int i = 0; i < proto.input_size(); ++i)
      scope.names[proto.input(i)] = i < call.input_size() ? call.input(i) : "";
    for (const auto& attribute : call.attribute()) {
      const bool declared =
          f.defaults.contains(attribute.name()) ||
          std::find(proto.attribute().begin(), proto.attribute().end(), attribute.name()) != proto.attribute().end();
      if (!declared) return error(describe(call), "attribute '" + attribute.name() + "' is none of the function's");
      scope.attributes[attribute.name()] = attribute;
    }
    return scope;
  }

  Result<void> append_body(const ::onnx::NodeProto& call, const ModelFunction& f, std::vector<std::string>& path,
                           Nodes& out) {
    Result<Scope> scope = open(call, f);
    if (!scope) return failure;
    const ::onnx::FunctionProto& proto = *f.proto;
    // An output that is an input, or is listed before, is a copy of it.
    std::vector<std::pair<std::string, std::string>> copies;
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      const auto [it, fresh] = scope->names.try_emplace(proto.output(i), call.output(i));
      if (!fresh) copies.emplace_back(it->second, call.output(i));
    }
    for (const auto& inner : proto.node()) {
      ::onnx::NodeProto node = inner;
      if (!rename(node, *scope)) return failure;
      if (node.name().empty() || call.name().empty())
        node.set_name(call.name().empty() ? node.name() : call.name());
      else
        node.set_name(call.name() + "/" + node.name());
      if (!append(node, path, out)) return failure;
    }
    for (const auto& [from, to] : copies) {
      ::onnx::NodeProto copy;
      copy.set_op_type("Identity");
      copy.set_name(call.name());
      copy.set_doc_string(call.doc_string());  // of the caller's operator sets
      copy.add_input(from);
      copy.add_output(to);
      out.Add()->Swap(&copy);
    }
    return {};
  }

  // Brings a node of a body into the caller's names.
  Result<void> rename(::onnx::NodeProto& node, const Scope& scope) {
    for (auto& name : *node.mutable_input()) name = scope.name(name);
    for (auto& name : *node.mutable_output()) name = scope.name(name);
    opsets_.set(node, scope.opsets);
    google::protobuf::RepeatedPtrField<::onnx::AttributeProto> kept;
    for (auto& attribute : *node.mutable_attribute()) {
      if (!attribute.ref_attr_name().empty()) {
        const auto given = scope.attributes.find(attribute.ref_attr_name());
        // The operator has a default for an attribute that the caller leaves out.
        if (given == scope.attributes.end()) continue;
        if (attribute.has_type() && given->second.has_type() && attribute.type() != given->second.type())
          return error(describe(node), "attribute '" + attribute.name() + "' refers to one of another type",
                       ::onnx::AttributeProto_AttributeType_Name(given->second.type()),
                       ::onnx::AttributeProto_AttributeType_Name(attribute.type()));
        ::onnx::AttributeProto value = given->second;
        value.set_name(attribute.name());
        // A reference of the caller itself has been resolved before; graphs are in the caller's names already.
        kept.Add()->Swap(&value);
        continue;
      }
      if (attribute.has_g() && !rename(*attribute.mutable_g(), scope)) return failure;
      for (auto& graph : *attribute.mutable_graphs())
        if (!rename(graph, scope)) return failure;
      kept.Add()->Swap(&attribute);
    }
    node.mutable_attribute()->Swap(&kept);
    return {};
  }

  Result<void> rename(::onnx::GraphProto& graph, const Scope& scope) {
    for (auto& v : *graph.mutable_input()) v.set_name(scope.name(v.name()));
    for (auto& v : *graph.mutable_output()) v.set_name(scope.name(v.name()));
    for (auto& v : *graph.mutable_value_info()) v.set_name(scope.name(v.name()));
    for (auto& v : *graph.mutable_initializer()) v.set_name(scope.name(v.name()));
    for (auto& node : *graph.mutable_node())
      if (!rename(node, scope)) return failure;
    return {};
  }

  ::onnx::ModelProto& model_;
  const std::string& file_;
  FunctionOpsets& opsets_;
  Diagnostics& diags_;
  std::map<std::string, ModelFunction> functions_;
  int nodes_ = 0, calls_ = 0;
  int bodies_ = 0;  // graphs around what is expanded now
  std::size_t bytes_ = 0;
  std::size_t expanded_ = 0, most_ = kFewNodes;  // nodes and calls that come from functions
};

}  // namespace

const Opsets* FunctionOpsets::find(const ::onnx::NodeProto& node) const {
  std::size_t index = 0;
  const std::string& text = node.doc_string();
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size() || index >= all.size()) return nullptr;
  return &all[index];
}

void FunctionOpsets::set(::onnx::NodeProto& node, std::size_t index) const {
  node.set_doc_string(std::to_string(index));
}

Result<void> inline_functions(::onnx::ModelProto& model, const std::string& file, FunctionOpsets& opsets,
                              Diagnostics& diags) {
  return Inliner(model, file, opsets, diags).run();
}

}  // namespace byoc::onnx_import
