// Entries of If, Loop and Scan, whose bodies are small chains of element-wise operators.
#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

const ir::TensorType kFlag{DType::boolean, Dims{}, std::nullopt};
const ir::TensorType kCount{DType::i64, Dims{}, std::nullopt};

ir::ValueId body_input(ir::Graph& body, const ir::TensorType& type) {
  ir::Value v;
  v.name = "b" + std::to_string(body.values.size());
  v.type = type;
  const ir::ValueId id = body.add_value(std::move(v));
  body.inputs.push_back(id);
  return id;
}

ir::ValueId apply(ir::Graph& body, const std::string& op, std::vector<ir::ValueId> inputs) {
  ir::Value v;
  v.name = "b" + std::to_string(body.values.size());
  v.type = body.values[inputs[0]].type;
  const ir::ValueId y = body.add_value(std::move(v));
  ir::Node n;
  n.op = op;
  n.version = 17;
  n.inputs = std::move(inputs);
  n.outputs = {y};
  body.add_node(std::move(n));
  return y;
}

const std::vector<std::string> kUnary = {"Relu", "Tanh", "Neg", "Sin", "Sigmoid"};
// Operators on carried values must be exact: rounds would increase any difference.
const std::vector<std::string> kExact = {"Relu", "Neg", "Abs"};

// A value of the type of `x`, from it and from `y`, which has the same type.
ir::ValueId chain(Builder& b, ir::Graph& body, ir::ValueId x, ir::ValueId y, const std::vector<std::string>& unary) {
  static const std::vector<std::string> kBinary = {"Add", "Mul", "Sub", "Max"};
  const std::int64_t steps = b.choice.integer(1, 4);
  for (std::int64_t i = 0; i < steps; ++i)
    x = b.choice.one_in(2) ? apply(body, b.choice.of(unary), {x}) : apply(body, b.choice.of(kBinary), {x, y});
  return x;
}

std::shared_ptr<ir::Graph> new_body(const Builder& b) {
  auto body = std::make_shared<ir::Graph>();
  body->name = "body";
  body->requant = b.graph.requant;
  return body;
}

void branch(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real();
  const ir::ValueId y = b.same_type(b.type(x));
  const ir::ValueId condition = b.any_of(DType::boolean, 0, 0);
  Builder::Attributes attributes;
  for (const char* name : {"then_branch", "else_branch"}) {
    auto body = new_body(b);
    const ir::ValueId u = body_input(*body, b.type(x)), v = body_input(*body, b.type(x));
    body->outputs.push_back(b.choice.one_in(5) ? v : chain(b, *body, u, v, kUnary));
    attributes[name] = body;
  }
  b.add(op, {condition, x, y}, std::move(attributes));
}

void loop(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real();
  const ir::ValueId y = b.same_type(b.type(x));
  auto body = new_body(b);
  body_input(*body, kCount);
  const ir::ValueId go = body_input(*body, kFlag);
  const ir::ValueId u = body_input(*body, b.type(x)), v = body_input(*body, b.type(x));
  const ir::ValueId next = chain(b, *body, u, v, kExact);
  const bool stacks = b.choice.one_in(2);
  body->outputs = {go, next};
  if (stacks) body->outputs.push_back(b.choice.one_in(2) ? next : chain(b, *body, v, u, kUnary));
  std::vector<std::byte> bytes(8);
  bytes[0] = static_cast<std::byte>(b.choice.integer(0, 4));
  const ir::ValueId trips = b.graph.add_constant("", kCount, Blob::own(std::move(bytes)));
  b.add(op, {trips, ir::kNoValue, x, y}, {{"body", body}, {"captures", std::int64_t{1}}},
        std::vector<std::optional<ir::TensorType>>(stacks ? 2 : 1));
}

void scan(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(2, 3);
  ir::TensorType slice{DType::f32, Dims(b.dims(x).begin() + 1, b.dims(x).end()), std::nullopt};
  const ir::ValueId first = b.same_type(slice);
  auto body = new_body(b);
  const ir::ValueId carried = body_input(*body, slice), taken = body_input(*body, slice);
  const ir::ValueId next = chain(b, *body, carried, taken, kExact);
  body->outputs = {next, b.choice.one_in(2) ? next : chain(b, *body, taken, carried, kUnary)};
  b.add(op, {first, x}, {{"body", body}, {"captures", std::int64_t{0}}, {"num_scan_inputs", std::int64_t{1}}},
        {std::nullopt, std::nullopt});
}

}  // namespace

void add_control(std::vector<Generator>& out) {
  out.push_back({"If", 3, branch});
  out.push_back({"Loop", 3, loop});
  out.push_back({"Scan", 2, scan});
}

}  // namespace byoc::check
