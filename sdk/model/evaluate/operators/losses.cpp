// NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss: the same of the logarithm of the softmax.
#include <cmath>
#include <limits>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// [batch, classes, inner]
struct Scores {
  std::int64_t batch, classes, inner;
  std::vector<double> x;
  [[nodiscard]] std::size_t at(std::int64_t n, std::int64_t c, std::int64_t i) const {
    return static_cast<std::size_t>((n * classes + c) * inner + i);
  }
};

Result<Scores> read_scores(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2) return call.error("input 0 must have rank 2 or more", describe(call.in(0)));
  Dims labels = dims;
  labels.erase(labels.begin() + 1);
  if (*call.in(1).type.dims != labels)
    return call.error("the labels do not fit the scores", describe(call.in(1)), describe(labels));
  Scores s{dims[0], dims[1], 1, reals(call.in(0))};
  for (std::size_t d = 2; d < dims.size(); ++d) s.inner *= dims[d];
  return s;
}

// -weight * x at the label of each position; the mean divides by the weights.
Result<Tensor> reduce_losses(const Call& call, const Scores& s) {
  const Result<std::vector<std::int64_t>> labels = call.integers(1);
  if (!labels) return failure;
  std::vector<double> weights(static_cast<std::size_t>(s.classes), 1.0);
  if (call.find(2) != nullptr) {
    if (!call.same_dtype(0, 2)) return failure;
    if (*call.in(2).type.dims != Dims{s.classes})
      return call.error("input 2 must have one element for each class", describe(call.in(2)));
    weights = reals(call.in(2));
  }
  const auto* ignored = call.node.find<std::int64_t>("ignore_index");
  std::vector<double> losses;
  double sum = 0, weight_sum = 0;
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const std::int64_t label = (*labels)[static_cast<std::size_t>(n * s.inner + i)];
      double value = 0;
      if (ignored == nullptr || label != *ignored) {
        if (label < 0 || label >= s.classes)
          return call.error("a label is out of range", std::to_string(label), "0 to " + std::to_string(s.classes - 1));
        const double weight = weights[static_cast<std::size_t>(label)];
        value = -weight * s.x[s.at(n, label, i)];
        weight_sum += weight;
      }
      losses.push_back(value);
      sum += value;
    }
  const std::string reduction = call.node.text("reduction", "mean");
  const DType dtype = call.in(0).type.dtype;
  if (reduction == "none") return call.from_reals(dtype, *call.in(1).type.dims, losses);
  if (reduction == "sum") return call.from_reals(dtype, {}, std::vector<double>{sum});
  if (reduction == "mean") return call.from_reals(dtype, {}, std::vector<double>{sum / weight_sum});
  return call.error("unknown reduction", reduction, "none, mean or sum");
}

void log_softmax(Scores& s) {
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::int64_t c = 0; c < s.classes; ++c) most = std::max(most, s.x[s.at(n, c, i)]);
      double sum = 0;
      for (std::int64_t c = 0; c < s.classes; ++c) sum += std::exp(s.x[s.at(n, c, i)] - most);
      for (std::int64_t c = 0; c < s.classes; ++c) s.x[s.at(n, c, i)] -= most + std::log(sum);
    }
}

}  // namespace

Outcome negative_log_likelihood_loss(const Call& call) {
  const Result<Scores> s = read_scores(call);
  if (!s) return failure;
  return single(reduce_losses(call, *s));
}

Outcome softmax_cross_entropy_loss(const Call& call) {
  Result<Scores> s = read_scores(call);
  if (!s) return failure;
  log_softmax(*s);
  Outcome out = single(reduce_losses(call, *s));
  if (!out) return failure;
  Result<Tensor> log_prob = call.from_reals(call.in(0).type.dtype, *call.in(0).type.dims, s->x, 1);
  if (!log_prob) return failure;
  out->push_back(std::move(*log_prob));
  return out;
}

}  // namespace byoc::evaluate
