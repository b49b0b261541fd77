// Operators whose results are computed of the elements at the same place alone, after broadcasting: several that follow
// each other in one pass.
#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/nest.hpp"
#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/channel_factors.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/real_functions.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;

// Computes a large result by range.
void share(const Emitter& emitter, const codegen::Value& y, Nest& nest, Call& call) {
  const std::int64_t pieces = pieces_of(emitter.machine, nest);
  nest.by_range = emitter.is_shared(Emitter::Work::elements, y.elements(), pieces);
  if (nest.by_range) call.pieces = pieces;
}

// One function of a chain: its operands by their number among the chain's, -1 for the result of the one before.
struct Stage {
  const Function* function = nullptr;  // null: the operand itself
  const Node* node = nullptr;
  std::vector<int> operands;
  nodes::Bounds bounds = {};
};

// Functions of the elements at one place that are computed in one pass, and what they read.
struct Chain {
  std::vector<Stage> stages;
  std::vector<codegen::ValueId> operands;

  int number_of(codegen::ValueId id) {
    const auto known = std::ranges::find(operands, id);
    if (known == operands.end()) operands.push_back(id);
    return static_cast<int>(std::ranges::find(operands, id) - operands.begin());
  }
  void add(const Node& node, codegen::ValueId before) {
    Stage stage{find_function(node), &node, {}, nodes::activation_bounds(node).value_or(nodes::Bounds{})};
    for (std::size_t i = 0; i < stage.function->operands; ++i)
      stage.operands.push_back(node.inputs[i] == before ? -1 : number_of(node.inputs[i]));
    stages.push_back(std::move(stage));
  }
  [[nodiscard]] std::string key() const {
    std::ostringstream out;
    for (const Stage& s : stages) {
      out << (s.function == nullptr ? "clamp" : function_key(*s.node)) << std::hexfloat << ' ' << s.bounds.lo << ' '
          << s.bounds.hi;
      for (const int o : s.operands) out << ' ' << o;
      out << '|';
    }
    return out.str();
  }
  [[nodiscard]] Value compute(Code& code, const Values& x, std::int64_t lanes) const {
    Value out = nullptr;
    for (const Stage& s : stages) {
      Values own;
      for (const int o : s.operands) own.push_back(o < 0 ? out : x[static_cast<std::size_t>(o)]);
      out = s.function == nullptr ? own[0] : s.function->compute(code, *s.node, own, lanes);
      out = clamped(code, out, s.bounds, lanes);
    }
    return out;
  }
};

// The function that reads the result of `last` alone, has its shape, and whose other operands are there already.
const Node* next_of_chain(const Emitter& emitter, const Node& last, const Chain& chain) {
  constexpr std::size_t kMostOperands = 6;  // registers
  const codegen::ValueId id = last.outputs[0];
  const Node* next = emitter.only_follower(id);
  if (next == nullptr || find_function(*next) == nullptr || emitter.value(id).dtype != DType::f32 ||
      emitter.value(next->outputs[0]).dims != emitter.value(id).dims || chain.operands.size() + 1 > kMostOperands)
    return nullptr;
  for (std::size_t i = 0; i < find_function(*next)->operands; ++i)
    if (next->inputs[i] != id && !emitter.is_made(next->inputs[i])) return nullptr;
  return next;
}

// The step of a chain, to which `node` belongs.
void emit(Emitter& emitter, const Node& node, const Fused& fused, const Chain& chain) {
  const codegen::Value& y = emitter.value(fused.output);
  codegen::Step step;
  Call call;
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < chain.operands.size(); ++i) {
    const codegen::ValueId id = chain.operands[i];
    const codegen::Value& x = emitter.value(id);
    shapes.push_back(x.dims);
    if (x.is_constant) {
      call.arguments.push_back(constant(emitter.as_it_is(emitter.stem(node) + "_x", id)));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(step.inputs.size());
    if (x.dims == y.dims) step.overlays.push_back({.output = 0, .input = index});
    call.arguments.push_back(input(index));
    step.inputs.push_back({id});
  }
  call.arguments.push_back(output(0));
  step.outputs = {{fused.output}};
  step.nodes = fused.nodes;
  Nest nest = nest_of(y.dims, shapes);
  nest.operands.assign(chain.operands.size(), real_of(y));
  nest.out = real_of(y);
  share(emitter, y, nest, call);
  const nodes::Bounds bounds = fused.bounds;
  std::ostringstream whole;
  whole << chain.key() << ' ' << std::hexfloat << bounds.lo << ' ' << bounds.hi << ' ' << key_of(nest);
  call.kernel = emitter.modules().kernel("elementwise", whole.str(), [&](Code& code, const std::string& symbol) {
    write_nest(code, symbol, nest, [&](Code& own, const Values& x, std::int64_t lanes) {
      return clamped(own, chain.compute(own, x, lanes), bounds, lanes);
    });
  });
  emitter.step(node, std::move(step), {call});
}

}  // namespace

