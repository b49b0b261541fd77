// FILL, BROADCAST_TO, ZEROS_LIKE, SHAPE, EMBEDDING_LOOKUP, RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

void fill(TfliteModel& model, Random& random) {
  const TensorData value = movable_data(random, movable_type(random), {});
  const TensorData y = moved(value, random_shape(random, 1, 4), [](const Index&) { return Index{}; });
  model.add(Code::FILL, {integers(model, y.shape), model.input(value)}, {model.output(y)}, schema::FillOptionsT());
}

void broadcast_to(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 5);
  Shape from(shape.begin() + random.size(0, static_cast<std::int32_t>(shape.size()) - 1), shape.end());
  for (std::int32_t& d : from)
    if (random.chance(40)) d = 1;
  const TensorData x = movable_data(random, movable_type(random), from);
  const TensorData y = moved(x, shape, [&](Index i) {
    i.erase(i.begin(), i.end() - static_cast<std::ptrdiff_t>(from.size()));
    for (std::size_t d = 0; d < i.size(); ++d) i[d] = std::min(i[d], from[d] - 1);
    return i;
  });
  model.add(Code::BROADCAST_TO, {model.input(x), integers(model, shape)}, {model.output(y)},
            schema::BroadcastToOptionsT(), 2);
}

void zeros_like(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 0, 3));
  const TensorData y = moved(x, x.shape, [&](const Index&) { return Index(x.shape.size() + 1); }, 0);
  model.add(Code::ZEROS_LIKE, {model.input(x)}, {model.output(y)}, schema::ZerosLikeOptionsT());
}

void shape_of(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 0, 4));
  schema::ShapeOptionsT options;
  options.out_type = random.pick({INT32, INT64});
  const TensorData y{
      options.out_type, {static_cast<std::int32_t>(x.shape.size())}, {}, {x.shape.begin(), x.shape.end()}, {}};
  if (x.shape.empty()) return zeros_like(model, random);  // an output has an element
  model.add(Code::SHAPE, {model.input(x)}, {model.output(y)}, options);
}

void embedding_lookup(TfliteModel& model, Random& random) {
  const bool dequantises = random.chance(40);
  Shape shape = random_shape(random, 2, 3);
  TensorData table = movable_data(random, dequantises || random.chance(50) ? INT8 : FLOAT32, shape);
  if (dequantises) table.q.zero_points = {0};
  const TensorData at = random_data(random, INT32, {random.size(1, 6)}, {}, 0, shape[0] - 1);
  shape[0] = at.shape[0];
  TensorData y = moved(table, shape, [&](Index i) {
    i[0] = static_cast<std::int32_t>(at.ints[static_cast<std::size_t>(i[0])]);
    return i;
  });
  if (dequantises) {
    for (const std::int64_t q : y.ints) y.floats.push_back(static_cast<float>(q) * table.scale());
    y = {FLOAT32, shape, {}, {}, y.floats};
  }
  model.add(Code::EMBEDDING_LOOKUP, {operand(model, random, at), model.constant(table)}, {model.output(y)});
}

struct Resizing {
  bool align_corners, half_pixel_centers;
};

// Positions of float32, whose rounding decides between neighbours.
std::int32_t nearest(const Resizing& r, std::int32_t i, std::int32_t in, std::int32_t out) {
  volatile float scale = static_cast<float>(in) / static_cast<float>(out);
  if (r.align_corners && out > 1) scale = static_cast<float>(in - 1) / static_cast<float>(out - 1);
  volatile float at = (static_cast<float>(i) + (r.half_pixel_centers ? 0.5f : 0.0f)) * scale;
  return std::min(static_cast<std::int32_t>(r.align_corners ? std::round(at) : std::floor(at)), in - 1);
}

