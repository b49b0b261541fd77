// Losses and optimisers.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_loss(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  const Value& labels = region.values[node.inputs[1]];
  if (labels.dtype != DType::i32 && labels.dtype != DType::i64)
    return refuse_dtype(labels.dtype, "labels of i32 or i64");
  return claim();
}

bool lower_loss(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const DType labels = emitter.input(node, 1)->dtype;
  const bool log_softmax = node.op == "SoftmaxCrossEntropyLoss";
  const std::string reduction = node.text("reduction", "mean");
  const std::string number = reduction == "none" ? "0" : reduction == "sum" ? "1" : "2";
  Kernel kernel{"loss.c",
                typed_symbol((log_softmax ? "cross_entropy_" : "log_likelihood_") + reduction, {x.dtype, labels}),
                {{"BYOC_LABEL", std::string(c_type(labels))}, {"BYOC_REDUCTION", number}}};
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  if (log_softmax) kernel.defines["BYOC_LOG_SOFTMAX"] = "1";
  const AroundAxis a = around(x.dims, 1);
  const auto* ignored = node.find<std::int64_t>("ignore_index");
  TypedStep s(emitter, node);
  ParameterText p;
  p.add("batch", a.outer).add("classes", a.axis).add("inner", a.inner).add("ignores", ignored ? 1 : 0);
  p.add("ignored", c_literal(DType::i64, ignored ? *ignored : std::int64_t{0}));
  const std::string parameters = s.parameters(p, "byoc_loss_t");
  s.call(kernel, "byoc_training.h", "BYOC_LOSS", {std::string(c_type(x.dtype)), std::string(c_type(labels))},
         {parameters, s.in(0), s.in(1), s.in(2), s.out(0), log_softmax ? s.out(1) : "NULL"});
  return s.emit();
}

codegen::Verdict accepts_optimiser(const Region& region, const Node& node, const TargetSpec&) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const DType dtype = region.values[node.inputs[i]].dtype;
    if (i != 1 && dtype != DType::f32 && dtype != DType::f64) return refuse_dtype(dtype, "f32 or f64");
  }
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_optimiser(Emitter& emitter, const Node& node) {
  const std::size_t states = node.op == "Adam" ? 2 : 1;
  const std::size_t n = (node.inputs.size() - 2) / (states + 2);
  const DType rate = emitter.input(node, 0)->dtype;
  const bool nesterov = node.text("mode", "standard") == "nesterov";
  const bool adagrad = node.op == "Adagrad";
  const auto real = [&](const char* key, float otherwise) {
    return c_literal(DType::f32, static_cast<double>(node.real(key, otherwise)));
  };
  TypedStep s(emitter, node);
  for (std::size_t t = 0; t < n; ++t) {
    const Value& x = *emitter.input(node, 2 + t);
    const std::string what = adagrad ? "adagrad" : node.op == "Adam" ? "adam" : nesterov ? "nesterov" : "momentum";
    Kernel kernel{"optimise.c",
                  typed_symbol(what, {x.dtype, rate}),
                  {{adagrad             ? "BYOC_ADAGRAD"
                    : node.op == "Adam" ? "BYOC_ADAM"
                    : nesterov          ? "BYOC_NESTEROV"
                                        : "BYOC_MOMENTUM",
                    "1"}}};
    define_element(kernel, "BYOC_X", x.dtype);
    define_element(kernel, "BYOC_RATE", rate);
    define_arithmetic(kernel, x.dtype);
    ParameterText p;
    p.add("count", x.elements());
    p.add("alpha", adagrad ? real("decay_factor", 0.0f) : real("alpha", 0.9f)).add("beta", real("beta", 0.999f));
    p.add("epsilon", real("epsilon", 1e-6f)).add("decay", real("norm_coefficient", 0.0f));
    p.add("decay_after", real("norm_coefficient_post", 0.0f));
    const std::string parameters = s.parameters(p, "byoc_optimiser_t", "params" + std::to_string(t));
    const auto in = [&](std::size_t k) { return s.in(2 + t + k * n); };
    const auto out = [&](std::size_t k) { return s.out(t + k * n); };
    s.call(kernel, "byoc_training.h", "BYOC_OPTIMISE", {std::string(c_type(x.dtype)), std::string(c_type(rate))},
           {parameters, s.in(0), s.in(1), in(0), in(1), in(2), states == 2 ? in(3) : "NULL", out(0), out(1),
            states == 2 ? out(2) : "NULL"});
  }
  return s.emit();
}

}  // namespace byoc::c
