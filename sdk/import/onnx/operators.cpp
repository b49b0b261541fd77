#include "sdk/import/onnx/operators.hpp"

#include <cstring>

namespace byoc::onnx_import {
namespace {

template <class T>
Blob blob_of(const std::vector<T>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return Blob::own(std::move(bytes));
}

using Kind = AttributeKind;

std::vector<AttributeRule> window_attributes() {
  return {{"auto_pad", Kind::text},
          {"kernel_shape", Kind::integers},
          {"pads", Kind::integers},
          {"strides", Kind::integers}};
}

std::vector<AttributeRule> with(std::vector<AttributeRule> base, std::vector<AttributeRule> more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

void add_arithmetic(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  for (const std::string_view op : {"Add", "Sub", "Mul", "Div", "Pow"})
    rules.push_back({"", op, 7, kLast, 2, 2, 1, {}});
  for (const std::string_view op : {"Max", "Mean", "Min"}) rules.push_back({"", op, 7, kLast, 1, kAnyNumber, 1, {}});
  for (const std::string_view op : {"Abs", "Ceil", "Exp", "Floor", "Log", "Neg", "Reciprocal", "Sqrt"})
    rules.push_back({"", op, 7, kLast, 1, 1, 1, {}});
  rules.push_back({"", "Erf", 9, kLast, 1, 1, 1, {}});
  rules.push_back({"", "Sum", 7, kLast, 1, kAnyNumber, 1, {}, normalise_sum});
  rules.push_back({"", "MatMul", 7, kLast, 2, 2, 1, {}});
  rules.push_back(
      {"",
       "Gemm",
       7,
       kLast,
       2,
       3,
       1,
       {{"alpha", Kind::real}, {"beta", Kind::real}, {"transA", Kind::integer}, {"transB", Kind::integer}}});
  rules.push_back({"",
                   "BatchNormalization",
                   7,
                   kLast,
                   5,
                   5,
                   1,
                   {{"epsilon", Kind::real},
                    {"momentum", Kind::real},
                    {"spatial", Kind::integer, 7, 8},
                    {"training_mode", Kind::integer, 14}},
                   normalise_batch_normalization});
}

void add_reductions(std::vector<OperatorRule>& rules) {
  struct Reduction {
    std::string_view op;
    std::int64_t axes_are_input;  // the opset in which `axes` became one
  };
  for (const Reduction& r : {Reduction{"ReduceMax", 18}, Reduction{"ReduceMean", 18}, Reduction{"ReduceSum", 13}}) {
    rules.push_back({"",
                     r.op,
                     7,
                     r.axes_are_input - 1,
                     1,
                     1,
                     1,
                     {{"axes", Kind::integers}, {"keepdims", Kind::integer}},
                     normalise_axes});
    rules.push_back({"",
                     r.op,
                     r.axes_are_input,
                     kNewestOpset,
                     1,
                     2,
                     1,
                     {{"keepdims", Kind::integer}, {"noop_with_empty_axes", Kind::integer}}});
  }
}

void add_activations(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  for (const std::string_view op : {"Relu", "Sigmoid", "Tanh"}) rules.push_back({"", op, 7, kLast, 1, 1, 1, {}});
  rules.push_back({"", "LeakyRelu", 7, kLast, 1, 1, 1, {{"alpha", Kind::real}}});
  rules.push_back({"", "Clip", 7, 10, 1, 1, 1, {{"min", Kind::real}, {"max", Kind::real}}, normalise_clip});
  rules.push_back({"", "Clip", 11, kLast, 1, 3, 1, {}});
  rules.push_back({"", "Softmax", 7, kLast, 1, 1, 1, {{"axis", Kind::integer}}, normalise_softmax});
}

void add_spatial(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  rules.push_back({"", "Conv", 7, kLast, 2, 3, 1,
                   with(window_attributes(), {{"dilations", Kind::integers}, {"group", Kind::integer}})});
  rules.push_back(
      {"", "MaxPool", 7, kLast, 1, 1, 1,
       with(window_attributes(),
            {{"ceil_mode", Kind::integer, 10}, {"dilations", Kind::integers, 10}, {"storage_order", Kind::integer, 8}}),
       normalise_max_pool});
  rules.push_back({"", "AveragePool", 7, kLast, 1, 1, 1,
                   with(window_attributes(), {{"ceil_mode", Kind::integer, 10},
                                              {"count_include_pad", Kind::integer},
                                              {"dilations", Kind::integers, 19}})});
  rules.push_back({"", "GlobalAveragePool", 7, kLast, 1, 1, 1, {}});
  rules.push_back({"", "GlobalMaxPool", 7, kLast, 1, 1, 1, {}});
}

void add_shapes(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  rules.push_back({"", "Concat", 7, kLast, 1, kAnyNumber, 1, {{"axis", Kind::integer, 1, kLast, true}}});
  rules.push_back({"", "Reshape", 7, kLast, 2, 2, 1, {{"allowzero", Kind::integer, 14}}});
  rules.push_back({"", "Flatten", 7, kLast, 1, 1, 1, {{"axis", Kind::integer}}});
  rules.push_back({"", "Squeeze", 7, 12, 1, 1, 1, {{"axes", Kind::integers}}, normalise_axes});
  rules.push_back({"", "Squeeze", 13, kLast, 1, 2, 1, {}});
  rules.push_back({"", "Unsqueeze", 7, 12, 1, 1, 1, {{"axes", Kind::integers, 1, 12, true}}, normalise_axes});
  rules.push_back({"", "Unsqueeze", 13, kLast, 2, 2, 1, {}});
  rules.push_back({"", "Transpose", 7, kLast, 1, 1, 1, {{"perm", Kind::integers}}});
  rules.push_back({"",
                   "Pad",
                   7,
                   10,
                   1,
                   1,
                   1,
                   {{"mode", Kind::text}, {"pads", Kind::integers, 1, 10, true}, {"value", Kind::real}},
                   normalise_pad});
  rules.push_back({"", "Pad", 11, kLast, 2, 4, 1, {{"mode", Kind::text}}});
  rules.push_back(
      {"",
       "Slice",
       7,
       9,
       1,
       1,
       1,
       {{"starts", Kind::integers, 1, 9, true}, {"ends", Kind::integers, 1, 9, true}, {"axes", Kind::integers}},
       normalise_slice});
  rules.push_back({"", "Slice", 10, kLast, 3, 5, 1, {}});
  rules.push_back(
      {"", "Split", 7, 12, 1, 1, kAnyNumber, {{"axis", Kind::integer}, {"split", Kind::integers}}, normalise_split});
  rules.push_back({"",
                   "Split",
                   13,
                   kLast,
                   1,
                   2,
                   kAnyNumber,
                   {{"axis", Kind::integer}, {"num_outputs", Kind::integer, 18}},
                   normalise_split});
  rules.push_back({"", "Expand", 8, kLast, 2, 2, 1, {}});
  rules.push_back({"", "Gather", 7, kLast, 2, 2, 1, {{"axis", Kind::integer}}});
  rules.push_back({"", "Shape", 7, kLast, 1, 1, 1, {{"start", Kind::integer, 15}, {"end", Kind::integer, 15}}});
}

void add_trivial(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  rules.push_back({"", "Identity", 7, kLast, 1, 1, 1, {}});
  rules.push_back({"", "Dropout", 7, 11, 1, 1, 1, {{"ratio", Kind::real}}, normalise_dropout});
  rules.push_back({"", "Dropout", 12, kLast, 1, 3, 1, {{"seed", Kind::integer}}, normalise_dropout});
  rules.push_back({"",
                   "Constant",
                   7,
                   kLast,
                   0,
                   0,
                   1,
                   {{"value", Kind::tensor},
                    {"value_float", Kind::real, 12},
                    {"value_floats", Kind::reals, 12},
                    {"value_int", Kind::integer, 12},
                    {"value_ints", Kind::integers, 12}},
                   normalise_constant});
  rules.push_back({"", "ConstantOfShape", 9, kLast, 1, 1, 1, {{"value", Kind::tensor}}});
  rules.push_back(
      {"", "Cast", 7, kLast, 1, 1, 1, {{"to", Kind::integer, 1, kLast, true}, {"saturate", Kind::integer, 19}}});
}

void add_quantised(std::vector<OperatorRule>& rules) {
  constexpr std::int64_t kLast = kNewestOpset;
  rules.push_back({"",
                   "QuantizeLinear",
                   10,
                   kLast,
                   2,
                   3,
                   1,
                   {{"axis", Kind::integer, 13},
                    {"saturate", Kind::integer, 19},
                    {"block_size", Kind::integer, 21},
                    {"output_dtype", Kind::integer, 21}},
                   normalise_quantize_linear});
  rules.push_back({"",
                   "DequantizeLinear",
                   10,
                   kLast,
                   2,
                   3,
                   1,
                   {{"axis", Kind::integer, 13}, {"block_size", Kind::integer, 21}},
                   normalise_dequantize_linear});
  rules.push_back({"", "QLinearConv", 10, kLast, 8, 9, 1,
                   with(window_attributes(), {{"dilations", Kind::integers}, {"group", Kind::integer}})});
  rules.push_back({"", "QLinearMatMul", 10, kLast, 8, 8, 1, {}});
}

// ONNX Runtime's own quantised operators. Each is defined as dequantising, the operator, and quantising, and becomes
// that.
void add_contributed(std::vector<OperatorRule>& rules) {
  constexpr std::string_view kDomain = "com.microsoft";
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const AttributeRule channels_last{"channels_last", Kind::integer};
  for (const std::string_view op : {"QLinearAdd", "QLinearMul"})
    rules.push_back({kDomain, op, 1, kLast, 7, 8, 1, {}, normalise_qlinear_binary, {2, 5}});
  rules.push_back({kDomain, "QLinearSigmoid", 1, kLast, 4, 5, 1, {}, normalise_qlinear_unary, {2}});
  rules.push_back(
      {kDomain, "QLinearLeakyRelu", 1, kLast, 4, 5, 1, {{"alpha", Kind::real}}, normalise_qlinear_unary, {2}});
  rules.push_back({kDomain,
                   "QLinearSoftmax",
                   1,
                   kLast,
                   5,
                   5,
                   1,
                   {{"axis", Kind::integer}, {"opset", Kind::integer, 1, kLast, true}},
                   normalise_qlinear_unary,
                   {2}});
  rules.push_back(
      {kDomain, "QLinearGlobalAveragePool", 1, kLast, 5, 5, 1, {channels_last}, normalise_qlinear_unary, {2}});
  rules.push_back(
      {kDomain,
       "QLinearAveragePool",
       1,
       kLast,
       4,
       5,
       1,
       with(window_attributes(), {channels_last, {"ceil_mode", Kind::integer}, {"count_include_pad", Kind::integer}}),
       normalise_qlinear_unary,
       {2}});
  rules.push_back({kDomain,
                   "QLinearConcat",
                   1,
                   kLast,
                   5,
                   kAnyNumber,
                   1,
                   {{"axis", Kind::integer, 1, kLast, true}},
                   normalise_qlinear_concat});
  rules.push_back({kDomain,
                   "QGemm",
                   1,
                   kLast,
                   6,
                   9,
                   1,
                   {{"alpha", Kind::real}, {"transA", Kind::integer}, {"transB", Kind::integer}},
                   normalise_qgemm});
}

std::vector<OperatorRule> make_rules() {
  std::vector<OperatorRule> rules;
  add_arithmetic(rules);
  add_reductions(rules);
  add_activations(rules);
  add_spatial(rules);
  add_shapes(rules);
  add_trivial(rules);
  add_quantised(rules);
  add_contributed(rules);
  return rules;
}

}  // namespace

ir::ValueId Emitter::temporary() { return graph.add_value({}); }

ir::ValueId Emitter::integers(const std::vector<std::int64_t>& elements) {
  ir::TensorType type;
  type.dtype = DType::i64;
  type.dims = {static_cast<ir::Dim>(elements.size())};
  return graph.add_constant({}, std::move(type), blob_of(elements));
}

ir::ValueId Emitter::scalar(float value) {
  ir::TensorType type;
  type.dtype = DType::f32;
  type.dims.emplace();
  return graph.add_constant({}, std::move(type), blob_of(std::vector<float>{value}));
}

ir::ValueId Emitter::reals(const std::vector<float>& elements) {
  ir::TensorType type;
  type.dtype = DType::f32;
  type.dims = {static_cast<ir::Dim>(elements.size())};
  return graph.add_constant({}, std::move(type), blob_of(elements));
}

std::optional<std::vector<float>> Emitter::constant_reals(ir::ValueId v) const {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::f32) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

ir::ValueId Emitter::apply(const ir::Node& like, std::string_view op, std::int64_t version,
                           std::vector<ir::ValueId> inputs,
                           std::map<std::string, ir::Attribute, std::less<>> attributes) {
  ir::Node node;
  node.op = op;
  node.version = version;
  node.name = like.name;
  node.position = like.position;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const ir::ValueId output = temporary();
  node.outputs = {output};
  emit(std::move(node));
  return output;
}

Failure Emitter::refuse(const ir::Node& node, std::string message, std::string found, std::string expected) {
  return diags.error(graph.file, node.describe(), std::move(message), std::move(found), std::move(expected));
}

std::span<const OperatorRule> operator_rules() {
  static const std::vector<OperatorRule> kRules = make_rules();
  return kRules;
}

}  // namespace byoc::onnx_import