Verdict accepts_elementwise(const Region& region, const Node& node) {
  const Function* function = find_function(node);
  const codegen::Value& y = region.values[node.outputs[0]];
  if (node.inputs.size() != function->operands)
    return nodes::refuse(Reason::unsupported_shape, "found " + std::to_string(node.inputs.size()) +
                                                        " operands, expected " + std::to_string(function->operands));
  for (std::size_t i = 0; i < function->operands; ++i) {
    const codegen::Value* x = nodes::given_input(region, node, i);
    if (x == nullptr || !nodes::broadcasts_to(*x, y))
      return nodes::refuse(Reason::unsupported_shape, "found an operand that does not broadcast to the result");
  }
  if (!nodes::activation_bounds(node))
    return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return nodes::claim();
}

bool lower_elementwise(Emitter& emitter, const Node& node) {
  Chain chain;
  chain.add(node, codegen::kNoValue);
  const Node* last = &node;
  std::vector<const Node*> before;
  while (const Node* next = next_of_chain(emitter, *last, chain)) {
    before.push_back(last);
    chain.add(*next, last->outputs[0]);
    last = next;
  }
  chain.stages.back().bounds = {};  // those of the last node are fuse()'s
  emit(emitter, node, emitter.fuse(before, *last), chain);
  return true;
}

Verdict accepts_clamp(const Region& region, const Node& node) {
  if (!clamp_bounds(region, node))
    return nodes::refuse(Reason::not_constant, "found computed bounds, expected constants");
  return nodes::claim();
}

bool lower_clamp(Emitter& emitter, const Node& node) {
  const Fused alone{
      node.outputs[0], {emitter.id_of(node)}, *clamp_bounds(emitter.region, node), codegen::kNoValue, {}, {}};
  Chain chain;
  chain.stages.push_back({nullptr, &node, {chain.number_of(node.inputs[0])}});
  emit(emitter, node, alone, chain);
  return true;
}

Verdict accepts_batch_normalization(const Region& region, const Node& node) {
  const codegen::Value& x = region.values[node.inputs[0]];
  if (x.dims.size() < 2)
    return nodes::refuse(Reason::unsupported_shape, "found " + nodes::shape_text(x) + ", expected [N,C,...]");
  if (!channel_factors(region, node))
    return nodes::refuse(Reason::not_constant, "found computed parameters, or training");
  return nodes::claim();
}

bool lower_batch_normalization(Emitter& emitter, const Node& node) {
  const auto factors = channel_factors(emitter.region, node);
  if (!factors) return emitter.error(node, "was not claimed");
  const Fused fused = emitter.fuse(node, {});
  const codegen::Value& y = emitter.value(fused.output);
  const std::size_t axis = node.text("data_layout", "NCHW") == "NHWC" ? y.dims.size() - 1 : 1;
  std::vector<std::int64_t> channels(y.dims.size() - axis, 1);
  channels[0] = y.dims[axis];
  Nest nest = nest_of(y.dims, {y.dims, channels, channels});
  nest.operands = {real_of(y)};
  nest.out = real_of(y);
  Call call;
  share(emitter, y, nest, call);
  const std::string stem = emitter.stem(node);
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{fused.output}};
  step.overlays = {{.output = 0, .input = 0}};
  step.nodes = fused.nodes;
  std::ostringstream key;
  key << std::hexfloat << fused.bounds.lo << ' ' << fused.bounds.hi << ' ' << key_of(nest);
  call.kernel = emitter.modules().kernel("affine", key.str(), [&](Code& code, const std::string& symbol) {
    write_nest(code, symbol, nest, [&](Code& own, const Values& x, std::int64_t lanes) {
      return clamped(own, own.multiply_add(x[0], x[1], x[2]), fused.bounds, lanes);
    });
  });
  call.arguments = {input(0), constant(emitter.floats(stem + "_scale", factors->scale)),
                    constant(emitter.floats(stem + "_shift", factors->shift)), output(0)};
  emitter.step(node, std::move(step), {call});
  return true;
}

}  // namespace byoc::bitcode
