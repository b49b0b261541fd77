// Pools and means between DequantizeLinear and QuantizeLinear, and as QLinear operators. Means are sums in float32, one
// term after another.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/products.hpp"
#include "tests/e2e/layers/onnx/window.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct PoolVariant {
  const char* op;
  TensorType type;
  bool is_qlinear = false;
};
constexpr PoolVariant kPoolVariants[] = {
    {"AveragePool", INT8},
    {"AveragePool", UINT8},
    {"AveragePool", INT16},
    {"AveragePool", UINT16},
    {"MaxPool", INT8},
    {"MaxPool", UINT8},
    {"MaxPool", INT16},
    {"MaxPool", UINT16},
    {"GlobalAveragePool", INT8},
    {"GlobalAveragePool", UINT8},
    {"GlobalAveragePool", INT16},
    {"ReduceMean", INT8},
    {"ReduceMean", UINT8},
    {"ReduceMean", INT16},
    {"AveragePool", INT8, true},
    {"AveragePool", UINT8, true},
    {"GlobalAveragePool", INT8, true},
    {"GlobalAveragePool", UINT8, true},
};

TensorData random_pooled(Random& random, const TensorData& x, Shape shape) {
  TensorData y{x.type, std::move(shape), x.q, {}, {}};
  if (random.chance(30)) return y;
  y.q = onnx_quantisation(random, y.type, static_cast<double>(x.scale()) / 4, static_cast<double>(x.scale()) * 2);
  return y;
}

// The last steps of every form: `add` makes the node, from real or quantised inputs to the output. `means`: what is
// expected instead of y's elements where the operator stays real.
using Add = std::function<void(const OnnxModel::Names&, const std::string&)>;
void finish_pool(OnnxModel& model, Random& random, const PoolVariant& v, const TensorData& x, TensorData y,
                 const Add& add, std::vector<double> means = {}) {
  if (v.is_qlinear) {
    OnnxModel::Names inputs{model.input(x)};
    for (const std::string& name : model.parameters(x)) inputs.push_back(name);
    for (const std::string& name : model.parameters(y)) inputs.push_back(name);
    return add(inputs, model.output(y));
  }
  const OnnxClamp clamp = random_clamp(random);
  for (std::int64_t& q : y.ints) q = clamped(q, clamp, y);
  model.add_text(clamp.op);
  const std::string real = model.between();
  add({model.dequantised_input(x)}, real);
  const std::string last = add_clamp(model, clamp, real);
  if (means.empty()) return model.quantise(last, y, model.output(y));
  for (double& mean : means) {
    if (clamp.low) mean = std::max(mean, static_cast<double>(*clamp.low));
    if (clamp.high) mean = std::min(mean, static_cast<double>(*clamp.high));
    mean = steps(mean, y);
  }
  model.quantise(last, y, model.output_near(y, std::move(means), 2 * slack(y.type), false));
}

// Means of 16 bits stay real: vectors may sum them in another order.
bool stays_real(const PoolVariant& v) { return highest(v.type) > 255; }

void add_pool(OnnxModel& model, Random& random, const PoolVariant& v) {
  const bool is_max = v.op == std::string_view("MaxPool");
  const std::int32_t batch = random.size(1, 2), channels = random_channels(random, 9);
  Windows windows = random_windows(random, v.is_qlinear ? 1 : 3, channels > 9);
  const bool ceil = windows.auto_pad == std::string_view("NOTSET") && random.chance(30);
  for (Window& w : windows.dims) w.ceil = ceil;
  const bool counts_padding = !is_max && random.chance(40);
  const TensorData x =
      random_data(random, v.type, behind({batch, channels}, windows.in()), onnx_quantisation(random, v.type));
  TensorData y = random_pooled(random, x, behind({batch, channels}, windows.out()));
  std::vector<double> means;
  for_each_index(y.shape, [&](const Index& at) {
    std::vector<float> inside;
    std::int32_t padded = 0;  // windows may reach beyond the padding, which does not count then
    windows.for_each_tap({at.begin() + 2, at.end()}, [&](const Index& position, const Index&) {
      bool is_inside = true, is_padded = true;
      for (std::size_t d = 0; d < position.size(); ++d) {
        is_inside = is_inside && windows.dims[d].is_inside(position[d]);
        is_padded = is_padded && position[d] < windows.dims[d].in + windows.dims[d].end;
      }
      if (is_inside) inside.push_back(dequantised(x, place(x.shape, behind({at[0], at[1]}, position))));
      if (is_padded) ++padded;
    });
    if (is_max) {  // of nothing but padding it is minus infinity
      inside.push_back(-std::numeric_limits<float>::infinity());
      return y.ints.push_back(quantised(*std::ranges::max_element(inside), y));
    }
    float sum = 0;
    for (const float f : inside) sum += f;
    const std::size_t count = counts_padding ? static_cast<std::size_t>(padded) : inside.size();
    if (stays_real(v)) {
      const double exact = std::accumulate(inside.begin(), inside.end(), 0.0);
      means.push_back(count == 0 ? 0 : exact / static_cast<double>(count));
    }
    y.ints.push_back(quantised(count == 0 ? 0 : sum / static_cast<float>(count), y));
  });
  model.add_text(windows.text() + (counts_padding ? " counting pads" : ""));
  finish_pool(
      model, random, v, x, std::move(y),
      [&](const OnnxModel::Names& inputs, const std::string& out) {
        auto& node = v.is_qlinear ? model.node("QLinearAveragePool", inputs, {out}, kContributed)
                                  : model.node(v.op, inputs, {out});
        windows.set_attributes(node, random, !v.is_qlinear);
        if (ceil) set(node, "ceil_mode", std::int64_t{1});
        if (counts_padding) set(node, "count_include_pad", std::int64_t{1});
      },
      std::move(means));
}

