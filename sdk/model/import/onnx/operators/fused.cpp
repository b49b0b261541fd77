// com.microsoft's fused layers, as the operators they were fused from:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <numeric>

#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

constexpr std::int64_t kFusedVersion = 20;  // Gelu has been there since

using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

// The last operator of several: it gives the outputs of `like`.
void finish(Normaliser& e, const ir::Node& like, std::string_view op, std::vector<ir::ValueId> inputs,
            Attributes attributes = {}) {
  ir::Node last;
  last.op = op;
  last.version = kFusedVersion;
  last.name = like.name;
  last.position = like.position;
  last.inputs = std::move(inputs);
  last.outputs = {like.outputs[0]};
  last.attributes = std::move(attributes);
  e.emit(std::move(last));
}

std::vector<ir::ValueId> given(std::vector<ir::ValueId> inputs) {
  while (!inputs.empty() && inputs.back() == ir::kNoValue) inputs.pop_back();
  return inputs;
}

// A number of the type of `like`, which need not be known yet.
ir::ValueId number_like(Normaliser& e, const ir::Node& node, float value, ir::ValueId like) {
  const ir::ValueId v = e.scalar(value);
  if (e.types.of(like).dtype == DType::f32) return v;
  return e.apply(node, "CastLike", kFusedVersion, {v, like});
}

// `activation` with its parameters behind `x`; no activation: Identity.
Result<void> activate(Normaliser& e, const ir::Node& node, ir::ValueId x, std::vector<float> parameters) {
  const std::string name = node.text("activation", "");
  const auto parameter = [&](std::size_t i, float otherwise) {
    return i < parameters.size() ? parameters[i] : otherwise;
  };
  if (name.empty()) {
    finish(e, node, "Identity", {x});
  } else if (name == "Relu" || name == "Tanh" || name == "Sigmoid" || name == "Softsign" || name == "Softplus") {
    finish(e, node, name, {x});
  } else if (name == "LeakyRelu") {
    finish(e, node, name, {x}, {{"alpha", parameter(0, 0.01F)}});
  } else if (name == "HardSigmoid") {
    finish(e, node, name, {x}, {{"alpha", parameter(0, 0.2F)}, {"beta", parameter(1, 0.5F)}});
  } else if (name == "Clip") {
    finish(e, node, name,
           {x, number_like(e, node, parameter(0, std::numeric_limits<float>::lowest()), x),
            number_like(e, node, parameter(1, std::numeric_limits<float>::max()), x)});
  } else {
    return e.refuse(node, "activation is not supported", name,
                    "Relu, Tanh, Sigmoid, Softsign, Softplus, LeakyRelu, HardSigmoid or Clip");
  }
  return {};
}

std::vector<float> parameters_of(const ir::Node& node, std::initializer_list<const char*> single) {
  if (const auto* list = node.find<std::vector<float>>("activation_params")) return *list;
  std::vector<float> out;
  for (const char* key : single)
    if (const auto* v = node.find<float>(key)) out.push_back(*v);
  return out;
}

Attributes without_activation(const ir::Node& node) {
  Attributes out = node.attributes;
  for (const char* key : {"activation", "activation_params", "activation_alpha", "activation_beta", "activation_gamma"})
    out.erase(key);
  return out;
}

// Transposed as the equation says where the rank is not known; else by dims, which `order` has moved.
template <class F>
ir::ValueId transposed(Normaliser& e, const ir::Node& node, ir::ValueId v, std::string equation, F&& order) {
  const auto& dims = e.types.of(v).dims;
  if (!dims) return e.apply(node, "Einsum", kFusedVersion, {v}, {{"equation", std::move(equation)}});
  std::vector<std::int64_t> perm(dims->size());
  std::iota(perm.begin(), perm.end(), 0);
  if (perm.size() < 2) return v;
  order(perm);
  return e.apply(node, "Transpose", kFusedVersion, {v}, {{"perm", std::move(perm)}});
}

