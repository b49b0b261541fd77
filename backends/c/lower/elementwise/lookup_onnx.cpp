// Float functions of one 8-bit quantised element, as ONNX defines them: dequantised, computed, quantised, for all 256
// values at export.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "byoc/onnx.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Verdict;

struct TableParameter {
  std::string_view attribute = {};
  float otherwise = 0;
};

struct TableFunction {
  std::string_view op;
  double (*f)(double x, double a, double b);
  TableParameter a = {}, b = {};
};

double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

constexpr TableFunction kTableFunctions[] = {
    {"Abs", [](double x, double, double) { return std::fabs(x); }},
    {"Ceil", [](double x, double, double) { return std::ceil(x); }},
    {"Celu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x / a) : x; }, {"alpha", 1}},
    {"Cos", [](double x, double, double) { return std::cos(x); }},
    {"Elu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, {"alpha", 1}},
    {"Erf", [](double x, double, double) { return std::erf(x); }},
    {"Exp", [](double x, double, double) { return std::exp(x); }},
    {"Floor", [](double x, double, double) { return std::floor(x); }},
    {"HardSigmoid", [](double x, double a, double b) { return unit(a * x + b); }, {"alpha", 0.2F}, {"beta", 0.5F}},
    {"HardSwish", [](double x, double, double) { return x * unit(x / 6 + 0.5); }},
    {"LeakyRelu", [](double x, double a, double) { return x < 0 ? x * a : x; }, {"alpha", 0.01F}},
    {"Mish", [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    {"Neg", [](double x, double, double) { return -x; }},
    {"Round", [](double x, double, double) { return std::nearbyint(x); }},
    {"Selu",
     [](double x, double a, double b) { return b * (x > 0 ? x : a * std::expm1(x)); },
     {"alpha", 1.67326319217681884765625F},
     {"gamma", 1.05070102214213232421875F}},
    {"Sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"Sin", [](double x, double, double) { return std::sin(x); }},
    {"Softplus", [](double x, double, double) { return softplus(x); }},
    {"Softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {"Tanh", [](double x, double, double) { return std::tanh(x); }},
    {"ThresholdedRelu", [](double x, double a, double) { return x > a ? x : 0; }, {"alpha", 1}},
};

const TableFunction* find_function(std::string_view op) {
  const auto* it = std::find_if(std::begin(kTableFunctions), std::end(kTableFunctions),
                                [&](const TableFunction& f) { return f.op == op; });
  return it == std::end(kTableFunctions) ? nullptr : it;
}

}  // namespace

Verdict accepts_lookup_onnx(const Region& region, const Node& node, const TargetSpec&) {
  if (region.requant != Requant::onnx || find_function(node.op) == nullptr)
    return refuse(
        codegen::Reason::unsupported_quantisation,
        "found quantised " + std::string(to_string(region.values[node.inputs[0]].dtype)) + ", expected a plain tensor");
  return accepts_lookup(region, node);
}

bool lower_lookup_onnx(Emitter& emitter, const Node& node) {
  const TableFunction& f = *find_function(node.op);
  const auto read = [&](const TableParameter& p) {
    return p.attribute.empty() ? 0.0 : static_cast<double>(node.real(p.attribute, p.otherwise));
  };
  const double a = read(f.a), b = read(f.b);
  const Affine from = affine(*emitter.input(node, 0)), to = affine(emitter.value(node.outputs[0]));
  return lower_lookup(emitter, node, [&](std::int32_t q) {
    return onnx::apply([&](float x) { return f.f(static_cast<double>(x), a, b); }, q, from, to);
  });
}

}  // namespace byoc::c
