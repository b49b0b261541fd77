// RNN, GRU and LSTM on floats: the input's products of all steps at once, then the steps one after the other.
#include "backends/llvm/kernels/recurrent.hpp"

#include <optional>

#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/products.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/recurrent.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::ValueId;
using Cell = Recurrent::Cell;

// Operands by ONNX's numbers.
enum : std::size_t { kX, kW, kR, kBias, kLengths, kInitialH, kInitialC, kPeepholes };

bool has_output(const Node& node, std::size_t index) {
  return index < node.outputs.size() && node.outputs[index] != codegen::kNoValue;
}

std::optional<GateFunction> function_of(std::string_view name) {
  if (name == "hardsigmoid") return GateFunction::hard_sigmoid;
  if (name == "relu") return GateFunction::relu;
  if (name == "sigmoid") return GateFunction::sigmoid;
  if (name == "tanh") return GateFunction::tanh;
  return std::nullopt;
}

// The functions of all directions; nullopt for one that the kernel does not have.
std::optional<std::vector<Gate>> read_gates(const Node& node, std::string& why) {
  const auto functions = nodes::read_gate_functions(node, why);
  if (!functions) return std::nullopt;
  std::vector<Gate> out;
  for (const nodes::GateFunction& f : *functions) {
    const auto function = function_of(f.name);
    if (!function) {
      why = "found activation " + std::string(f.name);
      return std::nullopt;
    }
    out.push_back({*function, f.alpha, f.beta});
  }
  return out;
}

std::optional<Recurrent> read_recurrent(const Region& region, const Node& node, std::string& why) {
  Recurrent out;
  out.cell = node.op == "LSTM" ? Cell::lstm : node.op == "GRU" ? Cell::gru : Cell::rnn;
  const std::string direction = node.text("direction", "forward");
  out.directions = direction == "bidirectional" ? 2 : 1;
  out.first_is_reverse = direction == "reverse";
  auto gates = read_gates(node, why);
  if (!gates) return std::nullopt;
  out.gates = std::move(*gates);
  const std::vector<std::int64_t>& x = region.values[node.inputs[kX]].dims;
  out.batch_first = node.integer("layout", 0) != 0;
  out.steps = x[out.batch_first ? 1 : 0];
  out.batch = x[out.batch_first ? 0 : 1];
  out.hidden = region.values[node.inputs[kR]].dims[2];
  out.clip = node.real("clip", 0);
  out.coupled = out.cell == Cell::lstm && node.integer("input_forget", 0) != 0;
  out.reset_after = out.cell == Cell::gru && node.integer("linear_before_reset", 0) != 0;
  out.initial_h = nodes::given_input(region, node, kInitialH) != nullptr;
  out.initial_c = out.cell == Cell::lstm && nodes::given_input(region, node, kInitialC) != nullptr;
  out.peepholes = out.cell == Cell::lstm && nodes::given_input(region, node, kPeepholes) != nullptr;
  out.y = has_output(node, 0);
  out.y_h = has_output(node, 1);
  out.y_c = out.cell == Cell::lstm && has_output(node, 2);
  return out;
}

// A row of `each` elements after the other, each filled up with zeros to `to`.
std::vector<float> filled_up(std::span<const float> rows, std::int64_t each, std::int64_t to) {
  std::vector<float> out;
  for (std::size_t at = 0; at < rows.size(); at += static_cast<std::size_t>(each)) {
    out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(at),
               rows.begin() + static_cast<std::ptrdiff_t>(at + static_cast<std::size_t>(each)));
    out.resize(out.size() + static_cast<std::size_t>(to - each), 0.0F);
  }
  return out;
}

struct Biases {
  std::vector<float> outer;  // [direction][gate][unit], added to the input's products
  std::vector<float> inner;  // [direction][unit], of the candidate of a GRU that resets after
};

Biases biases_of(const codegen::Value* given, const Recurrent& r) {
  const std::int64_t rows = r.gate_count() * r.hidden;
  Biases out{std::vector<float>(static_cast<std::size_t>(r.directions * rows), 0.0F),
             std::vector<float>(static_cast<std::size_t>(r.directions * r.hidden), 0.0F)};
  if (given == nullptr) return out;
  const std::vector<float> b = reals(*given);  // [direction][of W, of R][gate][unit]
  for (std::int64_t d = 0; d < r.directions; ++d)
    for (std::int64_t i = 0; i < rows; ++i) {
      const float of_w = b[static_cast<std::size_t>(2 * d * rows + i)];
      const float of_r = b[static_cast<std::size_t>((2 * d + 1) * rows + i)];
      const bool is_inner = r.has_inner_bias() && i >= 2 * r.hidden;
      out.outer[static_cast<std::size_t>(d * rows + i)] = is_inner ? of_w : of_w + of_r;
      if (is_inner) out.inner[static_cast<std::size_t>(d * r.hidden + i - 2 * r.hidden)] = of_r;
    }
  return out;
}

