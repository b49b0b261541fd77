// Gemm, MatMul and QGemm with quantised operands, and QLinearMatMul.
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/matrices.hpp"
#include "tests/e2e/layers/onnx/products.hpp"

namespace byoc::test {
namespace {

using Names = OnnxModel::Names;

// Rows of x by a constant matrix, which may be turned.
OnnxProduct dense(Random& random, const OnnxProductTypes& types, Shape rows, bool turned) {
  OnnxProduct p;
  p.types = types;
  p.depth = std::min(random.size(1, 70), largest_depth(types));
  p.channels = random_channels(random, 20);
  const auto [depth, units] = std::pair(p.depth, p.channels);
  p.shape = rows;
  p.shape.push_back(units);
  rows.push_back(depth);
  p.x = random_activations(random, types, rows);
  p.weights = random_weights(random, types, turned ? Shape{units, depth} : Shape{depth, units}, turned ? 0 : 1);
  const auto count = static_cast<std::int32_t>(p.x.elements()) / depth;
  for (std::int32_t r = 0; r < count; ++r)
    for (std::int32_t u = 0; u < units; ++u) {
      std::int64_t sum = 0, size = 0;
      for (std::int32_t d = 0; d < depth; ++d) {
        const std::int64_t term = (p.x.ints[static_cast<std::size_t>(r * depth + d)] - p.x.zero_point()) *
                                  (p.weights.ints[static_cast<std::size_t>(turned ? u * depth + d : d * units + u)] -
                                   zero_point(p.weights, u));
        sum += term;
        size += std::abs(term);
      }
      p.largest = std::max(p.largest, size);
      p.sums.push_back(sum);
    }
  return p;
}

std::string described(const char* form, const OnnxProduct& p) {
  return std::string(form) + " " + text(p.types) + ", " + text(p.x.shape) + " -> " + text(p.shape);
}

void add_gemm(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const bool turned = random.chance(60);
  OnnxProduct p = dense(random, types, {random.size(1, 5)}, turned);
  model.add_text(described("Gemm", p));
  const Shape bias =
      random.chance(70) || types.per_axis ? Shape{p.channels} : random.pick<Shape>({{1}, {}, {1, 1}, {p.channels}});
  add_dequantised_product(model, random, std::move(p), bias, [&](const Names& inputs) {
    const std::string y = model.between();
    auto& node = model.node("Gemm", inputs, {y});
    set(node, "transB", std::int64_t{turned});
    if (inputs.size() == 2 && random.chance(30)) set(node, "beta", 0.5f);  // of no bias
    return y;
  });
}

void add_matmul(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const Shape rows = random.chance(50) ? Shape{random.size(1, 5)} : random_shape(random, 0, 3, 3);
  OnnxProduct p = dense(random, types, rows, false);
  model.add_text(described("MatMul", p));
  Shape bias{p.channels};
  if (!rows.empty() && random.chance(20)) bias.insert(bias.begin(), 1);
  if (!types.per_axis && random.chance(20)) bias = {1};
  add_dequantised_product(model, random, std::move(p), bias, [&](const Names& inputs) {
    const std::string product = model.apply("MatMul", {inputs[0], inputs[1]});
    if (inputs.size() == 2) return product;
    return random.chance(50) ? model.apply("Add", {product, inputs[2]}) : model.apply("Add", {inputs[2], product});
  });
}

void add_qlinear_dense(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const Shape rows = random.chance(50) ? Shape{random.size(1, 5)} : random_shape(random, 0, 3, 3);
  OnnxProduct p = dense(random, types, rows, false);
  model.add_text(described("QLinearMatMul", p));
  add_qlinear_product(model, random, std::move(p), SumRounding::exact, false,
                      [&](const Names& inputs, const std::string& y) { model.node("QLinearMatMul", inputs, {y}); });
}

void add_qgemm(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const bool turned = random.chance(60);
  OnnxProduct p = dense(random, types, {random.size(1, 5)}, turned);
  model.add_text(described("QGemm", p));
  add_qlinear_product(model, random, std::move(p), SumRounding::exact, true, [&](Names inputs, const std::string& y) {
    const std::string bias = inputs.size() == 9 ? inputs.back() : "";
    inputs.resize(8);
    inputs.insert(inputs.begin() + 6, bias);
    set(model.node("QGemm", inputs, {y}, kContributed), "transB", std::int64_t{turned});
  });
}

// What is summed in float32, in some order, and quantised: real numbers, and the largest sum of their terms' sizes.
struct RealSums {
  std::vector<double> values;
  double largest = 0;
};

void output_reals(OnnxModel& model, Random& random, TensorType type, const Shape& shape, const RealSums& sums,
                  const std::string& real) {
  TensorData y{type, shape, onnx_quantisation(random, type), {}, {}};
  const double range = static_cast<double>(highest(type) - lowest(type));
  if (sums.largest > 0) y.q.scales[0] = static_cast<float>(sums.largest / range * random.real(0.3, 3));
  const OnnxClamp clamp = random_clamp(random);
  std::vector<double> expected;
  for (double v : sums.values) {
    if (clamp.low) v = std::max(v, static_cast<double>(*clamp.low));
    if (clamp.high) v = std::min(v, static_cast<double>(*clamp.high));
    expected.push_back(steps(v, y));
  }
  const double slack = 1e-3 + 1e-6 * sums.largest / static_cast<double>(y.scale());
  const std::string out = model.output_near(y, std::move(expected), slack, false);
  model.quantise(add_clamp(model, clamp, real), y, out);
}

RealSums real_sums(const Matrices& m, const TensorData& a, const TensorData& b, double alpha) {
  RealSums out;
  m.for_each_sum([&](const std::vector<Matrices::Factors>& factors, std::int32_t, std::int32_t) {
    double sum = 0, size = 0;
    for (const auto& [i, j] : factors) {
      const double term = alpha * static_cast<double>(dequantised(a, i)) * static_cast<double>(dequantised(b, j));
      sum += term;
      size += std::abs(term);
    }
    out.values.push_back(sum);
    out.largest = std::max(out.largest, size);
  });
  return out;
}

// A product of two that are computed.
void add_activations(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const Matrices m = random_matrices(random);
  const TensorData a = random_data(random, types.x, m.a(), onnx_quantisation(random, types.x));
  const TensorData b = random_data(random, types.x, m.b(), onnx_quantisation(random, types.x));
  model.add_text("MatMul of activations " + text(types) + ", " + text(m.a()) + " " + text(m.b()));
  const std::string ra = model.dequantised_input(a), rb = model.dequantised_input(b);
  output_reals(model, random, types.y, m.y(), real_sums(m, a, b, 1), model.apply("MatMul", {ra, rb}));
}

// Gemm with what keeps it real: alpha, beta, a turned A.
void add_real_gemm(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  Matrices m = random_matrices(random);
  m.batch = {};
  m.turned_a = random.chance(60);
  m.turned_b = random.chance(50);
  const TensorData a = random_data(random, types.x, m.a(), onnx_quantisation(random, types.x));
  const TensorData b = random_data(random, types.weights, m.b(), onnx_quantisation(random, types.weights));
  const TensorData c = random_data(random, TensorType::FLOAT32, {m.columns});
  const float alpha = static_cast<float>(random.real(-2, 2)), beta = static_cast<float>(random.real(-2, 2));
  RealSums sums = real_sums(m, a, b, static_cast<double>(alpha));
  for (std::size_t i = 0; i < sums.values.size(); ++i)
    sums.values[i] += static_cast<double>(beta) * static_cast<double>(c.floats[i % c.floats.size()]);
  sums.largest += 16;
  model.add_text("real Gemm " + text(types) + ", " + text(m.a()) + " " + text(m.b()));
  const std::string y = model.between();
  auto& node = model.node("Gemm", {model.dequantised_input(a), model.dequantised_constant(b), model.constant(c)}, {y});
  set(node, "alpha", alpha);
  set(node, "beta", beta);
  set(node, "transA", std::int64_t{m.turned_a});
  set(node, "transB", std::int64_t{m.turned_b});
  output_reals(model, random, types.y, m.y(), sums, y);
}

// QGemm whose result is real.
void add_real_qgemm(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  Matrices m = random_matrices(random);
  m.batch = {};
  m.turned_a = random.chance(30);
  m.turned_b = random.chance(50);
  const TensorData a = random_data(random, types.x, m.a(), onnx_quantisation(random, types.x));
  const TensorData b = random_data(random, types.weights, m.b(), onnx_quantisation(random, types.weights));
  const float alpha = random.chance(50) ? 1.0f : static_cast<float>(random.real(-2, 2));
  const RealSums sums = real_sums(m, a, b, static_cast<double>(alpha));
  TensorData y{TensorType::FLOAT32, m.y(), {}, {}, {}};
  for (const double v : sums.values) y.floats.push_back(static_cast<float>(v));
  model.add_text("QGemm to float " + text(types) + ", " + text(m.a()) + " " + text(m.b()));
  Names inputs;
  for (const TensorData* t : {&a, &b}) {
    inputs.push_back(t == &a ? model.input(*t) : model.constant(*t));
    for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
  }
  auto& node = model.node("QGemm", inputs, {model.output(y, 1e-5 + 1e-5 * sums.largest)}, kContributed);
  set(node, "alpha", alpha);
  set(node, "transA", std::int64_t{m.turned_a});
  set(node, "transB", std::int64_t{m.turned_b});
}

// Matrices whose scales may be one for each row of A and each column of B.
TensorData random_matrix(Random& random, TensorType type, const Shape& shape, std::int32_t axis) {
  TensorData t = random_data(random, type, shape, onnx_quantisation(random, type, 1e-3, 0.3));
  if (shape.size() != 2 || random.chance(50)) return t;
  t.q.axis = axis;
  for (std::int32_t i = 1; i < shape[static_cast<std::size_t>(axis)]; ++i) {
    t.q.scales.push_back(any_scale(random, 1e-3, 0.3));
    t.q.zero_points.push_back(any_zero_point(random, type));
  }
  return t;
}

void add_qlinear_matrices(OnnxModel& model, Random& random, const OnnxProductTypes& types) {
  const Matrices m = random_matrices(random);
  const TensorData a = random_matrix(random, types.x, m.a(), 0), b = random_matrix(random, types.weights, m.b(), 1);
  const auto parameter = [](const TensorData& t, std::int32_t i) {
    return t.q.scales.size() == 1 ? std::size_t{0} : static_cast<std::size_t>(i);
  };
  model.add_text("QLinearMatMul of activations " + text(types) + ", " + text(m.a()) + " " + text(m.b()));
  std::vector<std::int64_t> sums;
  std::vector<float> products;  // of the scales
  double largest = 1e-6;
  m.for_each_sum([&](const std::vector<Matrices::Factors>& factors, std::int32_t row, std::int32_t column) {
    const std::size_t i = parameter(a, row), j = parameter(b, column);
    std::int64_t sum = 0;
    for (const auto& [at, bt] : factors) sum += (a.ints[at] - a.q.zero_points[i]) * (b.ints[bt] - b.q.zero_points[j]);
    sums.push_back(sum);
    products.push_back(a.q.scales[i] * b.q.scales[j]);
    largest = std::max(largest, std::abs(static_cast<double>(sum) * static_cast<double>(products.back())));
  });
  TensorData y{types.y,
               m.y(),
               {{any_scale(random, largest / 500, largest / 50)}, {any_zero_point(random, types.y)}, -1},
               {},
               {}};
  for (std::size_t i = 0; i < sums.size(); ++i)
    y.ints.push_back(clamp_to(y.type, scaled_literally(sums[i], products[i] / y.scale()) + y.zero_point()));
  Names inputs;
  for (const TensorData* t : {&a, &b}) {
    inputs.push_back(model.input(*t));
    for (const std::string& name : model.parameters(*t)) inputs.push_back(name);
  }
  for (const std::string& name : model.parameters(y)) inputs.push_back(name);
  model.node("QLinearMatMul", inputs, {model.output(y)});
}

}  // namespace

void make_onnx_matmul(OnnxModel& model, Random& random, std::size_t index) {
  struct Form {
    void (*add)(OnnxModel&, Random&, const OnnxProductTypes&);
    bool bytes_only;
  };
  static constexpr Form kForms[] = {
      {add_gemm, false},        {add_matmul, false},    {add_qlinear_dense, true},    {add_qgemm, true},
      {add_activations, false}, {add_real_gemm, false}, {add_qlinear_matrices, true}, {add_real_qgemm, true},
  };
  const Form& form = kForms[index % std::size(kForms)];
  form.add(model, random,
           kProductTypes[index / std::size(kForms) % (form.bytes_only ? kByteTypes : std::size(kProductTypes))]);
}

void make_onnx_matmul_literal(LiteralOnnxModel& model, Random& random, std::size_t index) {
  const OnnxProductTypes& types = kProductTypes[index / 2 % kByteTypes];
  if (index % 2 == 0) return add_qlinear_matrices(model, random, types);
  OnnxProduct p = dense(random, types, random_shape(random, 0, 3, 3), false);
  model.add_text(described("QLinearMatMul", p));
  add_qlinear_product(model, random, std::move(p), SumRounding::literal, false,
                      [&](const Names& inputs, const std::string& y) { model.node("QLinearMatMul", inputs, {y}); });
}

}  // namespace byoc::test
