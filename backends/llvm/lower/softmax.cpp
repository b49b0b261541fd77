// Softmax on floats along dims that are the last: e^(x - max) over their sum, in two passes over a row that stays where
// the result will be.
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Region;

constexpr std::int64_t kSumBlock = 256;  // vectors that are added one after the other

struct Rows {
  std::int64_t count = 1, length = 1;
  float beta = 1;
  Real real = Real::f32;
};

std::optional<Rows> read_softmax(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  // Before opset 13 the dims from the axis on are one, and the axis is 1 unless it is given.
  const bool flattens = node.version < 13;
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t axis = node.integer("axis", flattens ? 1 : -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  Rows rows;
  rows.beta = node.real("beta", 1.0F);
  rows.real = real_of(region.values[node.inputs[0]]);
  for (std::int64_t d = 0; d < rank; ++d) (d < axis ? rows.count : rows.length) *= dims[static_cast<std::size_t>(d)];
  if (!flattens && rows.length != dims[static_cast<std::size_t>(axis)]) return std::nullopt;
  return rows;
}

void write(Code& code, const std::string& symbol, const Rows& rows) {
  code.begin_function(symbol, 2, false, false);
  const std::int64_t lanes = code.machine().lanes, whole = rows.length / lanes * lanes, rest = rows.length - whole;
  const float lowest = -std::numeric_limits<float>::infinity();
  // Over a row: whole vectors in a loop, then the rest, whose absent lanes `f` gets as they are loaded.
  using Step = std::function<Value(Value at, std::int64_t valid, Value before)>;
  const auto vectors = [&](Value first, Value end, Value initial, const Step& f) {
    return code.loop(first, end, lanes, {initial},
                     [&](Value i, const Values& before) { return Values{f(i, lanes, before[0])}; })[0];
  };
  const auto reduce = [&](Value initial, const Step& f) {
    const Value out = whole == 0 ? initial : vectors(code.integer(0), code.integer(whole), initial, f);
    return rest == 0 ? out : f(code.integer(whole), rest, out);
  };
  // Sums of blocks, added up: a long plain sum of floats would lose its small terms.
  const std::int64_t block = kSumBlock * lanes, in_blocks = whole / block * block;
  const auto sum_up = [&](const Step& f) {
    const Value none = code.real(0, lanes);
    Value out = none;
    if (in_blocks != 0)
      out = code.loop(code.integer(0), code.integer(in_blocks), block, {none}, [&](Value i, const Values& before) {
        return Values{code.add(before[0], vectors(i, code.plus(i, block), none, f))};
      })[0];
    if (in_blocks != whole) out = code.add(out, vectors(code.integer(in_blocks), code.integer(whole), none, f));
    return rest == 0 ? out : f(code.integer(whole), rest, out);
  };
  code.loop(rows.count, [&](Value row) {
    const Value from = code.at(code.argument(0), code.times(row, rows.length), rows.real);
    const Value to = code.at(code.argument(1), code.times(row, rows.length), rows.real);
    const auto scaled = [&](Value at, std::int64_t valid) {
      const Value x = code.load(code.at(from, at, rows.real), lanes, valid, rows.real);
      return rows.beta == 1 ? x : code.multiply(x, code.real(rows.beta, lanes));
    };
    // Vectors are filled up with the row's first element, which changes no maximum.
    const Value first = code.spread(code.load(from, 1, 1, rows.real), lanes);
    const Value fill = rows.beta == 1 ? first : code.multiply(first, code.real(rows.beta, lanes));
    const Value most = reduce(code.real(lowest, lanes), [&](Value at, std::int64_t valid, Value before) {
      return code.at_least(code.first_lanes(scaled(at, valid), fill, valid), before);
    });
    const Value greatest = code.spread(code.greatest_of_lanes(most), lanes);
    const auto power = [&](Value at, std::int64_t valid) {
      return code.exponential(code.subtract(scaled(at, valid), greatest));
    };
    // If the result has fewer bits than the sum, powers are computed twice instead of rounded twice.
    const bool keeps = rows.real == Real::f32;
    const Value sums = sum_up([&](Value at, std::int64_t valid, Value before) {
      const Value e = power(at, valid);
      if (keeps) code.store(e, code.at(to, at), valid);
      return code.add(before, code.first_lanes(e, code.real(0, lanes), valid));
    });
    const Value sum = code.spread(code.sum_of_lanes(sums), lanes);
    for_pieces(code, rows.length, lanes, [&](Value at, std::int64_t valid) {
      const Value pointer = code.at(to, at, rows.real);
      const Value e = keeps ? code.load(pointer, lanes, valid) : power(at, valid);
      code.store(code.divide(e, sum), pointer, valid, rows.real);
    });
  });
  code.end_function();
}

}  // namespace

codegen::Verdict accepts_softmax(const Region& region, const Node& node) {
  if (!read_softmax(region, node))
    return nodes::refuse(codegen::Reason::unsupported_attribute, "found an axis that is not the last");
  return nodes::claim();
}

bool lower_softmax(Emitter& emitter, const Node& node) {
  const auto rows = read_softmax(emitter.region, node);
  if (!rows) return emitter.error(node, "was not claimed");
  std::ostringstream key;
  key << rows->count << ' ' << rows->length << ' ' << static_cast<int>(rows->real) << ' ' << std::hexfloat
      << rows->beta;
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  step.overlays = {{.output = 0, .input = 0}};
  emitter.step(node, std::move(step),
               {{emitter.modules().kernel("softmax", key.str(),
                                          [&](Code& code, const std::string& symbol) { write(code, symbol, *rows); }),
                 {input(0), output(0)}}});
  return true;
}

}  // namespace byoc::bitcode
