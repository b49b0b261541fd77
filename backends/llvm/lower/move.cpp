// Operators that move elements and compute nothing: what keeps its bytes, and Concat.
#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

std::optional<codegen::Verdict> refuse_moved(const Region& region, const Node& node) {
  const codegen::Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  if (!x.quantised() && !y.quantised()) return std::nullopt;
  if (x.dtype != DType::i8) return nodes::refuse_dtype(x.dtype, "f32 or i8");
  if (y.dtype != x.dtype || y.quantisation != x.quantisation || x.is_constant || x.elements() == 0)
    return nodes::refuse(Reason::unsupported_quantisation, "found i8 that does not stay what it is");
  return std::nullopt;
}

codegen::Verdict accepts_reshape(const Region& region, const Node& node) {
  if (const auto no = refuse_moved(region, node)) return *no;
  if (region.values[node.inputs[0]].is_constant)
    return nodes::refuse(Reason::not_constant, "found a constant, expected a computed value");
  if (node.op == "Dropout" && node.inputs.size() > 2 && node.inputs[2] != codegen::kNoValue)
    return nodes::refuse(Reason::unsupported_attribute, "found a training_mode input, expected none");
  return nodes::claim();
}

bool lower_reshape(Emitter& emitter, const Node& node) {
  emitter.alias(node.outputs[0], node.inputs[0]);
  return true;
}

codegen::Verdict accepts_concat(const Region&, const Node& node) {
  if (node.inputs.size() < 2) return nodes::refuse(Reason::unsupported_shape, "found one operand, expected several");
  return nodes::claim();
}

namespace {

// Pieces that one kernel copies: the compiler takes more than twice as long for a function that is twice as large.
constexpr std::size_t kPiecesTogether = 32;

// Elements of `size` bytes, of rows of `whole`: `outer` times the pieces, one behind the other.
struct Pieces {
  std::int64_t size = 1, outer = 1, whole = 0;
  std::vector<std::int64_t> lengths = {};

  [[nodiscard]] std::int64_t together() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : lengths) sum += n;
    return sum;
  }
  [[nodiscard]] std::string key() const {
    std::ostringstream out;
    out << size << ' ' << outer;
    for (const std::int64_t n : lengths) out << ' ' << n;
    if (whole != together()) out << " of " << whole;
    return out.str();
  }
  void write(Code& code, const std::string& symbol) const {
    code.begin_function(symbol, lengths.size() + 1, false, false);
    code.loop(outer, [&](Value i) {
      Value to = code.at_byte(code.argument(lengths.size()), code.times(i, whole * size));
      for (std::size_t k = 0; k < lengths.size(); ++k) {
        copy_elements(code, to, code.at_byte(code.argument(k), code.times(i, lengths[k] * size)), lengths[k], size);
        to = code.at_byte(to, lengths[k] * size);
      }
    });
    code.end_function();
  }
};

}  // namespace

bool lower_concat(Emitter& emitter, const Node& node) {
  const std::vector<std::int64_t>& dims = emitter.value(node.outputs[0]).dims;
  std::int64_t axis = node.integer("axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<std::int64_t>(d) < axis) outer *= dims[d];
    if (static_cast<std::int64_t>(d) > axis) inner *= dims[d];
  }
  codegen::Step step;
  std::vector<Call> calls;
  const Pieces none{bit_width(emitter.value(node.outputs[0]).dtype) / 8, outer,
                    dims[static_cast<std::size_t>(axis)] * inner};
  std::int64_t at = 0;
  for (std::size_t first = 0; first < node.inputs.size(); first += kPiecesTogether) {
    Pieces pieces = none;
    Call call;
    for (std::size_t i = first; i < std::min(first + kPiecesTogether, node.inputs.size()); ++i) {
      const codegen::ValueId id = node.inputs[i];
      const codegen::Value& x = emitter.value(id);
      pieces.lengths.push_back(x.dims[static_cast<std::size_t>(axis)] * inner);
      if (x.is_constant) {
        call.arguments.push_back(constant(emitter.as_it_is(emitter.stem(node) + "_x", id)));
        continue;
      }
      call.arguments.push_back(input(step.inputs.size()));
      step.inputs.push_back({id});
    }
    call.arguments.push_back(output(0));
    call.arguments.back().bytes = at;
    at += pieces.together() * pieces.size;
    call.kernel = emitter.modules().kernel("concat", pieces.key(),
                                           [&](Code& code, const std::string& symbol) { pieces.write(code, symbol); });
    calls.push_back(std::move(call));
  }
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), calls);
  return true;
}

}  // namespace byoc::bitcode