// The products of all steps and sequences with W, [step and batch][direction][gate][unit].
Product input_product(const Recurrent& r, std::int64_t depth) {
  Product p;
  p.in = depth;
  p.out = r.directions * r.gate_count() * r.hidden;
  p.cols = r.steps * r.batch;
  p.x_col = depth;
  p.y_col = p.out;
  return p;
}

std::uint64_t number(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// [block][depth][channel] of rows
codegen::Arrangement input_weight_order(const Product& p, std::int64_t channels) {
  enum : std::uint32_t { depth, column };
  return {.element_size = sizeof(float),
          .axes = {{number(p.in), 1}, {number(p.out), number(p.in)}},
          .loops = {{number((p.out + channels - 1) / channels), column, number(channels)},
                    {number(p.in), depth, 1},
                    {number(channels), column, 1}}};
}

// [direction and gate][block][state][unit]
codegen::Arrangement state_weight_order(const Recurrent& r, std::int64_t block) {
  enum : std::uint32_t { gate, unit, state };
  const std::int64_t panels = r.directions * r.gate_count();
  return {.element_size = sizeof(float),
          .axes = {{number(panels), number(r.hidden * r.hidden)},
                   {number(r.hidden), number(r.hidden)},
                   {number(r.hidden), 1}},
          .loops = {{number(panels), gate, 1},
                    {number((r.hidden + block - 1) / block), unit, number(block)},
                    {number(r.hidden), state, 1},
                    {number(block), unit, 1}}};
}

}  // namespace

codegen::Verdict accepts_recurrent(const Region& region, const Node& node) {
  if (region.values[node.inputs[kX]].dtype != DType::f32)
    return nodes::refuse_dtype(region.values[node.inputs[kX]].dtype, "f32");
  for (const std::size_t i : {std::size_t{kW}, std::size_t{kR}, std::size_t{kBias}, std::size_t{kPeepholes}})
    if (const codegen::Value* v = nodes::given_input(region, node, i); v != nullptr && !v->is_constant)
      return nodes::refuse(Reason::not_constant, "found computed weights, expected constants");
  if (nodes::given_input(region, node, kLengths) != nullptr)
    return nodes::refuse(Reason::unsupported_attribute, "found lengths of sequences, expected none");
  std::string why;
  if (!read_recurrent(region, node, why)) return nodes::refuse(Reason::unsupported_attribute, why);
  return nodes::claim();
}

bool lower_recurrent(Emitter& emitter, const Node& node) {
  std::string why;
  const auto r = read_recurrent(emitter.region, node, why);
  if (!r) return emitter.error(node, why);
  const std::int64_t depth = emitter.value(node.inputs[kX]).dims[2];
  const Product p = input_product(*r, depth);
  const Tile tile = choose_tile(emitter.machine, p);
  const std::int64_t block = block_of(emitter.machine, *r), padded = (r->hidden + block - 1) / block * block;
  const std::string stem = emitter.stem(node);
  Biases biases = biases_of(emitter.given(node, kBias), *r);
  biases.outer = filled_up(biases.outer, p.out, (p.out + tile.channels() - 1) / tile.channels() * tile.channels());

  codegen::Step step;
  step.inputs = {{node.inputs[kX]}};
  step.macs = number(p.cols * r->directions * r->gate_count() * r->hidden * (depth + r->hidden));
  const Argument products = scratch(step, p.cols * p.out * static_cast<std::int64_t>(sizeof(float)));
  Call first{
      product_kernel(emitter, "product", p, tile),
      {input(0), constant(emitter.arranged(stem + "_weights", node.inputs[kW], input_weight_order(p, tile.channels()))),
       constant(emitter.floats(stem + "_bias", biases.outer)), products}};
  Call second{
      emitter.modules().kernel("recurrent", bitcode::key_of(*r),
                               [&](Code& code, const std::string& symbol) { write_recurrent(code, symbol, *r); }),
      {products, constant(emitter.arranged(stem + "_recurrence", node.inputs[kR], state_weight_order(*r, block)))}};
  std::vector<Argument>& more = second.arguments;
  if (r->has_inner_bias())
    more.push_back(constant(emitter.floats(stem + "_inner_bias", filled_up(biases.inner, r->hidden, padded))));
  if (r->peepholes)
    more.push_back(constant(
        emitter.floats(stem + "_peepholes", filled_up(reals(*emitter.given(node, kPeepholes)), r->hidden, padded))));
  if (r->initial_h) more.push_back(emitter.operand(node, kInitialH, step));
  if (r->initial_c) more.push_back(emitter.operand(node, kInitialC, step));
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (has_output(node, i)) {
      more.push_back(output(step.outputs.size()));
      step.outputs.push_back({node.outputs[i]});
    }
  more.push_back(scratch(step, workspace_of(emitter.machine, *r) * static_cast<std::int64_t>(sizeof(float))));
  emitter.step(node, std::move(step), {first, second});
  return true;
}

}  // namespace byoc::bitcode
