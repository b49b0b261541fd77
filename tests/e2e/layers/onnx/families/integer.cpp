// ConvInteger and MatMulInteger: sums of products of bytes less their zero points.
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/matrices.hpp"
#include "tests/e2e/layers/onnx/rounding.hpp"
#include "tests/e2e/layers/onnx/window.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct Types {
  TensorType a, b;
};
constexpr Types kIntegerTypes[] = {{INT8, INT8}, {UINT8, INT8}, {UINT8, UINT8}, {INT8, UINT8}};

// One zero point, or one for each index of an axis; none sometimes.
TensorData random_operand(Random& random, TensorType type, Shape shape, std::int32_t axis) {
  TensorData t = random_data(random, type, std::move(shape), {{}, {}, -1});
  if (random.chance(20)) return t;
  if (axis >= 0 && random.chance(50)) t.q.axis = axis;
  const std::int32_t count = t.q.axis < 0 ? 1 : t.shape[static_cast<std::size_t>(axis)];
  for (std::int32_t i = 0; i < count; ++i) t.q.zero_points.push_back(any_zero_point(random, type));
  return t;
}

std::int64_t zero_point_at(const TensorData& t, std::int32_t i) {
  return t.q.axis < 0 ? t.zero_point() : t.q.zero_points[static_cast<std::size_t>(i)];
}

void add_integers(OnnxModel& model, Random& random, const TensorData& a, const TensorData& b, const TensorData& y,
                  const std::function<void(const OnnxModel::Names&, const std::string&)>& add_node) {
  OnnxModel::Names inputs{model.input(a), random.chance(70) ? model.constant(b) : model.input(b)};
  for (const TensorData* t : {&a, &b}) {
    const auto& zeros = t->q.zero_points;
    const Shape shape = t->q.axis < 0 ? Shape{} : Shape{static_cast<std::int32_t>(zeros.size())};
    inputs.push_back(zeros.empty() ? "" : model.constant({t->type, shape, {}, zeros, {}}));
  }
  while (inputs.back().empty()) inputs.pop_back();
  add_node(inputs, model.output(y));
}

void add_conv(OnnxModel& model, Random& random, const Types& types) {
  const std::int32_t channels = random_channels(random, 9), outputs = random_channels(random, 6);
  const std::int32_t groups = random.chance(25) ? random.size(2, 4) : 1, batch = random.size(1, 2);
  const Windows windows = random_windows(random, 3, channels > 9 || outputs > 6);
  const TensorData x = random_operand(random, types.a, behind({batch, groups * channels}, windows.in()), -1);
  const TensorData w = random_operand(random, types.b, behind({groups * outputs, channels}, windows.kernel()), 0);
  TensorData y{INT32, behind({batch, groups * outputs}, windows.out()), {}, {}, {}};
  for_each_index(y.shape, [&](const Index& at) {
    std::int64_t sum = 0;
    windows.for_each_tap({at.begin() + 2, at.end()}, [&](const Index& position, const Index& tap) {
      for (std::size_t d = 0; d < position.size(); ++d)
        if (!windows.dims[d].is_inside(position[d])) return;
      for (std::int32_t i = 0; i < channels; ++i)
        sum += (x.ints[place(x.shape, behind({at[0], at[1] / outputs * channels + i}, position))] - x.zero_point()) *
               (w.ints[place(w.shape, behind({at[1], i}, tap))] - zero_point_at(w, at[1]));
    });
    y.ints.push_back(sum);
  });
  model.add_text("ConvInteger, groups " + std::to_string(groups) + " of " + std::to_string(channels) + " -> " +
                 std::to_string(outputs) + windows.text());
  add_integers(model, random, x, w, y, [&](const OnnxModel::Names& inputs, const std::string& out) {
    auto& node = model.node("ConvInteger", inputs, {out});
    windows.set_attributes(node, random);
    set(node, "group", std::int64_t{groups});
  });
}

void add_matmul_integer(OnnxModel& model, Random& random, const Types& types) {
  const Matrices m = random_matrices(random);
  const bool is_plain = m.y().size() == 2;
  const TensorData a = random_operand(random, types.a, m.a(), is_plain ? 0 : -1);
  const TensorData b = random_operand(random, types.b, m.b(), is_plain ? 1 : -1);
  TensorData y{INT32, m.y(), {}, {}, {}};
  m.for_each_sum([&](const std::vector<Matrices::Factors>& factors, std::int32_t row, std::int32_t column) {
    std::int64_t sum = 0;
    for (const auto& [i, j] : factors)
      sum += (a.ints[i] - zero_point_at(a, row)) * (b.ints[j] - zero_point_at(b, column));
    y.ints.push_back(sum);
  });
  model.add_text("MatMulInteger " + text(m.a()) + " " + text(m.b()));
  add_integers(model, random, a, b, y, [&](const OnnxModel::Names& inputs, const std::string& out) {
    model.node("MatMulInteger", inputs, {out});
  });
}

}  // namespace

void make_onnx_integer(OnnxModel& model, Random& random, std::size_t index) {
  const Types& types = kIntegerTypes[index / 2 % std::size(kIntegerTypes)];
  (index % 2 == 0 ? add_conv : add_matmul_integer)(model, random, types);
}

}  // namespace byoc::test
