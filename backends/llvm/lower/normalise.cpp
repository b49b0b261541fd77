// LayerNormalization and RMSNormalization of floats over dims that are the last: three passes over a row, which stays
// in the cache.
#include <optional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/kernels/rows.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/trailing.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

struct Normalisation {
  std::int64_t count = 1, length = 1;  // rows, and the elements of one
  // Rows after which scale and bias begin anew, one of each for a row; 0: they are of the elements of a row.
  std::int64_t channels = 0;
  bool centred = true;  // the mean is taken off
  bool shifts = false;  // there is a bias
  float epsilon = 1e-5F;
};

std::optional<Normalisation> read_normalisation(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const bool by_channel = node.op == "InstanceNormalization";
  std::int64_t axis = by_channel ? 2 : node.integer("axis", -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  Normalisation out;
  if (by_channel) out.channels = dims[1];
  for (std::int64_t d = 0; d < rank; ++d) (d < axis ? out.count : out.length) *= dims[static_cast<std::size_t>(d)];
  out.centred = node.op != "RMSNormalization";
  out.epsilon = node.real("epsilon", 1e-5F);
  out.shifts = nodes::given_input(region, node, 2) != nullptr;
  const codegen::Value& x = region.values[node.inputs[0]];
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const codegen::Value* v = nodes::given_input(region, node, i);
    if (v == nullptr) continue;
    const bool fits =
        by_channel ? v->elements() == out.channels : nodes::has_trailing_dims(*v, x, static_cast<std::size_t>(axis));
    if (!fits) return std::nullopt;
  }
  return out;
}

void write(Code& code, const std::string& symbol, const Normalisation& n) {
  code.begin_function(symbol, n.shifts ? 4 : 3, false, false);
  const std::int64_t lanes = code.machine().lanes;
  const RowFold elements(code, n.length);
  const Value zero = code.real(0, lanes);
  const auto mean_of = [&](const RowFold::Step& f) {
    const Value sum = code.sum_of_lanes(elements.sum(f));
    return code.spread(code.divide(sum, code.real(static_cast<float>(n.length), 1)), lanes);
  };
  const std::int64_t channels = n.channels == 0 ? 1 : n.channels;
  const auto one_row = [&](Value row, Value channel) {
    const Value from = code.at(code.argument(0), code.times(row, n.length));
    const Value to = code.at(code.argument(n.shifts ? 3 : 2), code.times(row, n.length));
    const auto load = [&](Value at, std::int64_t valid) { return code.load(code.at(from, at), lanes, valid); };
    // The mean is pivot + shift. Differences to an element of the row are small where the row's elements are close
    // together, and then there is nothing left of them that rounding could enlarge.
    const Value pivot = n.centred ? code.spread(code.load(from, 1), lanes) : zero;
    const auto to_pivot = [&](Value at, std::int64_t valid) { return code.subtract(load(at, valid), pivot); };
    const Value shift = !n.centred ? zero : mean_of([&](Value at, std::int64_t valid, Value before) {
      return code.add(before, code.first_lanes(to_pivot(at, valid), zero, valid));
    });
    const auto centred = [&](Value at, std::int64_t valid) { return code.subtract(to_pivot(at, valid), shift); };
    const Value variance = mean_of([&](Value at, std::int64_t valid, Value before) {
      const Value away = code.first_lanes(centred(at, valid), zero, valid);
      return code.multiply_add(away, away, before);
    });
    const Value deviation = code.square_root(code.add(variance, code.real(n.epsilon, lanes)));
    const Value factor = code.divide(code.real(1, lanes), deviation);
    for_pieces(code, n.length, lanes, [&](Value at, std::int64_t valid) {
      const auto parameter = [&](std::size_t i) {
        if (n.channels == 0) return code.load(code.at(code.argument(i), at), lanes, valid);
        return code.spread(code.load(code.at(code.argument(i), channel), 1), lanes);
      };
      const Value scaled = code.multiply(code.multiply(centred(at, valid), factor), parameter(1));
      code.store(n.shifts ? code.add(scaled, parameter(2)) : scaled, code.at(to, at), valid);
    });
  };
  code.loop(n.count / channels, [&](Value image) {
    code.loop(channels, [&](Value channel) { one_row(code.plus(code.times(image, channels), channel), channel); });
  });
  code.end_function();
}

}  // namespace

codegen::Verdict accepts_normalise(const Region& region, const Node& node) {
  if (region.values[node.inputs[0]].dtype != DType::f32)
    return nodes::refuse_dtype(region.values[node.inputs[0]].dtype, "f32");
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i] != codegen::kNoValue)
      return nodes::refuse(Reason::unsupported_attribute, "found the mean as a result");
  if (node.inputs.size() < 2 || node.outputs.empty() || node.outputs[0] == codegen::kNoValue ||
      !read_normalisation(region, node))
    return nodes::refuse(Reason::unsupported_shape, "found a scale or bias that is not of the normalised dims");
  return nodes::claim();
}

bool lower_normalise(Emitter& emitter, const Node& node) {
  const auto n = read_normalisation(emitter.region, node);
  if (!n) return emitter.error(node, "was not claimed");
  std::ostringstream key;
  key << n->count << ' ' << n->length << ' ' << n->channels << ' ' << n->centred << n->shifts << ' ' << std::hexfloat
      << n->epsilon;
  codegen::Step step;
  Call call;
  for (std::size_t i = 0; i < (n->shifts ? 3U : 2U); ++i) call.arguments.push_back(emitter.operand(node, i, step));
  call.arguments.push_back(output(0));
  step.outputs = {{node.outputs[0]}};
  if (!step.inputs.empty() && step.inputs[0].value == node.inputs[0]) step.overlays = {{.output = 0, .input = 0}};
  call.kernel = emitter.modules().kernel("normalise", key.str(),
                                         [&](Code& code, const std::string& symbol) { write(code, symbol, *n); });
  emitter.step(node, std::move(step), {call});
  return true;
}

}  // namespace byoc::bitcode
