// RNN, GRU and LSTM: one kernel family, weights by reference.
#include <cctype>

#include "backends/c/lower/dense/float_kernels.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/nodes/recurrent.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// The constant of byoc_recurrent.h.
std::string kind_of(const nodes::GateFunction& f) {
  if (f.name == "hardsigmoid") return "BYOC_HARD_SIGMOID";
  if (f.name == "leakyrelu") return "BYOC_LEAKY_RELU";
  if (f.name == "scaledtanh") return "BYOC_SCALED_TANH";
  if (f.name == "thresholdedrelu") return "BYOC_THRESHOLDED_RELU";
  std::string kind = "BYOC_";
  for (const char c : f.name) kind += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return kind;
}

std::int64_t gates_of(const Node& node) { return node.op == "LSTM" ? 4 : node.op == "GRU" ? 3 : 1; }

// The initialisers of all byoc_gate_function_t, three for each direction; nullopt for a function that there is not.
std::optional<std::string> functions_text(const Node& node, std::string& why) {
  const auto functions = nodes::read_gate_functions(node, why);
  if (!functions) return std::nullopt;
  const std::size_t each = nodes::default_gate_functions(node).size();
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t at = i / 3 * each + i % 3;
    std::string one = "{BYOC_TANH, 0.0f, 0.0f}";
    if (i % 3 < each && at < functions->size()) {
      const nodes::GateFunction& f = (*functions)[at];
      one = "{" + kind_of(f) + ", " + c_literal(DType::f32, static_cast<double>(f.alpha)) + ", " +
            c_literal(DType::f32, static_cast<double>(f.beta)) + "}";
    }
    text += (i ? ", " : "{") + one;
  }
  return text + "}";
}

std::uint64_t number(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// Lengths of a layer.
struct LayerLengths {
  std::int64_t directions = 1, gates = 1, hidden = 1, input = 1;

  [[nodiscard]] std::int64_t blocks() const { return (hidden + kFloatBlock - 1) / kFloatBlock; }
  [[nodiscard]] std::int64_t units() const { return blocks() * kFloatBlock; }
};

// [direction and gate][block][element][unit], of [direction][gate][unit][element]
codegen::Arrangement weight_order(const LayerLengths& e, std::int64_t depth) {
  enum : std::uint32_t { gate, unit, element };
  const std::int64_t panels = e.directions * e.gates;
  return {.element_size = sizeof(float),
          .axes = {{number(panels), number(e.hidden * depth)}, {number(e.hidden), number(depth)}, {number(depth), 1}},
          .loops = {{number(panels), gate, 1},
                    {number(e.blocks()), unit, number(kFloatBlock)},
                    {number(depth), element, 1},
                    {number(kFloatBlock), unit, 1}}};
}

// The sums of both biases, [direction][gate][unit]; of the candidate of a GRU that resets after (`inner`) that of the
// input alone, and in the second vector that of the state, [direction][unit].
std::pair<std::vector<float>, std::vector<float>> packed_biases(const Value* given, const LayerLengths& e, bool inner) {
  std::vector<float> outer(static_cast<std::size_t>(e.directions * e.gates * e.units()), 0.0F);
  std::vector<float> of_state(static_cast<std::size_t>(inner ? e.directions * e.units() : 0), 0.0F);
  if (given == nullptr) return {outer, of_state};
  const std::vector<float> b = constant_elements<float>(*given);
  for (std::int64_t d = 0; d < e.directions; ++d)
    for (std::int64_t g = 0; g < e.gates; ++g)
      for (std::int64_t u = 0; u < e.hidden; ++u) {
        const float of_w = b[static_cast<std::size_t>((2 * d * e.gates + g) * e.hidden + u)];
        const float of_r = b[static_cast<std::size_t>(((2 * d + 1) * e.gates + g) * e.hidden + u)];
        const bool apart = inner && g == 2;
        outer[static_cast<std::size_t>((d * e.gates + g) * e.units() + u)] = apart ? of_w : of_w + of_r;
        if (apart) of_state[static_cast<std::size_t>(d * e.units() + u)] = of_r;
      }
  return {outer, of_state};
}

// Weights that are constants are packed for the dense kernel, where code and workspace may be larger for it.
bool takes_packed_weights(Emitter& emitter, const Node& node) {
  if (emitter.objective == Objective::size || emitter.attempt != 0 || emitter.input(node, 0)->dtype != DType::f32)
    return false;
  const Value* bias = emitter.input(node, 3);
  return emitter.input(node, 1)->is_constant && emitter.input(node, 2)->is_constant &&
         (bias == nullptr || bias->is_constant);
}

void call_packed(Emitter& emitter, const Node& node, TypedStep& s, Kernel kernel, const LayerLengths& e,
                 const std::string& parameters) {
  const FloatForm form = float_form(emitter.target);
  const std::string product = emitter.kernel(
      {"fully_connected_f32" + form.suffix + ".c", "byoc_fully_connected_f32" + form.suffix, form.defines});
  kernel.file = "recurrent_f32.c";
  kernel.symbol += "_packed" + form.suffix;
  kernel.defines["BYOC_PRODUCT"] = product;
  const bool cell = node.op == "LSTM", inner = node.op == "GRU" && node.integer("linear_before_reset", 0) != 0;
  const auto [bias, state_bias] = packed_biases(emitter.input(node, 3), e, inner);
  const std::string w =
      emitter.constant_arranged<float>(s.name + "_weights", node.inputs[1], weight_order(e, e.input), 16);
  const std::string r =
      emitter.constant_arranged<float>(s.name + "_recurrence", node.inputs[2], weight_order(e, e.hidden), 16);
  const std::string b = emitter.constant<float>(s.name + "_bias", bias, true, 16);
  const std::string inner_b = inner ? emitter.constant<float>(s.name + "_inner_bias", state_bias, true, 16) : "NULL";
  const auto bytes = number((2 * e.gates + 3) * e.units()) * sizeof(float);
  s.call(kernel, "byoc_recurrent.h", "BYOC_RECURRENT_F32", {},
         {parameters, s.in(0), w, r, b, inner_b, s.in(4), s.in(5), cell ? s.in(6) : "NULL", cell ? s.in(7) : "NULL",
          s.out(0), s.out(1), cell ? s.out(2) : "NULL", "(float *)" + s.workspace(bytes)});
}

}  // namespace

