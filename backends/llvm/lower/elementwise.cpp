// Operators whose results are computed of the elements at the same place alone, after broadcasting.
#include <algorithm>
#include <array>
#include <sstream>

#include "backends/llvm/kernels/nest.hpp"
#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/channel_factors.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;

struct Function {
  std::string_view op;
  std::size_t operands;
  Value (*compute)(Code&, const Node&, const Values&, std::int64_t lanes);
};

Value sigmoid(Code& code, Value x, std::int64_t lanes) {
  const Value one = code.real(1, lanes);
  return code.divide(one, code.add(one, code.exponential(code.negate(x))));
}

Value hard_sigmoid(Code& code, Value x, float alpha, float beta, std::int64_t lanes) {
  const Value line = code.add(code.multiply(code.real(alpha, lanes), x), code.real(beta, lanes));
  return code.at_most(code.at_least(line, code.real(0, lanes)), code.real(1, lanes));
}

constexpr std::array kFunctions{
    Function{"Abs", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.absolute(x[0]); }},
    Function{"Add", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.add(x[0], x[1]); }},
    Function{"Div", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.divide(x[0], x[1]); }},
    Function{"Exp", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.exponential(x[0]); }},
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
    Function{"Mul", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.multiply(x[0], x[1]); }},
    Function{"Neg", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.negate(x[0]); }},
    Function{"PRelu", 2,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) {
               return c.where_less(x[0], c.real(0, lanes), c.multiply(x[0], x[1]), x[0]);
             }},
    Function{"Sigmoid", 1,
             [](Code& c, const Node&, const Values& x, std::int64_t lanes) { return sigmoid(c, x[0], lanes); }},
    Function{"Sqrt", 1, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.square_root(x[0]); }},
    Function{"Sub", 2, [](Code& c, const Node&, const Values& x, std::int64_t) { return c.subtract(x[0], x[1]); }},
};

const Function* find(const Node& node) {
  const auto* it = std::ranges::find(kFunctions, std::string_view(node.op), &Function::op);
  return it == kFunctions.end() ? nullptr : it;
}

// Computes a large result by range.
void share(const Emitter& emitter, const codegen::Value& y, Nest& nest, Call& call) {
  const std::int64_t pieces = pieces_of(emitter.machine, nest);
  nest.by_range = emitter.is_shared(Emitter::Work::elements, y.elements(), pieces);
  if (nest.by_range) call.pieces = pieces;
}

// A step over the node's first `count` operands, which broadcast to its result.
void emit(Emitter& emitter, const Node& node, std::size_t count, const Fused& fused, const std::string& key,
          const Lanewise& f) {
  const codegen::Value& y = emitter.value(fused.output);
  codegen::Step step;
  Call call;
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < count; ++i) {
    const codegen::Value& x = emitter.value(node.inputs[i]);
    shapes.push_back(x.dims);
    if (x.is_constant) {
      call.arguments.push_back(constant(emitter.as_it_is(emitter.stem(node) + "_x", node.inputs[i])));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(step.inputs.size());
    if (x.dims == y.dims) step.overlays.push_back({.output = 0, .input = index});
    call.arguments.push_back(input(index));
    step.inputs.push_back({node.inputs[i]});
  }
  call.arguments.push_back(output(0));
  step.outputs = {{fused.output}};
  step.nodes = fused.nodes;
  Nest nest = nest_of(y.dims, shapes);
  nest.operands.assign(count, real_of(y));
  nest.out = real_of(y);
  share(emitter, y, nest, call);
  const nodes::Bounds bounds = fused.bounds;
  std::ostringstream whole;
  whole << key << ' ' << std::hexfloat << bounds.lo << ' ' << bounds.hi << ' ' << key_of(nest);
  call.kernel = emitter.modules().kernel("elementwise", whole.str(), [&](Code& code, const std::string& symbol) {
    write_nest(code, symbol, nest, [&](Code& own, const Values& x, std::int64_t lanes) {
      return clamped(own, f(own, x, lanes), bounds, lanes);
    });
  });
  emitter.step(node, std::move(step), {call});
}

}  // namespace

Verdict accepts_elementwise(const Region& region, const Node& node) {
  const Function* function = find(node);
  const codegen::Value& y = region.values[node.outputs[0]];
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
  const Function* function = find(node);
  std::ostringstream key;
  key << node.op << std::hexfloat << ' ' << node.real("alpha", 0) << ' ' << node.real("beta", 0) << ' '
      << node.attributes.contains("alpha") << node.attributes.contains("beta");
  emit(emitter, node, function->operands, emitter.fuse(node, {}), key.str(),
       [&](Code& code, const Values& x, std::int64_t lanes) { return function->compute(code, node, x, lanes); });
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
  emit(emitter, node, 1, alone, "clamp", [](Code&, const Values& x, std::int64_t) { return x[0]; });
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