// The mean over `axes`: of all elements of x, in their order. Returns the exact means.
std::vector<double> fill_means(TensorData& y, const TensorData& x, const std::vector<std::int32_t>& axes, bool keeps) {
  Shape kept = x.shape;
  for (const std::int32_t a : axes) kept[static_cast<std::size_t>(a)] = 1;
  std::vector<float> sums(TensorData{y.type, kept, {}, {}, {}}.elements(), 0);
  std::vector<double> exact(sums.size(), 0);
  for_each_index(x.shape, [&](Index at) {
    const float value = dequantised(x, place(x.shape, at));
    for (const std::int32_t a : axes) at[static_cast<std::size_t>(a)] = 0;
    sums[place(kept, at)] += value;
    exact[place(kept, at)] += static_cast<double>(value);
  });
  y.shape = kept;
  if (!keeps) {
    y.shape.clear();
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if (!std::ranges::count(axes, static_cast<std::int32_t>(d))) y.shape.push_back(x.shape[d]);
  }
  const auto count = static_cast<float>(x.elements() / sums.size());
  for (const float s : sums) y.ints.push_back(quantised(s / count, y));
  for (double& e : exact) e /= static_cast<double>(count);
  return exact;
}

void add_global_pool(OnnxModel& model, Random& random, const PoolVariant& v) {
  const bool channels_last = v.is_qlinear && random.chance(50);
  const std::int32_t channels = random_channels(random, 9), batch = random.size(1, 2);
  const bool many = channels > 9;
  Shape shape{batch, channels, random.size(1, many ? 4 : 9), random.size(1, many ? 4 : 9)};
  std::vector<std::int32_t> axes{2, 3};
  if (channels_last) {
    shape = {shape[0], shape[2], shape[3], shape[1]};
    axes = {1, 2};
  } else if (random.chance(25)) {
    shape.pop_back();
    axes = {2};
  }
  const TensorData x = random_data(random, v.type, shape, onnx_quantisation(random, v.type));
  TensorData y = random_pooled(random, x, {});
  std::vector<double> means = fill_means(y, x, axes, true);
  if (!stays_real(v)) means.clear();
  model.add_text(text(shape) + (channels_last ? " channels last" : ""));
  finish_pool(
      model, random, v, x, std::move(y),
      [&](const OnnxModel::Names& inputs, const std::string& out) {
        if (!v.is_qlinear) return void(model.node(v.op, inputs, {out}));
        set(model.node("QLinearGlobalAveragePool", inputs, {out}, kContributed), "channels_last",
            std::int64_t{channels_last});
      },
      std::move(means));
}

void add_mean(OnnxModel& model, Random& random, const PoolVariant& v) {
  const TensorData x = random_data(random, v.type, random_shape(random, 1, 4, 8), onnx_quantisation(random, v.type));
  std::vector<std::int32_t> axes;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (random.chance(50)) axes.push_back(static_cast<std::int32_t>(d));
  if (axes.empty()) axes = {static_cast<std::int32_t>(x.shape.size()) - 1};
  const bool keeps = random.chance(50);
  TensorData y = random_pooled(random, x, {});
  std::vector<double> means = fill_means(y, x, axes, keeps);
  if (!stays_real(v)) means.clear();
  model.add_text(text(x.shape) + " over " + text(axes));
  finish_pool(
      model, random, v, x, std::move(y),
      [&](OnnxModel::Names inputs, const std::string& out) {
        inputs.push_back(model.integers({axes.begin(), axes.end()}));
        set(model.node("ReduceMean", inputs, {out}), "keepdims", std::int64_t{keeps});
      },
      std::move(means));
}

}  // namespace

void make_onnx_pools(OnnxModel& model, Random& random, std::size_t index) {
  const PoolVariant& v = kPoolVariants[index % std::size(kPoolVariants)];
  model.add_text(std::string(v.is_qlinear ? "QLinear" : "") + v.op + " " + schema::EnumNameTensorType(v.type));
  const std::string_view op = v.op;
  if (op == "ReduceMean") return add_mean(model, random, v);
  if (op == "GlobalAveragePool") return add_global_pool(model, random, v);
  add_pool(model, random, v);
}

}  // namespace byoc::test
