// Losses and optimisers.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// Scores [N, C, d1 ...], labels [N, d1 ...], weights [C].
Result<void> loss(const Inference& call, bool has_log_prob) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16}) || !call.want_rank(0, 2, kAny) ||
      !call.one_of(1, {DType::i32, DType::i64}) || !call.want_rank(1, call.rank(0) - 1, call.rank(0) - 1))
    return failure;
  Dims labels = call.dims(0);
  labels.erase(labels.begin() + 1);
  for (std::size_t d = 0; d < labels.size(); ++d) {
    if (is_known(labels[d]) && is_known(call.dims(1)[d]) && labels[d] != call.dims(1)[d])
      return call.error("the labels do not fit the scores", call.text(1), call.text(labels));
    if (!is_known(labels[d])) labels[d] = call.dims(1)[d];
  }
  if (call.find(2) != nullptr) {
    if (!call.want_rank(2, 1, 1) || !call.same_dtype(0, 2)) return failure;
    if (is_known(call.dims(0)[1]) && is_known(call.dims(2)[0]) && call.dims(0)[1] != call.dims(2)[0])
      return call.error("input 2 must have one element for each class", call.text(2), std::to_string(call.dims(0)[1]));
  }
  const std::string reduction = call.node.text("reduction", "mean");
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    return call.error("unknown reduction", reduction, "none, mean or sum");
  if (has_log_prob && !call.set(1, call.in(0).dtype, call.dims(0))) return failure;
  return call.set(0, call.in(0).dtype, reduction == "none" ? labels : Dims{});
}

// R, T, then for each of n tensors the tensor, its gradient, and `states` more; out come the tensor and the states.
Result<void> optimiser(const Inference& call, std::size_t states) {
  const std::size_t inputs = states + 2;
  const std::size_t given = call.node.inputs.size() - 2;
  if (given == 0 || given % inputs != 0)
    return call.error("wrong number of inputs", std::to_string(call.node.inputs.size()),
                      "2, and " + std::to_string(inputs) + " for each tensor");
  if (!call.one_of(0, {DType::f32, DType::f64}) || !call.one_of(1, {DType::i64})) return failure;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (!call.want_rank(i, 0, 1) || (call.rank(i) == 1 && is_known(call.dims(i)[0]) && call.dims(i)[0] != 1))
      return call.error("input " + std::to_string(i) + " must have one element", call.text(i));
  const std::size_t n = given / inputs;
  if (call.node.outputs.size() > n * (states + 1))
    return call.error("wrong number of outputs", std::to_string(call.node.outputs.size()),
                      std::to_string(n * (states + 1)));
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t first = 2 + t;
    for (std::size_t k = 0; k < inputs; ++k) {
      const std::size_t i = first + k * n;
      if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
      if (!call.one_of(i, {DType::f32, DType::f64}) || !call.same_dtype(first, i)) return failure;
      if (call.dims(i) != call.dims(first) && all_known(call.dims(i)) && all_known(call.dims(first)))
        return call.error("input " + std::to_string(i) + " does not have the shape of its tensor", call.text(i),
                          call.text(first));
    }
    for (std::size_t k = 0; k <= states; ++k)
      if (!call.set(t + k * n, call.in(first).dtype, call.dims(first))) return failure;
  }
  return {};
}

}  // namespace

Result<void> negative_log_likelihood_loss(const Inference& call) { return loss(call, false); }
Result<void> softmax_cross_entropy_loss(const Inference& call) { return loss(call, true); }

Result<void> adagrad(const Inference& call) { return optimiser(call, 1); }
Result<void> adam(const Inference& call) { return optimiser(call, 2); }
Result<void> momentum(const Inference& call) {
  const std::string mode = call.node.text("mode", "");
  if (mode != "standard" && mode != "nesterov") return call.error("unknown mode", mode, "standard or nesterov");
  return optimiser(call, 1);
}

}  // namespace byoc::shapes