// An operand of a product: the first dim behind those of batches, then the last two swapped.
ir::ValueId factor(Normaliser& e, const ir::Node& node, std::size_t input, const char* batches, const char* last_two) {
  ir::ValueId v = node.inputs[input];
  if (node.integer(batches, 0) != 0)
    v = transposed(e, node, v, "i...j->...ij", [](auto& p) { std::rotate(p.begin(), p.begin() + 1, p.end() - 1); });
  if (node.integer(last_two, 0) != 0)
    v = transposed(e, node, v, "...ij->...ji", [](auto& p) { std::swap(p[p.size() - 1], p[p.size() - 2]); });
  return v;
}

}  // namespace

// X, W, B, and Z that is added before the activation.
Result<void> normalise_fused_conv(Normaliser& e, ir::Node node) {
  ir::ValueId y = e.apply(node, "Conv", kFusedVersion, given({node.inputs[0], node.inputs[1], node.input(2)}),
                          without_activation(node));
  if (node.input(3) != ir::kNoValue) y = e.apply(node, "Add", kFusedVersion, {y, node.inputs[3]});
  return activate(e, node, y, parameters_of(node, {}));
}

Result<void> normalise_fused_gemm(Normaliser& e, ir::Node node) {
  const ir::ValueId y = e.apply(node, "Gemm", kFusedVersion, node.inputs, without_activation(node));
  return activate(e, node, y, parameters_of(node, {"activation_alpha", "activation_beta", "activation_gamma"}));
}

Result<void> normalise_fused_matmul(Normaliser& e, ir::Node node) {
  const auto &left = e.types.of(node.inputs[0]).dims, &right = e.types.of(node.inputs[1]).dims;
  const bool batches = node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0;
  if (batches && left && right && (left->size() != right->size() || left->size() < 3))
    return e.refuse(node, "transBatchA and transBatchB need stacks of matrices of one rank",
                    std::to_string(left->size()) + " and " + std::to_string(right->size()), "3 or more");
  const ir::ValueId a = factor(e, node, 0, "transBatchA", "transA");
  const ir::ValueId b = factor(e, node, 1, "transBatchB", "transB");
  const float alpha = node.real("alpha", 1);
  if (alpha == 1) {
    finish(e, node, "MatMul", {a, b});
    return {};
  }
  const ir::ValueId y = e.apply(node, "MatMul", kFusedVersion, {a, b});
  finish(e, node, "Mul", {y, number_like(e, node, alpha, node.inputs[0])});
  return {};
}

// input, skip, gamma, beta, bias; also gives out mean, inverse deviation and the sum.
Result<void> normalise_skip_layer_normalization(Normaliser& e, ir::Node node) {
  std::vector<ir::ValueId> terms{node.inputs[0], node.inputs[1]};
  ir::Node sum;
  sum.op = "Add";
  sum.version = kFusedVersion;
  sum.name = node.name;
  sum.position = node.position;
  if (node.input(4) != ir::kNoValue) terms = {e.apply(node, "Add", kFusedVersion, terms), node.inputs[4]};
  const bool wanted = node.outputs.size() > 3 && node.outputs[3] != ir::kNoValue;
  sum.inputs = terms;
  sum.outputs = {wanted ? node.outputs[3] : e.temporary()};
  const ir::ValueId x = sum.outputs[0];
  e.emit(std::move(sum));
  ir::Node last;
  last.op = "LayerNormalization";
  last.version = kFusedVersion;
  last.name = node.name;
  last.position = node.position;
  last.inputs = given({x, node.inputs[2], node.input(3)});
  last.outputs.assign(node.outputs.begin(), node.outputs.begin() + static_cast<std::ptrdiff_t>(
                                                                       std::min<std::size_t>(node.outputs.size(), 3)));
  // The default is not that of LayerNormalization.
  last.attributes = {{"axis", std::int64_t{-1}}, {"epsilon", node.real("epsilon", 1e-12F)}};
  e.emit(std::move(last));
  return {};
}

// Gelu, BiasGelu (x + bias) and FastGelu (the same with tanh for erf).
Result<void> normalise_gelu(Normaliser& e, ir::Node node) {
  ir::ValueId x = node.inputs[0];
  if (node.input(1) != ir::kNoValue) x = e.apply(node, "Add", kFusedVersion, {x, node.inputs[1]});
  finish(e, node, "Gelu", {x}, {{"approximate", std::string(node.op == "FastGelu" ? "tanh" : "none")}});
  return {};
}

}  // namespace byoc::onnx_import
