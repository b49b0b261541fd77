// Adagrad, Adam and Momentum of ai.onnx.preview.training: one step for any number of tensors. Operands: the learning
// rate R, the number of updates T, then all tensors X, all gradients G, all states.
#include <array>
#include <cmath>
#include <functional>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

using States = std::array<double, 2>;

// The new element of x from its gradient; updates the states.
using Update = std::function<double(double x, double gradient, States&)>;

Outcome optimise(const Call& call, std::size_t states, const Update& update) {
  const std::size_t per_tensor = states + 2;
  if (call.count() <= 2 || (call.count() - 2) % per_tensor != 0)
    return call.error("wrong number of inputs", std::to_string(call.count()),
                      "2, and " + std::to_string(per_tensor) + " for each tensor");
  const std::size_t n = (call.count() - 2) / per_tensor;
  std::vector<Tensor> out(n * (states + 1));
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t first = 2 + t;
    std::vector<std::vector<double>> values;
    for (std::size_t k = 0; k < per_tensor; ++k) {
      if (call.find(first + k * n) == nullptr)
        return call.error("input " + std::to_string(first + k * n) + " is missing");
      if (!call.same_dtype(first, first + k * n)) return failure;
      if (call.in(first + k * n).type.dims != call.in(first).type.dims)
        return call.error("input " + std::to_string(first + k * n) + " does not have the shape of its tensor");
      values.push_back(reals(call.in(first + k * n)));
    }
    const DType dtype = call.in(first).type.dtype;
    if (!is_float(dtype)) return call.unsupported_dtype(first, "a float");
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      States s{};
      for (std::size_t k = 0; k < states; ++k) s[k] = values[2 + k][i];
      values[0][i] = update(values[0][i], values[1][i], s);
      for (std::size_t k = 0; k < states; ++k) values[2 + k][i] = s[k];
    }
    for (std::size_t k = 0; k <= states; ++k) {
      Result<Tensor> y = call.from_reals(dtype, *call.in(first).type.dims, values[k == 0 ? 0 : k + 1], t + k * n);
      if (!y) return failure;
      out[t + k * n] = std::move(*y);
    }
  }
  return out;
}

struct Rates {
  double rate, updates;
};

Result<Rates> read_rates(const Call& call) {
  const Result<double> rate = call.scalar(0);
  const Result<double> updates = call.scalar(1);
  if (!rate || !updates) return failure;
  return Rates{*rate, *updates};
}

double attribute(const Call& call, const char* name, float otherwise) {
  return static_cast<double>(call.node.real(name, otherwise));
}

}  // namespace

Outcome adagrad(const Call& call) {
  const Result<Rates> r = read_rates(call);
  if (!r) return failure;
  const double rate = r->rate / (1 + r->updates * attribute(call, "decay_factor", 0));
  const double epsilon = attribute(call, "epsilon", 1e-6F), decay = attribute(call, "norm_coefficient", 0);
  return optimise(call, 1, [=](double x, double gradient, States& s) {
    const double g = decay * x + gradient;
    s[0] += g * g;
    return x - rate * g / (std::sqrt(s[0]) + epsilon);
  });
}

Outcome adam(const Call& call) {
  const Result<Rates> r = read_rates(call);
  if (!r) return failure;
  const double alpha = attribute(call, "alpha", 0.9F), beta = attribute(call, "beta", 0.999F);
  const double epsilon = attribute(call, "epsilon", 1e-6F), decay = attribute(call, "norm_coefficient", 0);
  const double decay_after = attribute(call, "norm_coefficient_post", 0);
  double rate = r->rate;
  if (r->updates > 0) rate *= std::sqrt(1 - std::pow(beta, r->updates)) / (1 - std::pow(alpha, r->updates));
  return optimise(call, 2, [=](double x, double gradient, States& s) {
    const double g = decay * x + gradient;
    s[0] = alpha * s[0] + (1 - alpha) * g;
    s[1] = beta * s[1] + (1 - beta) * g * g;
    return (1 - decay_after) * (x - rate * s[0] / (std::sqrt(s[1]) + epsilon));
  });
}

Outcome momentum(const Call& call) {
  const Result<Rates> r = read_rates(call);
  if (!r) return failure;
  const double alpha = attribute(call, "alpha", 0), decay = attribute(call, "norm_coefficient", 0);
  const double beta = r->updates > 0 ? attribute(call, "beta", 0) : 1;
  const std::string mode = call.node.text("mode", "");
  if (mode != "standard" && mode != "nesterov") return call.error("unknown mode", mode, "standard or nesterov");
  const double rate = r->rate;
  return optimise(call, 1, [=, nesterov = mode == "nesterov"](double x, double gradient, States& s) {
    const double g = decay * x + gradient;
    s[0] = alpha * s[0] + beta * g;
    return x - rate * (nesterov ? g + alpha * s[0] : s[0]);
  });
}

}  // namespace byoc::evaluate
