#include "backends/llvm/lower/real_functions.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <sstream>

namespace byoc::bitcode {
namespace {

using codegen::Node;

Value sigmoid(Code& code, Value x, std::int64_t lanes) {
  const Value one = code.real(1, lanes);
  return code.divide(one, code.add(one, code.exponential(code.negate(x))));
}

Value hard_sigmoid(Code& code, Value x, float alpha, float beta, std::int64_t lanes) {
  const Value line = code.add(code.multiply(code.real(alpha, lanes), x), code.real(beta, lanes));
  return code.at_most(code.at_least(line, code.real(0, lanes)), code.real(1, lanes));
}

// alpha (e^x - 1) below 0.
Value exponential_unit(Code& code, Value x, Value alpha, std::int64_t lanes) {
  const Value zero = code.real(0, lanes);
  return code.where_less(x, zero, code.multiply(alpha, code.exponential_less_one(x)), x);
}

// ln(1 + e^x)
Value soft_plus(Code& code, Value x, std::int64_t lanes) {
  const Value rest = code.logarithm_of_one_more(code.exponential_below_one(code.negate(code.absolute(x))));
  return code.add(code.at_least(x, code.real(0, lanes)), rest);
}

// x tanh(ln(1 + e^x)), which is x n / (n + 2) for n = e^x (e^x + 2), and x from 20 on.
Value mish(Code& code, Value x, std::int64_t lanes) {
  const Value most = code.real(20, lanes), two = code.real(2, lanes);
  const Value e = code.exponential(code.at_most(x, most));
  const Value n = code.multiply(e, code.add(e, two));
  return code.where_less(x, most, code.multiply(x, code.divide(n, code.add(n, two))), x);
}

Value gelu(Code& code, const Node& node, Value x, std::int64_t lanes) {
  const auto c = [&](double v) { return code.real(static_cast<float>(v), lanes); };
  Value inner = nullptr;
  if (node.text("approximate", "none") == "tanh") {
    const Value cubic = code.multiply_add(code.multiply(code.multiply(x, x), c(0.044715)), x, x);
    inner = code.hyperbolic_tangent(code.multiply(c(std::numbers::sqrt2 * std::numbers::inv_sqrtpi), cubic));
  } else {
    inner = code.error_function(code.multiply(x, c(1 / std::numbers::sqrt2)));
  }
  return code.multiply(code.multiply(c(0.5), x), code.add(c(1), inner));
}

// To the nearest integer, halves to the even one, of any float: from 2^23 on there are no fractions. Code::nearest() is
// for numbers that are smaller.
Value rounded(Code& code, Value x, std::int64_t lanes) {
  const Value no_fraction = code.real(8388608, lanes), size = code.absolute(x);
  const Value whole = code.subtract(code.add(size, no_fraction), no_fraction);
  return code.where_less(size, no_fraction, code.with_sign_of(whole, x), x);
}

Value floor(Code& code, Value x, std::int64_t lanes) {
  const Value whole = rounded(code, x, lanes);
  return code.where_less(x, whole, code.subtract(whole, code.real(1, lanes)), whole);
}

constexpr std::array kFunctions{
    Function{"Abs", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.absolute(x[0]); }},
    Function{"Add", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.add(x[0], x[1]); }},
    Function{"Celu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               const Value alpha = c.real(n.real("alpha", 1), lanes);
               const Value below = c.multiply(alpha, c.exponential_less_one(c.divide(x[0], alpha)));
               return c.where_less(x[0], c.real(0, lanes), below, x[0]);
             }},
    Function{"Ceil", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) {
               return c.negate(floor(c, c.negate(x[0]), lanes));
             }},
    Function{"Cos", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.cosine(x[0]); }},
    Function{"Div", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.divide(x[0], x[1]); }},
    Function{"Elu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               return exponential_unit(c, x[0], c.real(n.real("alpha", 1), lanes), lanes);
             }},
    Function{"Erf", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.error_function(x[0]); }},
    Function{"Exp", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.exponential(x[0]); }},
    Function{"Floor", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return floor(c, x[0], lanes); }},
    Function{"Gelu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) { return gelu(c, n, x[0], lanes); }},
    Function{"HardSigmoid", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               return hard_sigmoid(c, x[0], n.real("alpha", 0.2F), n.real("beta", 0.5F), lanes);
             }},
    Function{"HardSwish", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) {
               return c.multiply(x[0], hard_sigmoid(c, x[0], 1.0F / 6, 0.5F, lanes));
             }},
    Function{"LeakyRelu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               const Value slope = c.multiply(x[0], c.real(n.real("alpha", 0.01F), lanes));
               return c.where_less(x[0], c.real(0, lanes), slope, x[0]);
             }},
    Function{"Log", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.logarithm(x[0]); }},
    Function{"Max", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.greatest(x[0], x[1]); }},
    Function{"Min", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.least(x[0], x[1]); }},
    Function{"Mish", 1, [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return mish(c, x[0], lanes); }},
    Function{"Mul", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.multiply(x[0], x[1]); }},
    Function{"Neg", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.negate(x[0]); }},
    Function{"PRelu", 2,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) {
               return c.where_less(x[0], c.real(0, lanes), c.multiply(x[0], x[1]), x[0]);
             }},
    Function{
        "Reciprocal", 1,
        [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return c.divide(c.real(1, lanes), x[0]); }},
    Function{"Round", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return rounded(c, x[0], lanes); }},
    Function{"Selu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               const Value gamma = c.real(n.real("gamma", 1.05070102214813232421875F), lanes);
               const Value alpha = c.real(n.real("alpha", 1.67326319217681884765625F), lanes);
               return c.multiply(gamma, exponential_unit(c, x[0], alpha, lanes));
             }},
    Function{"Sigmoid", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return sigmoid(c, x[0], lanes); }},
    Function{"Sin", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.sine(x[0]); }},
    Function{"Softplus", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return soft_plus(c, x[0], lanes); }},
    Function{"Softsign", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) {
               return c.divide(x[0], c.add(c.real(1, lanes), c.absolute(x[0])));
             }},
    Function{"Sqrt", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.square_root(x[0]); }},
    Function{"Sub", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.subtract(x[0], x[1]); }},
    Function{"Tanh", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.hyperbolic_tangent(x[0]); }},
    Function{"ThresholdedRelu", 1,
             [](Code& c, const Node& n, const Values& x, std::int64_t lanes) {
               return c.where_less(c.real(n.real("alpha", 1), lanes), x[0], x[0], c.real(0, lanes));
             }},
};

}  // namespace

const Function* find_function(const Node& node) {
  if (!node.domain.empty()) return nullptr;
  const auto* it = std::ranges::find(kFunctions, std::string_view(node.op), &Function::op);
  return it == kFunctions.end() ? nullptr : it;
}

std::string function_key(const Node& node) {
  std::ostringstream key;
  key << node.op << node.text("approximate", "") << std::hexfloat;
  for (const char* name : {"alpha", "beta", "gamma"})
    key << ' ' << node.attributes.contains(name) << node.real(name, 0);
  return key.str();
}

}  // namespace byoc::bitcode
