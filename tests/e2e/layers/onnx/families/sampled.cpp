// Images sampled at computed places, and what weighs neighbours: each result element by its definition, in double.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/floats.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

// Between the four neighbours of (y, x); what lies outside is 0.
double between(const TensorData& image, std::int32_t batch, std::int32_t channel, double y, double x) {
  const double top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  const auto t = static_cast<std::int32_t>(top), l = static_cast<std::int32_t>(left);
  const auto neighbour = [&](std::int32_t row, std::int32_t column) {
    return at_or_zero(image, {batch, channel, row, column});
  };
  return (1 - down) * ((1 - right) * neighbour(t, l) + right * neighbour(t, l + 1)) +
         down * ((1 - right) * neighbour(t + 1, l) + right * neighbour(t + 1, l + 1));
}

void add_grid_sample(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, {random.size(1, 2), random.size(1, 3), random.size(2, 6), random.size(2, 6)});
  const TensorData grid = floats(random, {x.shape[0], random.size(1, 5), random.size(1, 5), 2}, -1.2, 1.2);
  const bool aligns = random.chance(50), clamps = random.chance(50);
  const auto place_of = [&](double g, std::int32_t length) {
    const double p = aligns ? (g + 1) / 2 * (length - 1) : ((g + 1) * length - 1) / 2;
    return clamps ? std::clamp(p, 0.0, static_cast<double>(length - 1)) : p;
  };
  TensorData y = zeros({x.shape[0], x.shape[1], grid.shape[1], grid.shape[2]});
  for_each_index(y.shape, [&](const Index& i) {
    const double column = place_of(at(grid, {i[0], i[2], i[3], 0}), x.shape[3]),
                 row = place_of(at(grid, {i[0], i[2], i[3], 1}), x.shape[2]);
    element(y, i) = static_cast<float>(between(x, i[0], i[1], row, column));
  });
  auto& node = model.node("GridSample", {model.input(x), model.input(grid)}, {model.output(y, kFloats)});
  set(node, "align_corners", std::int64_t{aligns});
  set(node, "mode", "linear");
  set(node, "padding_mode", clamps ? "border" : "zeros");
}

// Regions inside the image: at its border, what lies outside is another rule.
void add_roi_align(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, {random.size(1, 2), random.size(1, 3), random.size(6, 9), random.size(6, 9)});
  const std::int32_t count = random.size(1, 3), height = random.size(1, 3), width = random.size(1, 3),
                     samples = random.size(1, 3);
  TensorData rois = zeros({count, 4}), batches{INT64, {count}, {}, {}, {}};
  for (std::int32_t r = 0; r < count; ++r) {
    batches.ints.push_back(random.between(0, x.shape[0] - 1));
    for (const std::int32_t side : {0, 1}) {
      element(rois, {r, side}) = static_cast<float>(random.real(1, 2));
      element(rois, {r, side + 2}) = static_cast<float>(random.real(3.5, 5.5));
    }
  }
  TensorData y = zeros({count, x.shape[1], height, width});
  for_each_index(y.shape, [&](const Index& i) {
    const double left = at(rois, {i[0], 0}) - 0.5, top = at(rois, {i[0], 1}) - 0.5;
    const double bin_width = (at(rois, {i[0], 2}) - 0.5 - left) / width,
                 bin_height = (at(rois, {i[0], 3}) - 0.5 - top) / height;
    double sum = 0;
    for (std::int32_t a = 0; a < samples; ++a)
      for (std::int32_t b = 0; b < samples; ++b)
        sum +=
            between(x, static_cast<std::int32_t>(batches.ints[static_cast<std::size_t>(i[0])]), i[1],
                    top + (i[2] + (a + 0.5) / samples) * bin_height, left + (i[3] + (b + 0.5) / samples) * bin_width);
    element(y, i) = static_cast<float>(sum / (samples * samples));
  });
  auto& node =
      model.node("RoiAlign", {model.input(x), model.input(rois), model.constant(batches)}, {model.output(y, kFloats)});
  set(node, "output_height", std::int64_t{height});
  set(node, "output_width", std::int64_t{width});
  set(node, "sampling_ratio", std::int64_t{samples});
  set(node, "coordinate_transformation_mode", "half_pixel");
}

void add_lrn(OnnxModel& model, Random& random) {
  const TensorData x = floats(random, {random.size(1, 2), random.size(1, 8), random.size(1, 4), random.size(1, 4)});
  const std::int32_t size = 2 * random.size(0, 3) + 1;
  const double alpha = random.real(0.01, 0.5), beta = random.real(0.3, 1), bias = random.real(0.5, 2);
  TensorData y = zeros(x.shape);
  for_each_index(x.shape, [&](const Index& i) {
    double squares = 0;
    for (std::int32_t c = i[1] - size / 2; c <= i[1] + size / 2; ++c) {
      const double v = at_or_zero(x, {i[0], c, i[2], i[3]});
      squares += v * v;
    }
    element(y, i) = static_cast<float>(at(x, i) / std::pow(bias + alpha / size * squares, beta));
  });
  auto& node = model.node("LRN", {model.input(x)}, {model.output(y, kFloats)});
  set(node, "size", std::int64_t{size});
  set(node, "alpha", static_cast<float>(alpha));
  set(node, "beta", static_cast<float>(beta));
  set(node, "bias", static_cast<float>(bias));
}

