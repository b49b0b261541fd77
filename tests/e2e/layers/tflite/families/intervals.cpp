// BUCKETIZE, FAKE_QUANT, RIGHT_SHIFT and ATAN2.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

void bucketize(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({FLOAT32, FLOAT32, INT32, INT64});
  const TensorData x = type == FLOAT32 ? random_data(random, type, random_shape(random, 0, 4))
                                       : random_data(random, type, random_shape(random, 0, 4), {}, -40, 40);
  schema::BucketizeOptionsT options;
  // Halves, so that elements are often at one; the same one twice at times.
  float last = static_cast<float>(random.between(-20, 0)) / 2;
  for (std::int32_t i = random.size(0, 20); i > 0; --i) {
    options.boundaries.push_back(last);
    last += static_cast<float>(random.between(0, 4)) / 2;
  }
  TensorData y{INT32, x.shape, {}, {}, {}};
  for (std::size_t i = 0; i < x.elements(); ++i) {
    const double v = type == FLOAT32 ? static_cast<double>(x.floats[i]) : static_cast<double>(x.ints[i]);
    y.ints.push_back(std::count_if(options.boundaries.begin(), options.boundaries.end(),
                                   [&](float b) { return static_cast<double>(b) <= v; }));
  }
  model.add_text(std::to_string(options.boundaries.size()) + " boundaries");
  model.add(Code::BUCKETIZE, {model.input(x)}, {model.output(y)}, options);
}

// Ranges whose steps are powers of two, so that everything but the rounding is exact.
void fake_quant(TfliteModel& model, Random& random) {
  schema::FakeQuantOptionsT options;
  options.num_bits = random.size(2, 12);
  const std::int64_t steps = (std::int64_t{1} << options.num_bits) - 1;
  const double step = std::ldexp(1.0, random.size(-8, 0));
  const std::int64_t zero = random.chance(25) ? 0 : random.between(0, steps);
  options.min = static_cast<float>(static_cast<double>(-zero) * step);
  options.max = static_cast<float>(static_cast<double>(steps - zero) * step);
  const TensorData x = random_data(random, FLOAT32, random_shape(random, 0, 4));
  TensorData y{FLOAT32, x.shape, {}, {}, {}};
  for (const float f : x.floats) {
    const double v =
        std::clamp(static_cast<double>(f), static_cast<double>(options.min), static_cast<double>(options.max));
    const double at = (v - static_cast<double>(options.min)) / step;  // exact
    y.floats.push_back(static_cast<float>(std::floor(at + 0.5) * step + static_cast<double>(options.min)));
  }
  model.add_text(std::to_string(options.num_bits) + " bits, steps of " + std::to_string(step));
  model.add(Code::FAKE_QUANT, {model.input(x)}, {model.output(y)}, options);
}

void right_shift(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({INT8, UINT8, INT16, UINT16, INT32, UINT32});
  const BroadcastShapes shapes = random_broadcast(random, 4);
  const std::int64_t bits = type == INT8 || type == UINT8 ? 8 : type == INT16 || type == UINT16 ? 16 : 32;
  const TensorData a = random_data(random, type, shapes.a);
  TensorData b = random_data(random, type, shapes.b, {}, lowest(type) < 0 ? -3.0 : 0.0, static_cast<double>(bits + 3));
  for (std::int64_t& i : b.ints)
    if (random.chance(5)) i = random.chance(50) ? lowest(type) : highest(type);
  TensorData y{type, shapes.y, {}, {}, {}};
  for_each_pair(shapes, [&](std::size_t i, std::size_t k) {
    const std::int64_t by = std::clamp<std::int64_t>(b.ints[k], 0, bits - 1);
    y.ints.push_back(
        static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(a.ints[i]), -static_cast<int>(by)))));
  });
  model.add_text(schema::EnumNameTensorType(type));
  const std::int32_t in = model.input(a), by = operand(model, random, b);
  model.add(Code::RIGHT_SHIFT, {in, by}, {model.output(y)}, schema::RightShiftOptionsT());
}

void atan2(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 0, 4);
  TensorData a = random_data(random, FLOAT32, shape), b = random_data(random, FLOAT32, shape);
  if (random.chance(30)) a.floats[0] = 0;
  if (random.chance(30)) b.floats[0] = -0.0F;
  TensorData y{FLOAT32, shape, {}, {}, {}};
  for (std::size_t i = 0; i < y.elements(); ++i)
    y.floats.push_back(
        static_cast<float>(std::atan2(static_cast<double>(a.floats[i]), static_cast<double>(b.floats[i]))));
  const std::int32_t first = model.input(a), second = operand(model, random, b);
  model.add(Code::ATAN2, {first, second}, {model.output(y, 1e-6)}, schema::ATan2OptionsT());
}

struct IntervalVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr IntervalVariant kIntervalVariants[] = {
    {"BUCKETIZE", bucketize}, {"FAKE_QUANT", fake_quant}, {"RIGHT_SHIFT", right_shift}, {"ATAN2", atan2}};

}  // namespace

void make_intervals(TfliteModel& model, Random& random, std::size_t index) {
  const IntervalVariant& v = kIntervalVariants[index % std::size(kIntervalVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
