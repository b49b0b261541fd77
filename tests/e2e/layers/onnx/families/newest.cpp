// Operators of late opsets on float32, computed in double as ONNX defines them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/floats.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

void add_rms_normalization(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, random_shape(random, 1, 4, 7));
  const auto axis = static_cast<std::size_t>(random.between(0, std::ssize(x.shape) - 1));
  const TensorData scale = floats(random, Shape(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end()));
  const std::size_t n = scale.elements();
  TensorData y = zeros(x.shape);
  for (std::size_t row = 0; row < x.floats.size(); row += n) {
    double sum = 0;
    for (std::size_t i = row; i < row + n; ++i)
      sum += static_cast<double>(x.floats[i]) * static_cast<double>(x.floats[i]);
    const double root = std::sqrt(sum / static_cast<double>(n) + 1e-3);
    for (std::size_t i = 0; i < n; ++i)
      y.floats[row + i] =
          static_cast<float>(static_cast<double>(x.floats[row + i]) / root * static_cast<double>(scale.floats[i]));
  }
  auto& node = model.node("RMSNormalization", {model.input(x), model.constant(scale)}, {model.output(y, kFloats)});
  set(node, "axis", static_cast<std::int64_t>(axis));
  set(node, "epsilon", 1e-3f);
}

void add_cum_prod(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, random_shape(random, 1, 3, 6), 0.5, 1.5);
  const auto axis = static_cast<std::size_t>(random.between(0, std::ssize(x.shape) - 1));
  const bool exclusive = random.chance(50), reverse = random.chance(50);
  TensorData y = zeros(x.shape);
  for_each_index(x.shape, [&](const Index& i) {
    double product = 1;
    for (Index k = i;;) {
      if (k != i || !exclusive) product *= at(x, k);
      std::int32_t& place = k[axis];
      if (reverse ? ++place == x.shape[axis] : place-- == 0) break;
    }
    element(y, i) = static_cast<float>(product);
  });
  auto& node =
      model.node("CumProd", {model.input(x), model.constant({INT64, {}, {}, {static_cast<std::int64_t>(axis)}, {}})},
                 {model.output(y, kFloats)});
  set(node, "exclusive", std::int64_t{exclusive});
  set(node, "reverse", std::int64_t{reverse});
}

void add_bit_cast(OnnxModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 3, 6);
  if (random.chance(50)) {
    const TensorData x = random_data(random, INT8, shape);
    TensorData y{UINT8, shape, {}, {}, {}};
    for (const std::int64_t v : x.ints) y.ints.push_back(v & 255);
    return set(model.node("BitCast", {model.input(x)}, {model.output(y)}), "to",
               std::int64_t{onnx::TensorProto::UINT8});
  }
  const TensorData x = floats(random, shape);
  TensorData y{INT32, shape, {}, {}, {}};
  for (const float v : x.floats) y.ints.push_back(std::bit_cast<std::int32_t>(v));
  set(model.node("BitCast", {model.input(x)}, {model.output(y)}), "to", std::int64_t{onnx::TensorProto::INT32});
}

void add_attention(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 2), heads = random.size(1, 2), shared = random.size(1, 3);
  const std::int32_t rows = random.size(1, 5), columns = random.size(1, 6), depth = random.size(1, 6),
                     width = random.size(1, 5);
  const bool causal = random.chance(40), masked = random.chance(50);
  const float scale = random.chance(50) ? 0.4f : 0.0f;  // 0: not given
  const TensorData q = floats(random, {batch, heads * shared, rows, depth}),
                   k = floats(random, {batch, heads, columns, depth});
  const TensorData v = floats(random, {batch, heads, columns, width}), mask = floats(random, {rows, columns});
  const double by = scale != 0 ? static_cast<double>(scale) : 1 / std::sqrt(depth);
  TensorData y = zeros({batch, heads * shared, rows, width});
  for_each_index({batch, heads * shared, rows}, [&](const Index& i) {
    const std::int32_t head = i[1] / shared, end = causal ? std::min(columns, i[2] + 1) : columns;
    std::vector<double> weights;
    double sum = 0;
    for (std::int32_t c = 0; c < end; ++c) {
      double score = 0;
      for (std::int32_t d = 0; d < depth; ++d) score += at(q, {i[0], i[1], i[2], d}) * at(k, {i[0], head, c, d});
      weights.push_back(std::exp(score * by + (masked ? at(mask, {i[2], c}) : 0)));
      sum += weights.back();
    }
    for (std::int32_t w = 0; w < width; ++w) {
      double total = 0;
      for (std::int32_t c = 0; c < end; ++c)
        total += weights[static_cast<std::size_t>(c)] / sum * at(v, {i[0], head, c, w});
      element(y, {i[0], i[1], i[2], w}) = static_cast<float>(total);
    }
  });
  model.add_text(std::string(causal ? "causal" : "") + (masked ? " masked" : ""));
  OnnxModel::Names inputs{model.input(q), model.input(k), model.input(v)};
  if (masked) inputs.push_back(model.input(mask));
  auto& node = model.node("Attention", inputs, {model.output(y, kFloats)});
  set(node, "is_causal", std::int64_t{causal});
  if (scale != 0) set(node, "scale", scale);
}

