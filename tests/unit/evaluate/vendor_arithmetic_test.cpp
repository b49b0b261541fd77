// include/byoc/tflite.hpp and onnx.hpp, from which vendors take the numbers for their kernels: kernels that are nothing
// but their definitions give what the evaluator gives, for scales of every size.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iomanip>
#include <numeric>
#include <random>
#include <sstream>

#include "byoc/onnx.hpp"
#include "byoc/tflite.hpp"
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc {
namespace {

using nodes::Affine;
using nodes::Clamp;
using Integers = std::vector<std::int64_t>;

constexpr Clamp kS8{-128, 127}, kS16{-32768, 32767};

std::int64_t clamp(std::int64_t q, const Clamp& c) { return std::clamp<std::int64_t>(q, c.low, c.high); }

class VendorArithmetic : public testing::Test {
 protected:
  // Scales over many powers of two: what combines them in another precision is off by a bit for some.
  Affine affine(bool has_zero = true) {
    const float scale = std::ldexp(std::uniform_real_distribution<float>(0.5F, 1)(random_), pick(-9, 1));
    return {scale, has_zero ? pick(-128, 127) : 0};
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Integers some(std::size_t count, const Clamp& range) {
    Integers out(count);
    for (auto& q : out) q = pick(range.low, range.high);
    out[0] = range.low;
    out[1] = range.high;
    return out;
  }

 private:
  std::mt19937 random_{1};
};

std::string quantised(const Affine& a) {
  std::ostringstream out;
  out << " q(" << std::setprecision(9) << a.scale << ", " << a.zero << ")";
  return out.str();
}
std::string type_of(const char* element, std::size_t n, const Affine& a) {
  return " : " + std::string(element) + "[1, " + std::to_string(n) + "]" + quantised(a);
}
std::string constant(const char* name, const char* element, const Integers& values, const Affine& a) {
  std::string out = "const %" + std::string(name) + type_of(element, values.size(), a) + " = [";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
  return out + "]\n";
}
Integers evaluated(const std::string& text, const char* element, const std::string& mode) {
  if (std::string_view(element) == "i8") {
    const auto v = test::result_of<std::int8_t>(text, mode);
    return {v.begin(), v.end()};
  }
  const auto v = test::result_of<std::int16_t>(text, mode);
  return {v.begin(), v.end()};
}

Integers all_s8() {
  Integers out(256);
  std::iota(out.begin(), out.end(), -128);
  return out;
}

// `f(q)`, clamped, of all 256 elements against the operator.
void expect_table(const std::string& op, const std::string& mode, const Affine& in, const Affine& out,
                  const std::function<std::int64_t(std::int32_t)>& f) {
  const std::string text =
      constant("x", "i8", all_s8(), in) + "%y" + type_of("i8", 256, out) + " = " + op + "\noutput %y";
  Integers expected = evaluated(text, "i8", mode), found;
  for (const std::int64_t q : all_s8()) found.push_back(clamp(f(static_cast<std::int32_t>(q)), kS8));
  EXPECT_EQ(found, expected) << text;
}

TEST_F(VendorArithmetic, sumsOfTflite) {
  for (int i = 0; i < 60; ++i) {
    const bool wide = i % 3 == 2, is_add = i % 2 == 0;
    const char* element = wide ? "i16" : "i8";
    const Affine a = affine(!wide), b = affine(!wide), y = affine(!wide);
    const Clamp range = wide ? kS16 : kS8;
    const Integers p = some(64, range), q = some(64, range);
    const auto s =
        is_add ? tflite::add_parameters(a, b, y, wide ? 16 : 8) : tflite::sub_parameters(a, b, y, wide ? 16 : 8);
    const Clamp c = *tflite::activation_range("relu6", y, range);
    const std::string text = constant("a", element, p, a) + constant("b", element, q, b) + "%y" +
                             type_of(element, 64, y) + " = " + (is_add ? "Add" : "Sub") +
                             ".14(%a, %b) {activation=\"relu6\"}\noutput %y";
    Integers found;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const auto term = [&](std::int64_t v, const Affine& from, const nodes::Multiplier& m) {
        return tflite::multiply(static_cast<std::int32_t>((v - from.zero) * (std::int64_t{1} << s.left)), m);
      };
      const std::int32_t left = term(p[k], a, s.a), right = term(q[k], b, s.b);
      found.push_back(clamp(std::int64_t{tflite::multiply(is_add ? left + right : left - right, s.y)} + y.zero, c));
    }
    EXPECT_EQ(found, evaluated(text, element, "tflite")) << text;
  }
}

TEST_F(VendorArithmetic, productsOfTflite) {
  for (int i = 0; i < 40; ++i) {
    const Affine a = affine(), b = affine(), y = affine();
    const Integers p = some(64, kS8), q = some(64, kS8);
    const nodes::Multiplier m = tflite::mul_multiplier(a, b, y);
    const std::string operands = constant("a", "i8", p, a) + constant("b", "i8", q, b) + "%y" + type_of("i8", 64, y);
    const std::string text = operands + " = Mul.14(%a, %b)\noutput %y";
    const std::string slopes = operands + " = PRelu.16(%a, %b)\noutput %y";
    const auto s = tflite::prelu_parameters(a, b, y);
    Integers found, found_slopes;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const auto u = static_cast<std::int32_t>(p[k] - a.zero), v = static_cast<std::int32_t>(q[k] - b.zero);
      found.push_back(clamp(std::int64_t{tflite::multiply(u * v, m)} + y.zero, kS8));
      found_slopes.push_back(
          clamp(std::int64_t{u >= 0 ? tflite::multiply(u, s.a) : tflite::multiply(u * v, s.y)} + y.zero, kS8));
    }
    EXPECT_EQ(found, evaluated(text, "i8", "tflite")) << text;
    EXPECT_EQ(found_slopes, evaluated(slopes, "i8", "tflite")) << slopes;
  }
}

TEST_F(VendorArithmetic, squaredDifferencesOfTflite) {
  for (int i = 0; i < 40; ++i) {
    const Affine a = affine(), b = affine(), y{std::max(affine().scale, a.scale * b.scale), 3};
    const Integers p = some(64, kS8), q = some(64, kS8);
    const auto s = tflite::squared_difference_parameters(a, b, y);
    const std::string text = constant("a", "i8", p, a) + constant("b", "i8", q, b) + "%y" + type_of("i8", 64, y) +
                             " = byoc.SquaredDifference.1(%a, %b)\noutput %y";
    Integers found;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const std::int32_t u = tflite::multiply(static_cast<std::int32_t>(p[k] - a.zero) * (1 << s.left), s.a);
      const std::int32_t v = tflite::multiply(static_cast<std::int32_t>(q[k] - b.zero) * (1 << s.left), s.b);
      found.push_back(clamp(std::int64_t{tflite::multiply((u - v) * (u - v), s.y)} + y.zero, kS8));
    }
    EXPECT_EQ(found, evaluated(text, "i8", "tflite")) << text;
  }
}

