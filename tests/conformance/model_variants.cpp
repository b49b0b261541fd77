#include "tests/conformance/model_variants.hpp"

#include <onnx/onnx-ml.pb.h>

#include <set>

namespace byoc::test {
namespace {

void state_no_types(onnx::GraphProto& graph) {
  for (onnx::ValueInfoProto& output : *graph.mutable_output())
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
  graph.clear_value_info();
}

void open_dims(onnx::GraphProto& graph) {
  int count = 0;
  for (onnx::ValueInfoProto& input : *graph.mutable_input())
    for (auto& dim : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      dim.set_dim_param("d" + std::to_string(count++));
  state_no_types(graph);
}

void rename(google::protobuf::RepeatedPtrField<std::string>& names, const std::set<std::string>& which) {
  for (std::string& name : names)
    if (which.contains(name)) name = "inner_" + name;
}

// In nodes and in the graphs inside of them.
void rename_values(onnx::GraphProto& graph, const std::set<std::string>& which) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    rename(*node.mutable_input(), which);
    rename(*node.mutable_output(), which);
    for (onnx::AttributeProto& a : *node.mutable_attribute()) {
      if (!a.has_g()) continue;
      rename_values(*a.mutable_g(), which);
      for (onnx::ValueInfoProto& output : *a.mutable_g()->mutable_output())
        if (which.contains(output.name())) output.set_name("inner_" + output.name());
    }
  }
}

// Names that the graph's own nodes write.
std::set<std::string> written_by(const onnx::GraphProto& graph) {
  std::set<std::string> out;
  for (const onnx::NodeProto& node : graph.node())
    for (const std::string& name : node.output())
      if (!name.empty()) out.insert(name);
  return out;
}

// Identity and If are of the standard operator set, which a model of other operators need not import.
void import_standard(onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") return;
  constexpr int kOpset = 18;
  model.add_opset_import()->set_version(kOpset);
}

void hide_inputs(onnx::GraphProto& graph) {
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) inputs.insert(input.name());
  onnx::GraphProto plain;
  plain.mutable_node()->Swap(graph.mutable_node());
  rename_values(plain, inputs);
  for (const std::string& name : inputs) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Identity");
    node.add_input(name);
    node.add_output("inner_" + name);
  }
  graph.mutable_node()->MergeFrom(plain.node());
  state_no_types(graph);
}

void call_function(onnx::ModelProto& model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("Model");
  function.set_domain("variant");
  function.mutable_opset_import()->CopyFrom(model.opset_import());
  function.mutable_node()->Swap(graph.mutable_node());
  onnx::NodeProto& call = *graph.add_node();
  call.set_op_type("Model");
  call.set_domain("variant");
  std::set<std::string> passed;
  const auto pass = [&](const std::string& name) {
    if (!passed.insert(name).second) return;
    function.add_input(name);
    call.add_input(name);
  };
  for (const onnx::ValueInfoProto& input : graph.input()) pass(input.name());
  for (const onnx::TensorProto& initialiser : graph.initializer()) pass(initialiser.name());
  for (const onnx::ValueInfoProto& output : graph.output()) {
    function.add_output(output.name());
    call.add_output(output.name());
  }
  onnx::OperatorSetIdProto& own = *model.add_opset_import();
  own.set_domain("variant");
  own.set_version(1);
  state_no_types(graph);
}

void put_into_branches(onnx::GraphProto& graph) {
  onnx::GraphProto body;
  body.set_name("branch");
  body.mutable_node()->Swap(graph.mutable_node());
  rename_values(body, written_by(body));
  onnx::NodeProto& choice = *graph.add_node();
  choice.set_op_type("If");
  choice.add_input("variant_condition");
  for (const onnx::ValueInfoProto& output : graph.output()) {
    choice.add_output(output.name());
    body.add_output()->set_name("inner_" + output.name());
  }
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body;
  }
  onnx::TensorProto& condition = *graph.add_initializer();
  condition.set_name("variant_condition");
  condition.set_data_type(onnx::TensorProto::BOOL);
  condition.add_int32_data(1);
  state_no_types(graph);
}

}  // namespace

bool variant_of(const std::string& name, Variant& variant) {
  constexpr std::pair<const char*, Variant> kVariants[] = {{"as_it_is", Variant::as_it_is},
                                                           {"open_dims", Variant::open_dims},
                                                           {"untyped", Variant::untyped},
                                                           {"function", Variant::function},
                                                           {"branch", Variant::branch}};
  for (const auto& [known, value] : kVariants)
    if (name == known) return variant = value, true;
  return false;
}

bool make_variant(onnx::ModelProto& model, Variant variant) {
  if (variant == Variant::untyped || variant == Variant::branch) import_standard(model);
  constexpr int kIf = 7;
  switch (variant) {
    case Variant::as_it_is: break;
    case Variant::open_dims: open_dims(*model.mutable_graph()); break;
    case Variant::untyped: hide_inputs(*model.mutable_graph()); break;
    case Variant::function: call_function(model); break;
    case Variant::branch:
      for (const onnx::OperatorSetIdProto& import : model.opset_import())
        if (import.domain().empty() && import.version() < kIf) return false;
      put_into_branches(*model.mutable_graph());
      break;
  }
  return true;
}

}  // namespace byoc::test
