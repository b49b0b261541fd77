#include "sdk/model/import/onnx/composition.hpp"

#include <algorithm>

#include "sdk/model/import/onnx/tensor.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::onnx_import {
namespace {

// The forms of docs/graph-language.md are those of this opset and older ones. Operators that are newer say so.
constexpr std::int64_t kVersion = 20;

std::int64_t version_of(std::string_view op) {
  const ir::Operator* known = ir::find_operator("", op);
  return known == nullptr ? kVersion : std::max(kVersion, known->since);
}

}  // namespace

ir::Node Composition::make(std::string_view name, Values inputs, Attributes attributes) const {
  ir::Node node;
  node.op = name;
  node.version = version_of(name);
  node.name = node_.name;
  node.position = node_.position;
  while (!inputs.empty() && inputs.back() == ir::kNoValue) inputs.pop_back();
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return node;
}

bool Composition::wants(std::size_t output) const {
  return output < node_.outputs.size() && node_.outputs[output] != ir::kNoValue;
}

Composition::Value Composition::op(std::string_view name, Values inputs, Attributes attributes) {
  return op(name, std::move(inputs), std::move(attributes), 1)[0];
}

Composition::Values Composition::op(std::string_view name, Values inputs, Attributes attributes, std::size_t outputs) {
  ir::Node node = make(name, std::move(inputs), std::move(attributes));
  for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back(target_.temporary());
  Values out = node.outputs;
  target_.emit(std::move(node));
  return out;
}

void Composition::give(std::size_t output, std::string_view name, Values inputs, Attributes attributes) {
  if (!wants(output)) return;
  ir::Node node = make(name, std::move(inputs), std::move(attributes));
  node.outputs = {node_.outputs[output]};
  target_.emit(std::move(node));
}

Composition::Value Composition::integer(std::int64_t element) {
  const Value v = target_.integers({element});
  target_.graph.values[v].type.dims.emplace();
  return v;
}

Composition::Value Composition::boolean(bool element) {
  ir::TensorType type{DType::boolean, std::vector<ir::Dim>{}, std::nullopt};
  return target_.graph.add_constant({}, std::move(type), Blob::own({std::byte{element}}));
}

Composition::Value Composition::texts(const std::vector<std::string>& elements) {
  ir::TensorType type{DType::string, std::vector<ir::Dim>{static_cast<ir::Dim>(elements.size())}, std::nullopt};
  return target_.graph.add_constant({}, std::move(type), ir::pack_texts(elements));
}

Composition::Value Composition::dims(Value v, std::int64_t first, std::int64_t end) {
  return op("Shape", {v}, {{"start", first}, {"end", end}});
}

Composition::Value Composition::dim(Value v, std::int64_t which) {
  return which == -1 ? op("Shape", {v}, {{"start", which}}) : dims(v, which, which + 1);
}

Composition::Values Composition::inlined(const ir::Graph& body, const Values& inputs) {
  std::map<Value, Value> here;
  for (std::size_t i = 0; i < inputs.size(); ++i) here[body.inputs[i]] = inputs[i];
  const auto value = [&](Value inner) {
    if (inner == ir::kNoValue) return inner;
    const auto [it, fresh] = here.try_emplace(inner, ir::kNoValue);
    if (!fresh) return it->second;
    ir::Value copy = body.values[inner];
    // Open dims are names of the body's own.
    if (!copy.constant) copy.type.dims = std::nullopt;
    return it->second = target_.graph.add_value(std::move(copy));
  };
  for (ir::Node node : body.nodes) {
    for (std::vector<Value>* list : {&node.inputs, &node.outputs})
      for (Value& v : *list) v = value(v);
    node.position = node_.position;
    target_.emit(std::move(node));
  }
  Values out;
  for (const Value v : body.outputs) out.push_back(value(v));
  return out;
}

DType Composition::dtype(Value v) const { return target_.types.of(v).dtype; }

std::optional<std::size_t> Composition::rank(Value v) const {
  const auto& known = target_.types.of(v).dims;
  return known ? std::optional(known->size()) : std::nullopt;
}

std::optional<std::int64_t> Composition::known_dim(Value v, std::size_t which) const {
  const auto& known = target_.types.of(v).dims;
  if (!known || which >= known->size() || ir::is_open((*known)[which])) return std::nullopt;
  return (*known)[which];
}

Result<DType> Composition::dtype_of_input(std::size_t i) {
  const DType dtype = this->dtype(in(i));
  if (dtype != DType::undefined) return dtype;
  return refuse("the element type of input " + std::to_string(i) + " does not follow from what computes it", {},
                "a value_info for it");
}

Result<std::size_t> Composition::rank_of_input(std::size_t i) {
  if (const auto known = rank(in(i))) return *known;
  return refuse("the rank of input " + std::to_string(i) + " does not follow from what computes it", {},
                "a value_info for it");
}

}  // namespace byoc::onnx_import