void add_rotary_embedding(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 2), heads = random.size(1, 3), steps = random.size(1, 4),
                     half = random.size(1, 4);
  const bool interleaved = random.chance(50);
  const TensorData x = floats(random, {batch, heads, steps, 2 * half});
  const TensorData cosines = floats(random, {batch, steps, half}, -1, 1),
                   sines = floats(random, {batch, steps, half}, -1, 1);
  TensorData y = zeros(x.shape);
  for_each_index({batch, heads, steps, half}, [&](const Index& i) {
    Index first = i, second = i;
    first[3] = interleaved ? 2 * i[3] : i[3];
    second[3] = interleaved ? first[3] + 1 : i[3] + half;
    const double c = at(cosines, {i[0], i[2], i[3]}), s = at(sines, {i[0], i[2], i[3]}), a = at(x, first),
                 b = at(x, second);
    element(y, first) = static_cast<float>(c * a - s * b);
    element(y, second) = static_cast<float>(s * a + c * b);
  });
  auto& node = model.node("RotaryEmbedding", {model.input(x), model.input(cosines), model.input(sines)},
                          {model.output(y, kFloats)});
  set(node, "interleaved", std::int64_t{interleaved});
}

void add_tensor_scatter(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 3), heads = random.size(1, 3), most = random.size(2, 7),
                     depth = random.size(1, 4);
  const std::int32_t steps = random.size(1, most);
  const bool circular = random.chance(50);
  const TensorData past = floats(random, {batch, heads, most, depth}),
                   update = floats(random, {batch, heads, steps, depth});
  TensorData places{INT64, {batch}, {}, {}, {}}, y = past;
  for (std::int32_t b = 0; b < batch; ++b) places.ints.push_back(random.between(0, circular ? most - 1 : most - steps));
  for_each_index(update.shape, [&](const Index& i) {
    Index to = i;
    to[2] = static_cast<std::int32_t>((places.ints[static_cast<std::size_t>(i[0])] + i[2]) % most);
    element(y, to) = update.floats[place(update.shape, i)];
  });
  auto& node =
      model.node("TensorScatter", {model.input(past), model.input(update), model.input(places)}, {model.output(y)});
  set(node, "mode", circular ? "circular" : "linear");
}

void add_col2im(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 2), channels = random.size(1, 3), kh = random.size(1, 3),
                     kw = random.size(1, 3);
  const std::int32_t pad = random.size(0, 1), stride = random.size(1, 2), dilation = random.size(1, 2);
  const std::int32_t h = (kh - 1) * dilation + random.size(1, 5), w = (kw - 1) * dilation + random.size(1, 5);
  const std::int32_t rows = (h + 2 * pad - (kh - 1) * dilation - 1) / stride + 1,
                     columns = (w + 2 * pad - (kw - 1) * dilation - 1) / stride + 1;
  const TensorData x = random_data(random, FLOAT32, {batch, channels * kh * kw, rows * columns});
  TensorData y = zeros({batch, channels, h, w});
  for_each_index({batch, channels, kh, kw, rows, columns}, [&](const Index& i) {
    const std::int32_t to_y = i[4] * stride - pad + i[2] * dilation, to_x = i[5] * stride - pad + i[3] * dilation;
    if (to_y < 0 || to_y >= h || to_x < 0 || to_x >= w) return;
    element(y, {i[0], i[1], to_y, to_x}) +=
        x.floats[place(x.shape, {i[0], (i[1] * kh + i[2]) * kw + i[3], i[4] * columns + i[5]})];
  });
  auto& node =
      model.node("Col2Im", {model.input(x), model.integers({h, w}), model.integers({kh, kw})}, {model.output(y)});
  set(node, "dilations", std::vector<std::int64_t>{dilation, dilation});
  set(node, "pads", std::vector<std::int64_t>{pad, pad, pad, pad});
  set(node, "strides", std::vector<std::int64_t>{stride, stride});
}