TEST_F(VendorArithmetic, functionsOfOneElementOfTflite) {
  for (int i = 0; i < 25; ++i) {
    const Affine in = affine(), out = affine();
    const nodes::Multiplier relu = tflite::relu_multiplier(in, out),
                            leaky = tflite::leaky_relu_multiplier(0.3F, in, out);
    expect_table("Relu.14(%x)", "tflite", in, out, [&](std::int32_t q) {
      return std::max<std::int64_t>(std::int64_t{tflite::multiply(q - in.zero, relu)} + out.zero, out.zero);
    });
    expect_table("LeakyRelu.16(%x) {alpha=0.3}", "tflite", in, out, [&](std::int32_t q) {
      return std::int64_t{tflite::multiply(q - in.zero, q < in.zero ? leaky : relu)} + out.zero;
    });
    expect_table("Sigmoid.13(%x)", "tflite", in, tflite::kLogisticOutput, tflite::Curve::logistic(in));
    expect_table("Tanh.13(%x)", "tflite", in, tflite::kTanhOutput, tflite::Curve::tanh(in));
    expect_table("Elu.6(%x)", "tflite", in, out, [&](std::int32_t q) { return tflite::elu(q, in, out); });
    if (in.scale / 128 < out.scale) expect_table("HardSwish.14(%x)", "tflite", in, out, tflite::HardSwish(in, out));
  }
}

TEST_F(VendorArithmetic, softmaxOfTflite) {
  for (int i = 0; i < 30; ++i) {
    const Affine in = affine();
    const auto p = tflite::softmax_parameters(in, 1);
    const Integers row = some(24, kS8);
    const std::string text = constant("x", "i8", row, in) + "%y" + type_of("i8", 24, tflite::kSoftmaxOutput) +
                             " = Softmax.13(%x)\noutput %y";
    // tensorflow/lite/kernels/internal/reference/softmax.h
    const auto exponential = [&](std::int64_t difference) {
      return nodes::detail::exp_q31(tflite::multiply(static_cast<std::int32_t>(difference), p.input), 5);
    };
    std::int64_t sum = 0;
    for (const std::int64_t q : row)
      if (q - 127 >= p.diff_min) sum += nodes::divide_pot(exponential(q - 127), 12);
    const int headroom = std::countl_zero(static_cast<std::uint32_t>(sum));
    const std::int32_t reciprocal = nodes::detail::two_over_one_plus(
        static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) << headroom) - (1U << 31)));
    Integers found;
    for (const std::int64_t q : row) {
      if (q - 127 < p.diff_min) {
        found.push_back(-128);
        continue;
      }
      const std::int32_t one_over = nodes::detail::saturate(std::int64_t{reciprocal} * 2);
      const std::int64_t y = nodes::divide_pot(nodes::high_mul(one_over, exponential(q - 127)), 12 - headroom + 23);
      found.push_back(clamp(y - 128, kS8));
    }
    EXPECT_EQ(found, evaluated(text, "i8", "tflite")) << text;
  }
}