// Exact: whole and fraction of a position, the fraction of 1/1024 for integers.
struct Between {
  std::int32_t lower, upper;
  double above;
};
Between between(const Resizing& r, bool is_float, std::int32_t i, std::int32_t in, std::int32_t out) {
  const bool aligns = r.align_corners && out > 1;
  const std::int32_t from = aligns ? in - 1 : in, to = aligns ? out - 1 : out;
  double at = 0;
  if (is_float) {
    const double scale = static_cast<double>(from) / to;
    at = r.half_pixel_centers ? (i + 0.5) * scale - 0.5 : i * scale;
  } else {
    const std::int32_t scale = (from * 1024 + to / 2) / to;  // rounded
    at = (i * scale + (r.half_pixel_centers ? scale / 2 - 512 : 0)) / 1024.0;
  }
  at = std::clamp(at, 0.0, in - 1.0);  // beyond the edges there is nothing to see but the edge
  const auto lower = static_cast<std::int32_t>(std::floor(at));
  return {lower, std::min(lower + 1, in - 1), at - lower};
}

void resize(TfliteModel& model, Random& random, bool is_bilinear) {
  const Resizing r = random.pick<Resizing>({{false, false}, {true, false}, {false, true}});
  const TensorType type = is_bilinear ? random.pick({INT8, INT8, FLOAT32}) : movable_type(random);
  const Shape from = {random.size(1, 2), random.size(1, 9), random.size(1, 9), random.size(1, 5)};
  const Shape to = {from[0], random.size(1, 25), random.size(1, 25), from[3]};
  const TensorData x = movable_data(random, type, from);
  TensorData y = moved(x, to, [&](Index i) {
    i[1] = nearest(r, i[1], from[1], to[1]);
    i[2] = nearest(r, i[2], from[2], to[2]);
    return i;
  });
  if (is_bilinear) {
    y.ints.clear();
    y.floats.clear();
    for_each_index(to, [&](const Index& i) {
      const Between v = between(r, x.is_float(), i[1], from[1], to[1]),
                    u = between(r, x.is_float(), i[2], from[2], to[2]);
      const auto at = [&](std::int32_t row, std::int32_t column) {
        const std::size_t p = place(from, {i[0], row, column, i[3]});
        return x.is_float() ? static_cast<double>(x.floats[p]) : static_cast<double>(x.ints[p]);
      };
      const double sum = (at(v.lower, u.lower) * (1 - u.above) + at(v.lower, u.upper) * u.above) * (1 - v.above) +
                         (at(v.upper, u.lower) * (1 - u.above) + at(v.upper, u.upper) * u.above) * v.above;
      if (x.is_float())
        y.floats.push_back(static_cast<float>(sum));
      else
        y.ints.push_back(std::llround(sum));  // sums of 1/2^20 are exact; halves away from zero
    });
  }
  model.add_text(std::to_string(from[1]) + "x" + std::to_string(from[2]) + " to " + std::to_string(to[1]) + "x" +
                 std::to_string(to[2]) + (r.align_corners ? " align_corners" : "") +
                 (r.half_pixel_centers ? " half_pixel_centers" : ""));
  const auto in = model.input(x), size = integers(model, {to[1], to[2]});
  if (is_bilinear) {
    schema::ResizeBilinearOptionsT o;
    o.align_corners = r.align_corners;
    o.half_pixel_centers = r.half_pixel_centers;
    model.add(Code::RESIZE_BILINEAR, {in, size}, {model.output(y, 2e-5)}, o, 3);
  } else {
    schema::ResizeNearestNeighborOptionsT o;
    o.align_corners = r.align_corners;
    o.half_pixel_centers = r.half_pixel_centers;
    model.add(Code::RESIZE_NEAREST_NEIGHBOR, {in, size}, {model.output(y)}, o, 3);
  }
}

struct GeneratorVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr GeneratorVariant kGeneratorVariants[] = {
    {"FILL", fill},
    {"BROADCAST_TO", broadcast_to},
    {"ZEROS_LIKE", zeros_like},
    {"SHAPE", shape_of},
    {"EMBEDDING_LOOKUP", embedding_lookup},
    {"RESIZE_BILINEAR", [](TfliteModel& s, Random& r) { resize(s, r, true); }},
    {"RESIZE_NEAREST_NEIGHBOR", [](TfliteModel& s, Random& r) { resize(s, r, false); }},
};

}  // namespace

void make_generators(TfliteModel& model, Random& random, std::size_t index) {
  const GeneratorVariant& v = kGeneratorVariants[index % std::size(kGeneratorVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