void add_center_crop_pad(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, random_shape(random, 1, 3, 7));
  std::vector<std::int64_t> wanted;
  Shape shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d) shape.push_back(random.size(1, 9));
  wanted.assign(shape.begin(), shape.end());
  TensorData y = zeros(shape);
  for_each_index(shape, [&](const Index& i) {
    Index from = i;
    for (std::size_t d = 0; d < i.size(); ++d) {
      const std::int32_t have = x.shape[d], want = shape[d];
      from[d] += want < have ? (have - want) / 2 : -((want - have) / 2);
      if (from[d] < 0 || from[d] >= have) return;
    }
    element(y, i) = x.floats[place(x.shape, from)];
  });
  model.node("CenterCropPad", {model.input(x), model.integers(wanted)}, {model.output(y)});
}

void add_affine_grid(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 2), h = random.size(2, 6), w = random.size(2, 6);
  const bool corners = random.chance(50);
  const TensorData theta = floats(random, {batch, 2, 3});
  TensorData y = zeros({batch, h, w, 2});
  const auto coordinate = [&](std::int32_t i, std::int32_t n) {
    return corners ? 2.0 * i / (n - 1) - 1 : (2.0 * i + 1) / n - 1;
  };
  for_each_index(y.shape, [&](const Index& i) {
    element(y, i) = static_cast<float>(at(theta, {i[0], i[3], 0}) * coordinate(i[2], w) +
                                       at(theta, {i[0], i[3], 1}) * coordinate(i[1], h) + at(theta, {i[0], i[3], 2}));
  });
  auto& node =
      model.node("AffineGrid", {model.input(theta), model.integers({batch, 1, h, w})}, {model.output(y, kFloats)});
  set(node, "align_corners", std::int64_t{corners});
}

void add_group_normalization(OnnxModel& model, Random& random) {
  const std::int32_t batch = random.size(1, 2), groups = random.size(1, 3), width = random.size(1, 3),
                     length = random.size(2, 6);
  const std::int32_t channels = groups * width;
  const TensorData x = floats(random, {batch, channels, length}), scale = floats(random, {channels}),
                   bias = floats(random, {channels});
  TensorData y = zeros(x.shape);
  for_each_index(x.shape, [&](const Index& i) {
    const std::int32_t first = i[1] / width * width;
    double sum = 0, squares = 0;
    for_each_index({width, length}, [&](const Index& k) { sum += at(x, {i[0], first + k[0], k[1]}); });
    const double n = width * length, mean = sum / n;
    for_each_index({width, length},
                   [&](const Index& k) { squares += std::pow(at(x, {i[0], first + k[0], k[1]}) - mean, 2); });
    element(y, i) =
        static_cast<float>((at(x, i) - mean) / std::sqrt(squares / n + 1e-2) * at(scale, {i[1]}) + at(bias, {i[1]}));
  });
  auto& node = model.node("GroupNormalization", {model.input(x), model.constant(scale), model.constant(bias)},
                          {model.output(y, kFloats)});
  set(node, "num_groups", std::int64_t{groups});
  set(node, "epsilon", 1e-2f);
}

}  // namespace

void make_onnx_newest(NewestOnnxModel& model, Random& random, std::size_t index) {
  struct Row {
    const char* op;
    void (*add)(OnnxModel&, Random&);
  };
  static constexpr Row kRows[] = {
      {"AffineGrid", add_affine_grid},
      {"Attention", add_attention},
      {"BitCast", add_bit_cast},
      {"CenterCropPad", add_center_crop_pad},
      {"Col2Im", add_col2im},
      {"CumProd", add_cum_prod},
      {"GroupNormalization", add_group_normalization},
      {"RMSNormalization", add_rms_normalization},
      {"RotaryEmbedding", add_rotary_embedding},
      {"TensorScatter", add_tensor_scatter},
  };
  const Row& row = kRows[index % std::size(kRows)];
  model.add_text(row.op);
  row.add(model, random);
}

}  // namespace byoc::test