void add_conv_transpose(OnnxModel& model, Random& random) {
  const std::int32_t groups = random.size(1, 2), in = groups * random.size(1, 4), out = random.size(1, 4);
  const std::int32_t kernel = random.size(1, 4), stride = random.size(1, 3), dilation = random.size(1, 2);
  const std::int32_t span = dilation * (kernel - 1) + 1, pad = random.size(0, (span - 1) / 2);
  const std::int32_t extra = random.size(0, stride - 1);
  const TensorData x =
      floats(random, {random.size(1, 2), in, random.size(1, 5), random.size(1, random.size(1, 2) == 1 ? 5 : 40)});
  const TensorData w = floats(random, {in, out, kernel, kernel}), b = floats(random, {groups * out});
  const auto length = [&](std::int32_t n) { return stride * (n - 1) + extra + span - 2 * pad; };
  if (length(x.shape[2]) < 1 || length(x.shape[3]) < 1) return add_lrn(model, random);
  TensorData y = zeros({x.shape[0], groups * out, length(x.shape[2]), length(x.shape[3])});
  std::vector<double> sums(y.elements());
  for_each_index(y.shape, [&](const Index& i) { sums[place(y.shape, i)] = at(b, {i[1]}); });
  for_each_index(x.shape, [&](const Index& i) {
    for_each_index({out, kernel, kernel}, [&](const Index& k) {
      const Index to = {i[0], i[1] / (in / groups) * out + k[0], i[2] * stride + k[1] * dilation - pad,
                        i[3] * stride + k[2] * dilation - pad};
      if (to[2] < 0 || to[2] >= y.shape[2] || to[3] < 0 || to[3] >= y.shape[3]) return;
      sums[place(y.shape, to)] += at(x, i) * at(w, {i[1], k[0], k[1], k[2]});
    });
  });
  for (std::size_t i = 0; i < sums.size(); ++i) y.floats[i] = static_cast<float>(sums[i]);
  auto& node =
      model.node("ConvTranspose", {model.input(x), model.constant(w), model.constant(b)}, {model.output(y, kFloats)});
  set(node, "group", std::int64_t{groups});
  set(node, "strides", std::vector<std::int64_t>{stride, stride});
  set(node, "dilations", std::vector<std::int64_t>{dilation, dilation});
  set(node, "pads", std::vector<std::int64_t>{pad, pad, pad, pad});
  set(node, "output_padding", std::vector<std::int64_t>{extra, extra});
}

void add_deform_conv(OnnxModel& model, Random& random) {
  const std::int32_t in = random.size(1, 4), out = random.size(1, 4), kernel = random.size(1, 3),
                     pad = random.size(0, 1);
  const TensorData x = floats(random, {random.size(1, 2), in, random.size(3, 6), random.size(3, 6)});
  const TensorData w = floats(random, {out, in, kernel, kernel}), b = floats(random, {out});
  const Shape image = {x.shape[2] + 2 * pad - kernel + 1, x.shape[3] + 2 * pad - kernel + 1};
  const bool is_masked = random.chance(50);
  const TensorData offset = floats(random, {x.shape[0], 2 * kernel * kernel, image[0], image[1]}, -1.5, 1.5),
                   mask = floats(random, {x.shape[0], kernel * kernel, image[0], image[1]}, 0, 1);
  TensorData y = zeros({x.shape[0], out, image[0], image[1]});
  for_each_index(y.shape, [&](const Index& i) {
    double sum = at(b, {i[1]});
    for_each_index({in, kernel, kernel}, [&](const Index& k) {
      const std::int32_t tap = k[1] * kernel + k[2];
      const double row = i[2] - pad + k[1] + at(offset, {i[0], 2 * tap, i[2], i[3]}),
                   column = i[3] - pad + k[2] + at(offset, {i[0], 2 * tap + 1, i[2], i[3]});
      const double seen = is_masked ? at(mask, {i[0], tap, i[2], i[3]}) : 1;
      sum += seen * between(x, i[0], k[0], row, column) * at(w, {i[1], k[0], k[1], k[2]});
    });
    element(y, i) = static_cast<float>(sum);
  });
  OnnxModel::Names inputs = {model.input(x), model.constant(w), model.input(offset), model.constant(b)};
  if (is_masked) inputs.push_back(model.input(mask));
  auto& node = model.node("DeformConv", inputs, {model.output(y, kFloats)});
  set(node, "pads", std::vector<std::int64_t>{pad, pad, pad, pad});
  set(node, "kernel_shape", std::vector<std::int64_t>{kernel, kernel});
}

}  // namespace

void make_onnx_sampled(OnnxModel& model, Random& random, std::size_t index) {
  struct Row {
    const char* op;
    void (*add)(OnnxModel&, Random&);
  };
  static constexpr Row kRows[] = {{"ConvTranspose", add_conv_transpose},
                                  {"DeformConv", add_deform_conv},
                                  {"GridSample", add_grid_sample},
                                  {"LRN", add_lrn},
                                  {"RoiAlign", add_roi_align}};
  const Row& row = kRows[index % std::size(kRows)];
  model.add_text(row.op);
  row.add(model, random);
}

}  // namespace byoc::test