TEST_F(VendorArithmetic, meansAndSumsOfTflite) {
  for (int i = 0; i < 40; ++i) {
    const Affine in = affine(), out = affine();
    const auto count = static_cast<std::size_t>(pick(2, 90));
    const Integers x = some(count, kS8);
    std::int64_t sum = 0;
    for (const std::int64_t q : x) sum += q - in.zero;
    for (const bool mean : {true, false}) {
      const nodes::Multiplier m = tflite::mean_multiplier(in, out, mean ? static_cast<std::int64_t>(count) : 0);
      const std::string text = constant("x", "i8", x, in) + "const %axes : i64[1] = [1]\n%y : i8[1]" + quantised(out) +
                               " = Reduce" + (mean ? "Mean.18" : "Sum.13") + "(%x, %axes) {keepdims=0}\noutput %y";
      EXPECT_EQ(clamp(std::int64_t{tflite::multiply(static_cast<std::int32_t>(sum), m)} + out.zero, kS8),
                evaluated(text, "i8", "tflite").at(0))
          << text;
    }
  }
}

// One channel of 32 products in both roundings; sums that fall on halves are frequent where scales are powers of two.
TEST_F(VendorArithmetic, sumsOfProducts) {
  for (int i = 0; i < 80; ++i) {
    Affine in = affine(), out = affine();
    Affine weight = affine(false);
    if (i % 4 == 0) in.scale = 0.5F, weight.scale = 0.25F, out.scale = 4;
    const std::string mode = i % 2 ? "tflite" : "onnx";
    const Integers x = some(32, kS8), w = some(32, kS8);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - in.zero) * w[k];
    const auto s = static_cast<std::int32_t>(sum);
    const std::int64_t y = mode == "tflite"
                               ? tflite::multiply(s, tflite::sum_multiplier(in, weight.scale, out))
                               : onnx::requantise(s, onnx::exact_multiplier(onnx::sum_scale(in, weight.scale, out),
                                                                            std::int64_t{1} << 31));
    const Clamp c =
        mode == "tflite" ? *tflite::activation_range("relu", out, kS8) : *onnx::activation_range("relu", out, kS8);
    const std::string text = constant("x", "i8", x, in) + constant("w", "i8", w, weight) + "%y" +
                             type_of("i8", 1, out) +
                             " = byoc.FullyConnected.1(%x, %w) {activation=\"relu\"}\noutput %y";
    EXPECT_EQ(clamp(y + out.zero, c), evaluated(text, "i8", mode).at(0)) << text;
  }
}

TEST_F(VendorArithmetic, elementsOfOnnx) {
  for (int i = 0; i < 25; ++i) {
    const Affine in = affine(), out = affine();
    expect_table("Relu.14(%x)", "onnx", in, out,
                 [&](std::int32_t q) { return onnx::apply([](float x) { return std::max(x, 0.0F); }, q, in, out); });
    expect_table("Abs.13(%x)", "onnx", in, out,
                 [&](std::int32_t q) { return onnx::apply([](float x) { return std::fabs(x); }, q, in, out); });
    const Affine b = affine();
    const Integers p = some(64, kS8), q = some(64, kS8);
    const std::string text = constant("a", "i8", p, in) + constant("b", "i8", q, b) + "%y" + type_of("i8", 64, out) +
                             " = Add.14(%a, %b)\noutput %y";
    Integers found;
    for (std::size_t k = 0; k < p.size(); ++k)
      found.push_back(clamp(onnx::quantise(onnx::dequantise(p[k], in) + onnx::dequantise(q[k], b), out), kS8));
    EXPECT_EQ(found, evaluated(text, "i8", "onnx")) << text;
  }
}

TEST(ActivationRange, hasEveryNameAndNoOther) {
  const Affine half{0.5F, 100};
  EXPECT_EQ(*tflite::activation_range("none", half, kS8), kS8);
  EXPECT_EQ(*tflite::activation_range("relu", half, kS8), (Clamp{100, 127}));
  EXPECT_EQ(*tflite::activation_range("relu6", half, kS8), (Clamp{100, 112}));
  EXPECT_EQ(*tflite::activation_range("relu_n1_to_1", half, kS8), (Clamp{98, 102}));
  // 1 is 2.5 steps: away from zero, and to even.
  EXPECT_EQ(*tflite::activation_range("relu_n1_to_1", {0.4F, 0}, kS8), (Clamp{-3, 3}));
  EXPECT_EQ(*onnx::activation_range("relu_n1_to_1", {0.4F, 0}, kS8), (Clamp{-2, 2}));
  EXPECT_FALSE(tflite::activation_range("tanh", half, kS8));
  EXPECT_FALSE(onnx::activation_range("tanh", half, kS8));
}

}  // namespace
}  // namespace byoc