codegen::Verdict accepts_recurrent(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  const DType dtype = region.values[node.inputs[0]].dtype;
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (const Value* v = given_input(region, node, i); v && v->dtype != (i == 4 ? DType::i32 : dtype))
      return refuse_dtype(v->dtype, to_string(i == 4 ? DType::i32 : dtype));
  std::string why;
  if (!functions_text(node, why)) return refuse(Reason::unsupported_attribute, why);
  return claim();
}

bool lower_recurrent(Emitter& emitter, const Node& node) {
  std::string why;
  const auto functions = functions_text(node, why);
  if (!functions) return emitter.error(node, why);
  const Value& x = *emitter.input(node, 0);
  const std::int64_t gates = gates_of(node);
  const bool batch_first = node.integer("layout", 0) != 0;
  const std::int64_t steps = x.dims[batch_first ? 1 : 0], batch = x.dims[batch_first ? 0 : 1], input = x.dims[2];
  const std::int64_t hidden = emitter.input(node, 2)->dims[2], directions = emitter.input(node, 2)->dims[0];
  const std::string direction = node.text("direction", "forward");
  ParameterText p;
  p.add("directions", directions).add("first_is_reverse", direction == "reverse" ? 1 : 0);
  p.add("steps", steps).add("batch", batch).add("input", input).add("hidden", hidden);
  p.add("x_time", batch_first ? input : batch * input).add("x_batch", batch_first ? steps * input : input);
  p.add("y_time", directions * hidden * (batch_first ? 1 : batch));
  p.add("y_direction", batch_first ? hidden : batch * hidden);
  p.add("y_batch", batch_first ? steps * directions * hidden : hidden);
  p.add("h_direction", batch_first ? hidden : batch * hidden)
      .add("h_batch", batch_first ? directions * hidden : hidden);
  p.add("variant", node.integer(node.op == "LSTM" ? "input_forget" : "linear_before_reset", 0) != 0 ? 1 : 0);
  p.add("clip", c_literal(DType::f32, static_cast<double>(node.real("clip", 0.0f))));
  p.add("functions", *functions);
  Kernel kernel{"recurrent.c", "", {{"BYOC_GATES", std::to_string(gates)}}};
  kernel.symbol = typed_symbol(node.op == "LSTM" ? "lstm" : node.op == "GRU" ? "gru" : "rnn", {x.dtype});
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_recurrent_t");
  s.step.macs = static_cast<std::uint64_t>(steps * batch * directions * gates * hidden * (input + hidden));
  if (takes_packed_weights(emitter, node)) {
    call_packed(emitter, node, s, std::move(kernel), {directions, gates, hidden, input}, parameters);
    return s.emit();
  }
  constexpr std::int64_t kWork = 5;  // BYOC_RECURRENT_WORK
  const std::string work(element_type(x.dtype)->work);
  const std::uint64_t bytes = static_cast<std::uint64_t>(kWork * hidden) * (x.dtype == DType::f64 ? 8 : 4);
  const bool cell = node.op == "LSTM";
  s.call(
      kernel, "byoc_recurrent.h", "BYOC_RECURRENT", {std::string(c_type(x.dtype)), work},
      {parameters, s.in(0), s.in(1), s.in(2), s.in(3), s.in(4), s.in(5), cell ? s.in(6) : "NULL",
       cell ? s.in(7) : "NULL", s.out(0), s.out(1), cell ? s.out(2) : "NULL", "(" + work + " *)" + s.workspace(bytes)});
  return s.emit();
}

}  // namespace byoc::c
