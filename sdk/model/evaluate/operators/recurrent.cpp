#include "sdk/model/evaluate/operators/recurrent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace byoc::evaluate {
namespace {

struct Function {
  std::string_view name;  // in lower case
  bool has_alpha, has_beta;
  float alpha, beta;  // defaults: those of the operators of the same names
  double (*f)(double x, double alpha, double beta);
};

constexpr std::array kFunctions = {
    Function{"affine", true, true, 1, 0, [](double x, double a, double b) { return a * x + b; }},
    Function{"elu", true, false, 1, 0, [](double x, double a, double) { return x < 0 ? a * (std::exp(x) - 1) : x; }},
    Function{"hardsigmoid", true, true, 0.2F, 0.5F,
             [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); }},
    Function{"leakyrelu", true, false, 0.01F, 0, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    Function{"relu", false, false, 0, 0, [](double x, double, double) { return std::max(x, 0.0); }},
    Function{"scaledtanh", true, true, 1, 1, [](double x, double a, double b) { return a * std::tanh(b * x); }},
    Function{"sigmoid", false, false, 0, 0, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    Function{"softplus", false, false, 0, 0,
             [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }},
    Function{"softsign", false, false, 0, 0, [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    Function{"tanh", false, false, 0, 0, [](double x, double, double) { return std::tanh(x); }},
    Function{"thresholdedrelu", true, false, 1, 0, [](double x, double a, double) { return x > a ? x : 0.0; }},
};

// The functions of all directions. Functions that have an alpha or a beta take the next one of the lists.
Result<std::vector<Activation>> read_functions(const Call& call, const std::vector<std::string>& names) {
  const auto alphas = call.node.find<std::vector<float>>("activation_alpha");
  const auto betas = call.node.find<std::vector<float>>("activation_beta");
  const double clip = static_cast<double>(call.node.real("clip", 0));
  std::size_t next_alpha = 0, next_beta = 0;
  std::vector<Activation> out;
  for (std::string name : names) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto* known =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    if (known == kFunctions.end()) return call.error("unknown activation", name);
    double alpha = static_cast<double>(known->alpha), beta = static_cast<double>(known->beta);
    if (known->has_alpha && alphas != nullptr && next_alpha < alphas->size())
      alpha = static_cast<double>((*alphas)[next_alpha++]);
    if (known->has_beta && betas != nullptr && next_beta < betas->size())
      beta = static_cast<double>((*betas)[next_beta++]);
    out.emplace_back([f = known->f, alpha, beta, clip](double x) {
      return f(clip > 0 ? std::clamp(x, -clip, clip) : x, alpha, beta);
    });
  }
  if ((alphas != nullptr && next_alpha < alphas->size()) || (betas != nullptr && next_beta < betas->size()))
    return call.error("activation_alpha or activation_beta has more numbers than the activations take");
  return out;
}

struct Sizes {
  std::int64_t directions, steps, batch, input, hidden, layout;
};

Result<void> check_dims(const Call& call, std::size_t i, const Dims& expected) {
  if (call.find(i) == nullptr || *call.in(i).type.dims == expected) return {};
  return call.error("input " + std::to_string(i) + " has the wrong shape", describe(call.in(i)), describe(expected));
}

Result<Sizes> read_sizes(const Call& call, std::int64_t gates, bool has_cell) {
  const Dims& x = *call.in(0).type.dims;
  const Dims& r = *call.in(2).type.dims;
  if (x.size() != 3 || r.size() != 3) return call.error("inputs 0 and 2 must have rank 3", describe(call.in(0)));
  const std::string direction = call.node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return call.error("unknown direction", direction, "forward, reverse or bidirectional");
  const std::int64_t layout = call.node.integer("layout", 0);
  if (layout != 0 && layout != 1) return call.error("attribute layout is out of range", std::to_string(layout));
  Sizes s{direction == "bidirectional" ? 2 : 1, x[layout == 0 ? 0 : 1], x[layout == 0 ? 1 : 0], x[2], r[2], layout};
  const Dims state = layout == 0 ? Dims{s.directions, s.batch, s.hidden} : Dims{s.batch, s.directions, s.hidden};
  if (!check_dims(call, 1, {s.directions, gates * s.hidden, s.input}) ||
      !check_dims(call, 2, {s.directions, gates * s.hidden, s.hidden}) ||
      !check_dims(call, 3, {s.directions, 2 * gates * s.hidden}) || !check_dims(call, 4, {s.batch}) ||
      !check_dims(call, 5, state))
    return failure;
  if (has_cell && (!check_dims(call, 6, state) || !check_dims(call, 7, {s.directions, 3 * s.hidden}))) return failure;
  return s;
}

// Operands as real numbers; zeros where one is not given.
Vector numbers(const Call& call, std::size_t i, std::int64_t count) {
  return call.find(i) != nullptr ? reals(call.in(i)) : Vector(static_cast<std::size_t>(count), 0.0);
}

}  // namespace

double Direction::of_input(std::int64_t g, std::int64_t j, const double* x) const {
  const double* row = w + (g * hidden + j) * input;
  double sum = 0;
  for (std::int64_t i = 0; i < input; ++i) sum += x[i] * row[i];
  return sum;
}

double Direction::of_state(std::int64_t g, std::int64_t j, const Vector& h) const {
  const double* row = r + (g * hidden + j) * hidden;
  double sum = 0;
  for (std::int64_t i = 0; i < hidden; ++i) sum += h[static_cast<std::size_t>(i)] * row[i];
  return sum;
}

Outcome run_recurrent(const Call& call, std::int64_t gates, std::vector<std::string> default_functions, bool has_cell,
                      const Cell& cell) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  for (std::size_t i = 1; i < call.count(); ++i)
    if (i != 4 && call.find(i) != nullptr && !call.same_dtype(0, i)) return failure;
  const Result<Sizes> sizes = read_sizes(call, gates, has_cell);
  if (!sizes) return failure;
  const Sizes& s = *sizes;
  std::vector<std::string> names = default_functions;
  if (s.directions == 2) names.insert(names.end(), default_functions.begin(), default_functions.end());
  if (const auto* given = call.node.find<std::vector<std::string>>("activations")) {
    if (given->size() != names.size())
      return call.error("attribute activations has the wrong length", std::to_string(given->size()),
                        std::to_string(names.size()));
    names = *given;
  }
  const Result<std::vector<Activation>> functions = read_functions(call, names);
  if (!functions) return failure;

  const std::int64_t rows = gates * s.hidden, states = s.directions * s.batch * s.hidden;
  const Vector x = reals(call.in(0)), w = reals(call.in(1)), r = reals(call.in(2));
  const Vector bias = numbers(call, 3, s.directions * 2 * rows),
               peephole = numbers(call, 7, s.directions * 3 * s.hidden);
  Vector h_all = numbers(call, 5, states), c_all = numbers(call, 6, states);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(s.batch), s.steps);
  if (call.find(4) != nullptr) {
    if (call.in(4).type.dtype != DType::i32) return call.unsupported_dtype(4, "i32");
    lengths = whole_numbers(call.in(4));
    for (const std::int64_t l : lengths)
      if (l < 0 || l > s.steps)
        return call.error("a sequence length is out of range", std::to_string(l), "0 to " + std::to_string(s.steps));
  }
  const bool first_is_reverse = call.node.text("direction", "forward") == "reverse";
  Vector y(static_cast<std::size_t>(s.steps * states), 0.0);
  for (std::int64_t d = 0; d < s.directions; ++d) {
    Direction direction{s.input,
                        s.hidden,
                        w.data() + d * rows * s.input,
                        r.data() + d * rows * s.hidden,
                        bias.data() + d * 2 * rows,
                        bias.data() + d * 2 * rows + rows,
                        peephole.data() + d * 3 * s.hidden,
                        {}};
    const auto per_direction = static_cast<std::ptrdiff_t>(default_functions.size());
    direction.functions.assign(functions->begin() + d * per_direction, functions->begin() + (d + 1) * per_direction);
    const bool reverse = d == 1 || first_is_reverse;
    for (std::int64_t b = 0; b < s.batch; ++b) {
      const std::int64_t state = (s.layout == 0 ? d * s.batch + b : b * s.directions + d) * s.hidden;
      Vector h(h_all.begin() + state, h_all.begin() + state + s.hidden);
      Vector c(c_all.begin() + state, c_all.begin() + state + s.hidden);
      const std::int64_t length = lengths[static_cast<std::size_t>(b)];
      for (std::int64_t step = 0; step < length; ++step) {
        const std::int64_t t = reverse ? length - 1 - step : step;
        cell(direction, x.data() + (s.layout == 0 ? t * s.batch + b : b * s.steps + t) * s.input, h, c);
        const std::int64_t at =
            s.layout == 0 ? (t * s.directions + d) * s.batch + b : (b * s.steps + t) * s.directions + d;
        std::copy(h.begin(), h.end(), y.begin() + at * s.hidden);
      }
      // A plain RNN that has nothing to read from the end has no state: ONNX is silent, ONNX Runtime gives 0.
      if (call.node.op == "RNN" && reverse && length == 0) h.assign(h.size(), 0);
      std::copy(h.begin(), h.end(), h_all.begin() + state);
      std::copy(c.begin(), c.end(), c_all.begin() + state);
    }
  }
  const Dims all =
      s.layout == 0 ? Dims{s.steps, s.directions, s.batch, s.hidden} : Dims{s.batch, s.steps, s.directions, s.hidden};
  const Dims last = s.layout == 0 ? Dims{s.directions, s.batch, s.hidden} : Dims{s.batch, s.directions, s.hidden};
  std::vector<Tensor> out;
  for (Result<Tensor> t : {call.from_reals(dtype, all, y, 0), call.from_reals(dtype, last, h_all, 1),
                           call.from_reals(dtype, last, c_all, 2)}) {
    if (!t) return failure;
    out.push_back(std::move(*t));
  }
  return out;
}

}  // namespace byoc::evaluate
