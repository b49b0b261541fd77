#include "tests/e2e/layers/onnx/onnx_model.hpp"

#include <algorithm>

namespace byoc::test {
namespace {

int type_of(TensorType type) {
  switch (type) {
    case TensorType::INT8: return onnx::TensorProto::INT8;
    case TensorType::UINT8: return onnx::TensorProto::UINT8;
    case TensorType::INT16: return onnx::TensorProto::INT16;
    case TensorType::UINT16: return onnx::TensorProto::UINT16;
    case TensorType::INT32: return onnx::TensorProto::INT32;
    case TensorType::INT64: return onnx::TensorProto::INT64;
    default: return onnx::TensorProto::FLOAT;
  }
}

void describe(onnx::ValueInfoProto& info, const std::string& name, const TensorData& data) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(type_of(data.type));
  type.mutable_shape();
  for (const std::int32_t d : data.shape) type.mutable_shape()->add_dim()->set_dim_value(d);
}

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

}  // namespace

OnnxModel::OnnxModel(int opset, int ir_version) {
  model_.set_ir_version(ir_version);
  for (const auto& [domain, version] : {std::pair{"", opset}, std::pair{kContributed, 1}, std::pair{"ai.onnx.ml", 5}}) {
    auto& import = *model_.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
}

std::string OnnxModel::input(const TensorData& data) {
  add_input(data);
  auto& info = *graph().add_input();
  describe(info, next_name("x"), data);
  return info.name();
}

onnx::TensorProto& OnnxModel::initialiser(int type, const std::vector<std::int64_t>& dims) {
  onnx::TensorProto& t = *graph().add_initializer();
  t.set_name(next_name("c"));
  t.set_data_type(type);
  for (const std::int64_t d : dims) t.add_dims(d);
  return t;
}

std::string OnnxModel::constant(const TensorData& data) {
  auto& t = initialiser(type_of(data.type), {data.shape.begin(), data.shape.end()});
  const auto bytes = data.bytes();
  t.set_raw_data(bytes.data(), bytes.size());
  return t.name();
}

std::string OnnxModel::real(float value) { return constant({TensorType::FLOAT32, {}, {}, {}, {value}}); }

std::string OnnxModel::integers(const std::vector<std::int64_t>& values) {
  return constant({TensorType::INT64, {static_cast<std::int32_t>(values.size())}, {}, values, {}});
}

std::string OnnxModel::between() { return next_name("t"); }

std::string OnnxModel::output(const TensorData& expected, double tolerance) {
  expect(expected, tolerance);
  auto& info = *graph().add_output();
  describe(info, next_name("y"), expected);
  return info.name();
}

std::string OnnxModel::output_near(const TensorData& type, std::vector<double> steps, double slack, bool is_exact) {
  expect_near(type, std::move(steps), slack, is_exact);
  auto& info = *graph().add_output();
  describe(info, next_name("y"), type);
  return info.name();
}

OnnxModel::Names OnnxModel::parameters(const TensorData& data) {
  Shape shape;
  if (data.q.axis >= 0) shape = {static_cast<std::int32_t>(data.q.scales.size())};
  return {constant({TensorType::FLOAT32, shape, {}, {}, data.q.scales}),
          constant({data.type, shape, {}, data.q.zero_points, {}})};
}

std::string OnnxModel::dequantised(const std::string& integers, const TensorData& data) {
  Names inputs = parameters(data);
  inputs.insert(inputs.begin(), integers);
  const bool is_symmetric = std::ranges::all_of(data.q.zero_points, [](std::int64_t z) { return z == 0; });
  if (is_symmetric && tensors_ % 2 == 0) inputs.pop_back();  // the zero point may be left off
  const std::string y = between();
  auto& n = node("DequantizeLinear", inputs, {y});
  if (data.q.axis >= 0) set(n, "axis", std::int64_t{data.q.axis});
  return y;
}

void OnnxModel::quantise(const std::string& real, const TensorData& data, const std::string& output) {
  Names inputs = parameters(data);
  inputs.insert(inputs.begin(), real);
  auto& n = node("QuantizeLinear", inputs, {output});
  if (data.q.axis >= 0) set(n, "axis", std::int64_t{data.q.axis});
}

onnx::NodeProto& OnnxModel::node(const std::string& op, const Names& inputs, const Names& outputs,
                                 const std::string& domain) {
  onnx::NodeProto& n = *graph().add_node();
  n.set_op_type(op);
  n.set_domain(domain);
  for (const std::string& i : inputs) n.add_input(i);
  for (const std::string& o : outputs) n.add_output(o);
  return n;
}

void set(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  add_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void set(onnx::NodeProto& node, const std::string& name, float value) {
  add_attribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}

void set(onnx::NodeProto& node, const std::string& name, const char* value) {
  add_attribute(node, name, onnx::AttributeProto::STRING).set_s(value);
}

void set(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto& a = add_attribute(node, name, onnx::AttributeProto::INTS);
  for (const std::int64_t v : values) a.add_ints(v);
}

void set(onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& values) {
  auto& a = add_attribute(node, name, onnx::AttributeProto::STRINGS);
  for (const std::string& v : values) a.add_strings(v);
}

void set_tensor(onnx::NodeProto& node, const std::string& name, const std::vector<float>& values) {
  auto& t = *add_attribute(node, name, onnx::AttributeProto::TENSOR).mutable_t();
  t.set_data_type(onnx::TensorProto::FLOAT);
  t.add_dims(static_cast<std::int64_t>(values.size()));
  for (const float v : values) t.add_float_data(v);
}

void set_bytes(onnx::NodeProto& node, const std::string& name, const std::string& values) {
  auto& t = *add_attribute(node, name, onnx::AttributeProto::TENSOR).mutable_t();
  t.set_data_type(onnx::TensorProto::UINT8);
  t.add_dims(static_cast<std::int64_t>(values.size()));
  t.set_raw_data(values);
}

}  // namespace byoc::test
