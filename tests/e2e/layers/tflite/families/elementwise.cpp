// POW, BITWISE_XOR, SIGN, GELU, ABS of plain integers.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

// Small results, so that a float's error is one of its last places.
void pow(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({FLOAT32, INT32});
  const BroadcastShapes shapes = random_broadcast(random, 4);
  const TensorData a = random_data(random, type, shapes.a, {}, type == INT32 ? -9 : 0.1, 9);
  const TensorData b = random_data(random, type, shapes.b, {}, type == INT32 ? 0 : -2, type == INT32 ? 7 : 2);
  TensorData y{type, shapes.y, {}, {}, {}};
  for_each_pair(shapes, [&](std::size_t i, std::size_t k) {
    if (type == FLOAT32) {
      y.floats.push_back(
          static_cast<float>(std::pow(static_cast<double>(a.floats[i]), static_cast<double>(b.floats[k]))));
    } else {
      std::int64_t power = 1;
      for (std::int64_t n = 0; n < b.ints[k]; ++n) power *= a.ints[i];
      y.ints.push_back(power);
    }
  });
  model.add(Code::POW, {model.input(a), model.input(b)}, {model.output(y, type == FLOAT32 ? 2e-6 : 0)},
            schema::PowOptionsT());
}

void bitwise_xor(TfliteModel& model, Random& random) {
  const BroadcastShapes shapes = random_broadcast(random, 4);
  const TensorData a = random_data(random, INT32, shapes.a), b = random_data(random, INT32, shapes.b);
  TensorData y{INT32, shapes.y, {}, {}, {}};
  for_each_pair(shapes, [&](std::size_t i, std::size_t k) { y.ints.push_back(a.ints[i] ^ b.ints[k]); });
  model.add(Code::BITWISE_XOR, {model.input(a), model.input(b)}, {model.output(y)}, schema::BitwiseXorOptionsT());
}

void sign(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({FLOAT32, INT32});
  const Shape shape = random_broadcast(random, 4).y;
  const TensorData x = random_data(random, type, shape);
  TensorData y{type, shape, {}, {}, {}};
  for (const float f : x.floats) y.floats.push_back(static_cast<float>((f > 0) - (f < 0)));
  for (const std::int64_t i : x.ints) y.ints.push_back((i > 0) - (i < 0));
  model.add(Code::SIGN, {model.input(x)}, {model.output(y)}, schema::SignOptionsT());
}

void abs(TfliteModel& model, Random& random) {
  TensorData x = random_data(random, INT16, random_broadcast(random, 4).y);
  TensorData y{INT16, x.shape, {}, {}, {}};
  for (std::int64_t& i : x.ints) i = std::max<std::int64_t>(i, -32767);
  for (const std::int64_t i : x.ints) y.ints.push_back(i < 0 ? -i : i);
  model.add(Code::ABS, {model.input(x)}, {model.output(y)}, schema::AbsOptionsT());
}

void gelu(TfliteModel& model, Random& random) {
  const Shape shape = random_broadcast(random, 4).y;
  const TensorData x = random_data(random, FLOAT32, shape);
  TensorData y{FLOAT32, shape, {}, {}, {}};
  schema::GeluOptionsT options;
  options.approximate = random.chance(50);
  for (const float f : x.floats) {
    const double v = static_cast<double>(f), cubic = v + 0.044715 * v * v * v;
    y.floats.push_back(static_cast<float>(options.approximate
                                              ? 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * cubic))
                                              : 0.5 * v * std::erfc(-v / std::sqrt(2.0))));
  }
  model.add(Code::GELU, {model.input(x)}, {model.output(y, 2e-6)}, options);
}

struct ElementwiseVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr ElementwiseVariant kElementwiseVariants[] = {
    {"POW", pow}, {"BITWISE_XOR", bitwise_xor}, {"SIGN", sign}, {"GELU", gelu}, {"ABS", abs}};

}  // namespace

void make_elementwise(TfliteModel& model, Random& random, std::size_t index) {
  const ElementwiseVariant& v = kElementwiseVariants[index % std::size(kElementwiseVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
