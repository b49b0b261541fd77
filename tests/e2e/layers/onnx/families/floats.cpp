// Operators on float32 and on plain integers: functions of one element, reductions, and pairs of integers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/e2e/layers/onnx/families.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

constexpr double kFloatFunctions = 2e-5;  // of float32 functions, each from a library of its own

// On elements between `low` and `high`.
struct Unary {
  const char* op;
  double low, high;
  double (*real)(double x);
};
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
constexpr Unary kUnary[] = {
    {"Acos", -1, 1, [](double x) { return std::acos(x); }},
    {"Acosh", 1.01, 8, [](double x) { return std::acosh(x); }},
    {"Asin", -1, 1, [](double x) { return std::asin(x); }},
    {"Asinh", -8, 8, [](double x) { return std::asinh(x); }},
    {"Atan", -8, 8, [](double x) { return std::atan(x); }},
    {"Atanh", -0.99, 0.99, [](double x) { return std::atanh(x); }},
    {"Cosh", -4, 4, [](double x) { return std::cosh(x); }},
    {"Gelu", -5, 5, gelu},
    {"Log", 0.01, 50, [](double x) { return std::log(x); }},
    {"Reciprocal", 0.1, 8, [](double x) { return 1 / x; }},
    {"Shrink", -3, 3, [](double x) { return std::abs(x) <= 0.5 ? 0 : x; }},
    {"Sign", -2, 2, [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
    {"Sinh", -4, 4, [](double x) { return std::sinh(x); }},
    {"Sqrt", 0, 50, [](double x) { return std::sqrt(x); }},
    {"Swish", -6, 6, [](double x) { return x / (1 + std::exp(-x)); }},
    {"Tan", -1.2, 1.2, [](double x) { return std::tan(x); }},
};

void add_unary(OnnxModel& model, Random& random, const Unary& f) {
  const TensorData x = random_data(random, FLOAT32, random_shape(random, 1, 3, 7), {}, f.low, f.high);
  TensorData y{FLOAT32, x.shape, {}, {}, {}};
  for (const float v : x.floats) y.floats.push_back(static_cast<float>(f.real(static_cast<double>(v))));
  model.add_text(f.op);
  model.node(f.op, {model.input(x)}, {model.output(y, kFloatFunctions)});
}

struct Reduction {
  const char* op;
  double start;
  double (*add)(double sum, double x);
  double (*end)(double sum);
};
double same(double x) { return x; }
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Reduction kReductions[] = {
    {"ReduceL1", 0, [](double s, double x) { return s + std::abs(x); }, same},
    {"ReduceL2", 0, [](double s, double x) { return s + x * x; }, [](double s) { return std::sqrt(s); }},
    {"ReduceLogSum", 0, [](double s, double x) { return s + x; }, [](double s) { return std::log(s); }},
    {"ReduceLogSumExp", 0, [](double s, double x) { return s + std::exp(x); }, [](double s) { return std::log(s); }},
    {"ReduceMax", -kInfinity, [](double s, double x) { return std::max(s, x); }, same},
    {"ReduceMin", kInfinity, [](double s, double x) { return std::min(s, x); }, same},
    {"ReduceProd", 1, [](double s, double x) { return s * x; }, same},
    {"ReduceSum", 0, [](double s, double x) { return s + x; }, same},
    {"ReduceSumSquare", 0, [](double s, double x) { return s + x * x; }, same},
};

void add_reduction(OnnxModel& model, Random& random, const Reduction& f) {
  const TensorData x = random_data(random, FLOAT32, random_shape(random, 1, 4, 5), {}, 0.25, 2);
  std::vector<std::int64_t> axes;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (random.chance(50)) axes.push_back(static_cast<std::int64_t>(d));
  if (axes.empty()) axes.push_back(static_cast<std::int64_t>(x.shape.size()) - 1);
  const bool keeps = random.chance(50);
  Shape whole = x.shape;
  for (const std::int64_t a : axes) whole[static_cast<std::size_t>(a)] = 1;
  std::size_t count = 1;
  for (const std::int32_t d : whole) count *= static_cast<std::size_t>(d);
  std::vector<double> sums(count, f.start);
  for_each_index(x.shape, [&](const Index& at) {
    Index to = at;
    for (const std::int64_t a : axes) to[static_cast<std::size_t>(a)] = 0;
    double& sum = sums[place(whole, to)];
    sum = f.add(sum, static_cast<double>(x.floats[place(x.shape, at)]));
  });
  TensorData y{FLOAT32, {}, {}, {}, {}};
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (keeps || std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) == axes.end())
      y.shape.push_back(whole[d]);
  for (const double sum : sums) y.floats.push_back(static_cast<float>(f.end(sum)));
  model.add_text(std::string(f.op) + " " + std::to_string(axes.size()) + " of " + std::to_string(x.shape.size()));
  auto& node = model.node(f.op, {model.input(x), model.integers(axes)}, {model.output(y, 1e-4)});
  set(node, "keepdims", std::int64_t{keeps});
}

// Of unsigned or int32 elements; sums wrap around nowhere here.
struct Pair {
  const char* op;
  TensorType type;
  std::int64_t (*whole)(std::int64_t a, std::int64_t b);
};
std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : ((a % b) + b) % b; }
constexpr Pair kPairs[] = {
    {"BitwiseAnd", UINT8, [](std::int64_t a, std::int64_t b) { return a & b; }},
    {"BitwiseOr", INT32, [](std::int64_t a, std::int64_t b) { return a | b; }},
    {"BitwiseXor", UINT16, [](std::int64_t a, std::int64_t b) { return a ^ b; }},
    {"Max", INT32, [](std::int64_t a, std::int64_t b) { return std::max(a, b); }},
    {"Min", INT32, [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
    {"Mod", INT32, floor_mod},
};

void add_pair(OnnxModel& model, Random& random, const Pair& f) {
  const Shape shape = random_shape(random, 1, 3, 6);
  const TensorData a = random_data(random, f.type, shape);
  TensorData b = random_data(random, f.type, shape), y{f.type, shape, {}, {}, {}};
  for (std::size_t i = 0; i < a.ints.size(); ++i) {
    if (f.op == std::string_view("Mod") && (b.ints[i] == 0 || b.ints[i] == -1)) b.ints[i] = 7;
    y.ints.push_back(f.whole(a.ints[i], b.ints[i]));
  }
  model.add_text(f.op);
  model.node(f.op, {model.input(a), model.input(b)}, {model.output(y)});
}

}  // namespace

void make_onnx_floats(NewestOnnxModel& model, Random& random, std::size_t index) {
  constexpr std::size_t kFirst = std::size(kUnary), kSecond = kFirst + std::size(kReductions);
  const std::size_t which = index % (kSecond + std::size(kPairs));
  if (which < kFirst) return add_unary(model, random, kUnary[which]);
  if (which < kSecond) return add_reduction(model, random, kReductions[which - kFirst]);
  add_pair(model, random, kPairs[which - kSecond]);
}

}  // namespace byoc::test
