// MediaPipe's Landmarks2TransformMatrix, TransformLandmarks and TransformTensorBilinear, in double.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/support/flex_options.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

struct Point {
  double x, y;
};

Point turned(const Point& p, double angle) {
  return {p.x * std::cos(angle) - p.y * std::sin(angle), p.x * std::sin(angle) + p.y * std::cos(angle)};
}

// Where the crop's pixel (column, row) lies in the image: from its middle in units of the crop, scaled to the box
// around the subset, turned back, and moved to the box's middle.
void to_matrix(TfliteModel& model, Random& random) {
  const std::int32_t count = random.size(2, 12);
  const TensorData x = random_data(random, FLOAT32, {1, count, 3}, {}, 0, 64);
  const auto point = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i) * 3;
    return Point{static_cast<double>(x.floats[at]), static_cast<double>(x.floats[at + 1])};
  };
  const std::int64_t left = random.between(0, count - 2), right = random.between(left + 1, count - 1);
  const std::int64_t height = random.between(1, 40), width = random.between(1, 40);
  const bool has_target = random.chance(50);
  const double target = has_target ? random.real(-3, 3) : 0, scale_x = random.real(0.5, 2),
               scale_y = random.real(0.5, 2);
  std::vector<std::int64_t> subset;
  for (std::int32_t i = random.size(1, 6); i > 0; --i)
    subset.insert(subset.end(), {random.between(0, count - 1), random.between(0, count - 1)});
  const Point from = point(left), to = point(right);
  const double angle = target - std::atan2(to.y - from.y, to.x - from.x);
  Point low{1e9, 1e9}, high{-1e9, -1e9};
  for (const std::int64_t i : subset) {
    const Point p = turned(point(i), angle);
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const Point centre = turned({(low.x + high.x) / 2, (low.y + high.y) / 2}, -angle);
  const auto placed = [&](double column, double row) {
    const Point p =
        turned({(column - static_cast<double>(width) / 2) * scale_x * (high.x - low.x) / static_cast<double>(width),
                (row - static_cast<double>(height) / 2) * scale_y * (high.y - low.y) / static_cast<double>(height)},
               -angle);
    return Point{p.x + centre.x, p.y + centre.y};
  };
  const Point origin = placed(0, 0), across = placed(1, 0), down = placed(0, 1);
  TensorData y{FLOAT32, {1, 4, 4}, {}, {}, {}};
  for (const double v : {across.x - origin.x, down.x - origin.x, 0.0, origin.x, across.y - origin.y, down.y - origin.y,
                         0.0, origin.y, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0})
    y.floats.push_back(static_cast<float>(v));
  flexbuffers::Builder b;
  b.Map([&] {
    b.Int("left_rotation_idx", left);
    b.Int("right_rotation_idx", right);
    b.Int("output_height", height);
    b.Int("output_width", width);
    b.Double("scale_x", scale_x);
    b.Double("scale_y", scale_y);
    if (has_target) b.Double("target_rotation_radians", target);
    b.TypedVector("subset_idxs", [&] {
      for (const std::int64_t i : subset) b.Int(i);
    });
  });
  b.Finish();
  // Differences of numbers of up to 64 stand in the matrix.
  add_custom(model.writer, "Landmarks2TransformMatrix", {model.input(x)}, {model.output(y, 1e-4)}).custom_options =
      b.GetBuffer();
}

void landmarks(TfliteModel& model, Random& random) {
  const std::int32_t count = random.size(1, 20), numbers = random.size(2, 3);
  const TensorData x = random_data(random, FLOAT32, {1, count, numbers}), m = random_data(random, FLOAT32, {1, 4, 4});
  TensorData y = x;
  const auto at = [&](std::size_t i) { return static_cast<double>(m.floats[i]); };
  for (std::size_t i = 0; i < y.floats.size(); i += static_cast<std::size_t>(numbers))
    for (const std::size_t row : {std::size_t{0}, std::size_t{1}})
      y.floats[i + row] = static_cast<float>(at(row * 4) * static_cast<double>(x.floats[i]) +
                                             at(row * 4 + 1) * static_cast<double>(x.floats[i + 1]) + at(row * 4 + 3));
  add_custom(model.writer, "TransformLandmarks", {model.input(x), model.input(m)}, {model.output(y, 1e-6)});
}

// Matrices of eighths, so that positions are exact and often at an edge.
void transformed_tensor(TfliteModel& model, Random& random) {
  const std::int32_t height = random.size(1, 7), width = random.size(1, 7), channels = random.size(1, 5);
  const std::int32_t out_height = random.size(1, 6), out_width = random.size(1, 6);
  const TensorData x = random_data(random, FLOAT32, {1, height, width, channels});
  TensorData m = random_data(random, FLOAT32, {1, 4, 4});
  for (float& f : m.floats) f = static_cast<float>(random.between(-4, 12)) / 8;
  TensorData y{FLOAT32, {1, out_height, out_width, channels}, {}, {}, {}};
  const auto at = [&](std::size_t i) { return static_cast<double>(m.floats[i]); };
  for_each_index(y.shape, [&](const Index& i) {
    const double column = i[2] + 0.5, row = i[1] + 0.5;
    const double u = at(0) * column + at(1) * row + at(3) - 0.5, v = at(4) * column + at(5) * row + at(7) - 0.5;
    double sum = 0;
    if (u >= 0 && u <= width - 1 && v >= 0 && v <= height - 1)
      for (std::int32_t r = 0; r < height; ++r)
        for (std::int32_t c = 0; c < width; ++c)
          sum += std::max(0.0, 1 - std::abs(u - c)) * std::max(0.0, 1 - std::abs(v - r)) *
                 static_cast<double>(x.floats[place(x.shape, {0, r, c, i[3]})]);
    y.floats.push_back(static_cast<float>(sum));
  });
  add_custom(model.writer, "TransformTensorBilinear", {model.input(x), model.input(m)}, {model.output(y, 1e-6)},
             {{"output_height", out_height}, {"output_width", out_width}});
}

struct LandmarkVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr LandmarkVariant kLandmarkVariants[] = {{"Landmarks2TransformMatrix", to_matrix},
                                                 {"TransformLandmarks", landmarks},
                                                 {"TransformTensorBilinear", transformed_tensor}};

}  // namespace

void make_landmarks(TfliteModel& model, Random& random, std::size_t index) {
  const LandmarkVariant& v = kLandmarkVariants[index % std::size(kLandmarkVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
