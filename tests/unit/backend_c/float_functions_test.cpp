// Functions of one float on the vectors of MVE over the ranges where they change, each result by itself: in units of
// the last place of a float, as byoc_functions_f32_mve.h states them, and what is made of infinities and of
// not-a-number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/unit/backend_c/float_bench.hpp"

namespace byoc::test {
namespace {

struct Function {
  std::string op;
  std::function<double(double)> of;
  double units;  // in the last place
  double least;  // results below it count as this far from zero
  Attributes attributes = {};
};

double softplus(double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); }
double gelu(double v) { return 0.5 * v * std::erfc(-v / std::numbers::sqrt2); }
double gelu_tanh(double v) {
  const double z = std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v);
  return v / (1 + std::exp(-2 * z));
}

std::vector<Function> functions() {
  const double alpha = 1.67326319217681884765625, gamma = 1.05070102214813232421875;
  return {
      {"Abs", [](double v) { return std::abs(v); }, 0, 0},
      {"Ceil", [](double v) { return std::ceil(v); }, 0, 0},
      {"Floor", [](double v) { return std::floor(v); }, 0, 0},
      {"Round", [](double v) { return std::nearbyint(v); }, 0, 0},
      {"Neg", [](double v) { return -v; }, 0, 0},
      {"Relu", [](double v) { return v < 0 ? 0 : v; }, 0, 0},
      {"LeakyRelu", [](double v) { return v < 0 ? 0.25 * v : v; }, 0, 0, {{"alpha", 0.25f}}},
      {"ThresholdedRelu", [](double v) { return v > 0.5 ? v : 0; }, 0, 0, {{"alpha", 0.5f}}},
      {"Reciprocal", [](double v) { return 1 / v; }, 1, 1e-37},
      {"Elu", [](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; }, 3, 1e-30, {{"alpha", 0.5f}}},
      {"Selu", [=](double v) { return gamma * (v > 0 ? v : alpha * std::expm1(v)); }, 4, 1e-30},
      {"Softsign", [](double v) { return v / (1 + std::abs(v)); }, 2, 1e-30},
      {"Softplus", softplus, 4, 1e-30},
      {"Mish", [](double v) { return v * std::tanh(softplus(v)); }, 5, 1e-30},
      {"Gelu", gelu, 1, 1},
      {"Gelu", gelu_tanh, 60, 1e-4, {{"approximate", std::string("tanh")}}},
      {"Erf", [](double v) { return std::erf(v); }, 2, 1e-30},
      {"Exp", [](double v) { return std::exp(v); }, 2, 1e-30},
      {"Tanh", [](double v) { return std::tanh(v); }, 3, 1e-30},
      {"Sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }, 3, 1e-30},
  };
}

// Steps through [-30, 30], finer and finer towards 0.
std::vector<float> arguments() {
  std::vector<float> out = {0.0f};
  for (float v = 30; v > 1e-6f; v *= 0.97f) out.insert(out.end(), {v, -v});
  return out;
}

std::vector<float> run(const Function& f, const std::vector<float>& x, const Machine& machine, std::string& error) {
  FloatBench bench(21);
  const Dims dims{static_cast<std::int64_t>(x.size())};
  const auto in = bench.input(dims, x);
  auto node = make_node(f.op, {in}, f.attributes);
  node.version = f.op == "Gelu" ? 20 : f.op == "Mish" ? 18 : 13;
  const auto id = bench.node(node, {dims, std::vector<double>(x.size())}, 1e30);
  (void)bench.check(machine);
  error = bench.result().error;
  std::vector<float> out(x.size());
  if (error.empty()) std::memcpy(out.data(), bench.result().outputs.at(id).data(), out.size() * sizeof(float));
  return out;
}

void expect_near(const std::vector<Function>& list, const Machine& machine) {
  const std::vector<float> x = arguments();
  for (const Function& f : list) {
    std::string error;
    const std::vector<float> y = run(f, x, machine, error);
    ASSERT_EQ(error, "") << f.op;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = f.of(static_cast<double>(x[i])), size = std::max(std::abs(expected), f.least);
      if (!std::isfinite(expected)) continue;
      const double unit = std::ldexp(1.0, std::ilogb(std::max(size, 1.2e-38)) - 23);
      EXPECT_LE(std::abs(static_cast<double>(y[i]) - expected), (f.units + 0.5) * unit)
          << f.op << " of " << x[i] << " is " << y[i] << ", expected " << expected;
    }
  }
}

TEST(FloatFunctions, AreAsNearAsStatedOnMve) { expect_near(functions(), cortex_m55(true)); }

TEST(FloatFunctions, ErfIsAsNearAsStatedElsewhere) {
  const std::vector<Function> erf = {{"Erf", [](double v) { return std::erf(v); }, 3, 1e-30}};
  expect_near(erf, cortex_m4f());
  expect_near(erf, host_machine());
}

TEST(FloatFunctions, KeepNotANumberAndInfinitiesOnMve) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Function& f : functions()) {
    std::string error;
    const std::vector<float> y = run(f, {nan, infinity, -infinity, 1.0f, -1.0f}, cortex_m55(true), error);
    ASSERT_EQ(error, "") << f.op;
    // ThresholdedRelu is 0 for what is not above alpha.
    EXPECT_EQ(std::isnan(y[0]), f.op != "ThresholdedRelu") << f.op;
    const bool no_limit = f.op == "Gelu" || f.op == "Mish" || f.op == "Softsign";  // 0 * infinity, infinity / infinity
    if (no_limit) continue;
    EXPECT_EQ(static_cast<double>(y[1]), f.of(static_cast<double>(infinity))) << f.op;
    EXPECT_EQ(y[2], static_cast<float>(f.of(static_cast<double>(-infinity)))) << f.op;
  }
}

}  // namespace
}  // namespace byoc::test
