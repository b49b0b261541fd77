// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT.
#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

bool holds(Code code, double a, double b) {
  switch (code) {
    case Code::EQUAL: return a == b;
    case Code::NOT_EQUAL: return a != b;
    case Code::LESS: return a < b;
    case Code::LESS_EQUAL: return a <= b;
    case Code::GREATER: return a > b;
    case Code::GREATER_EQUAL: return a >= b;
    case Code::LOGICAL_AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
  }
}

// Quantised integers with eight bits more, in their own units.
double side(const TensorData& t, std::size_t i) {
  if (t.is_float()) return static_cast<double>(t.floats[i]);
  if (t.type != INT8 && t.type != INT16) return static_cast<double>(t.ints[i]);
  return static_cast<double>(
      requantise((t.ints[i] - t.zero_point()) * 256, fixed_factor(static_cast<double>(t.scale()))));
}

}  // namespace

void make_comparisons(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr Code kCodes[] = {Code::EQUAL,   Code::NOT_EQUAL,     Code::LESS,        Code::LESS_EQUAL,
                                    Code::GREATER, Code::GREATER_EQUAL, Code::LOGICAL_AND, Code::LOGICAL_OR};
  const Code code = kCodes[index % std::size(kCodes)];
  static constexpr TensorType kTypes[] = {INT8, FLOAT32, INT32, INT64, INT16};
  TensorType type = kTypes[index / std::size(kCodes) % std::size(kTypes)];
  const bool logical = code == Code::LOGICAL_AND || code == Code::LOGICAL_OR;
  if (logical || (type == INT64 && code <= Code::NOT_EQUAL && random.chance(50))) type = BOOL;
  if (type == BOOL && !logical && code != Code::EQUAL && code != Code::NOT_EQUAL) type = INT64;
  const BroadcastShapes shapes = random_broadcast(random, 5);
  const bool quantised = type == INT8 || type == INT16;
  const auto q = [&] { return quantised ? random_quantisation(random, type, 1e-2, 0.99) : TfliteQuantisation(); };
  const TfliteQuantisation shared = q();
  const auto data = [&](const Shape& s) {
    const TfliteQuantisation own = random.chance(50) ? shared : q();
    if (type == FLOAT32) return random_data(random, type, s, {});
    return quantised || type == BOOL ? random_data(random, type, s, own) : random_data(random, type, s, {}, -4, 4);
  };
  const TensorData a = data(shapes.a), b = data(shapes.b);
  TensorData y{BOOL, shapes.y, {}, {}, {}};
  for_each_pair(shapes, [&](std::size_t i, std::size_t k) { y.ints.push_back(holds(code, side(a, i), side(b, k))); });
  model.add_text(std::string(schema::EnumNameBuiltinOperator(code)) + " " + schema::EnumNameTensorType(type) + " " +
                 text(shapes.a) + " and " + text(shapes.b));
  const std::int32_t left = model.input(a), right = random.chance(30) ? model.constant(b) : model.input(b);
  model.add(code, {left, right}, {model.output(y)});
  TensorData inverse = y;
  for (std::int64_t& v : inverse.ints) v = 1 - v;
  model.add(Code::LOGICAL_NOT, {model.input(y)}, {model.output(inverse)});
}

}  // namespace byoc::test
