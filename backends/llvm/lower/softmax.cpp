// Softmax and LogSoftmax on floats: e^(x - max) over their sum, and its logarithm. Along dims that are the last in
// passes over a row that stays where the result will be; along others for neighbours of as many rows at once as a
// vector has lanes.
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/kernels/rows.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Region;

// [count][length][inner]
struct Rows {
  std::int64_t count = 1, length = 1, inner = 1;
  float beta = 1;
  bool logarithm = false;
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
  rows.logarithm = node.op == "LogSoftmax";
  for (std::int64_t d = 0; d < rank; ++d) {
    std::int64_t& run = d < axis ? rows.count : d == axis || flattens ? rows.length : rows.inner;
    run *= dims[static_cast<std::size_t>(d)];
  }
  if (rows.inner != 1 && rows.real != Real::f32) return std::nullopt;
  return rows;
}

// For lanes of `inner`.
void write_inner(Code& code, const std::string& symbol, const Rows& rows) {
  code.begin_function(symbol, 2, false, false);
  const float lowest = -std::numeric_limits<float>::infinity();
  code.loop(rows.count, [&](Value row) {
    const Value first = code.times(row, rows.length * rows.inner);
    for_pieces(code, rows.inner, code.machine().lanes, [&](Value column, std::int64_t lanes) {
      const Value start = code.plus(first, column);
      const Value from = code.at(code.argument(0), start), to = code.at(code.argument(1), start);
      const auto over_length = [&](Value initial, const std::function<Value(Value at, Value before)>& f) {
        return code.loop(code.integer(0), code.integer(rows.length), 1, {initial}, [&](Value i, const Values& before) {
          return Values{f(code.times(i, rows.inner), before[0])};
        })[0];
      };
      const auto scaled = [&](Value at) {
        const Value x = code.load(code.at(from, at), lanes);
        return rows.beta == 1 ? x : code.multiply(x, code.real(rows.beta, lanes));
      };
      const Value greatest = over_length(code.real(lowest, lanes),
                                         [&](Value at, Value before) { return code.at_least(scaled(at), before); });
      const Value sum = over_length(code.real(0, lanes), [&](Value at, Value before) {
        const Value away = code.subtract(scaled(at), greatest), e = code.exponential_below_one(away);
        code.store(rows.logarithm ? away : e, code.at(to, at), lanes);
        return code.add(before, e);
      });
      const Value last = rows.logarithm ? code.logarithm(sum) : code.divide(code.real(1, lanes), sum);
      code.loop(rows.length, [&](Value i) {
        const Value pointer = code.at(to, code.times(i, rows.inner)), v = code.load(pointer, lanes);
        code.store(rows.logarithm ? code.subtract(v, last) : code.multiply(v, last), pointer, lanes);
      });
    });
  });
  code.end_function();
}

void write_last(Code& code, const std::string& symbol, const Rows& rows) {
  code.begin_function(symbol, 2, false, false);
  const std::int64_t lanes = code.machine().lanes;
  const float lowest = -std::numeric_limits<float>::infinity();
  const RowFold elements(code, rows.length);
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
    const auto greater = [&](Value a, Value b) { return code.at_least(a, b); };
    const Value most =
        elements.fold(code.real(lowest, lanes), greater, [&](Value at, std::int64_t valid, Value before) {
          return code.at_least(code.first_lanes(scaled(at, valid), fill, valid), before);
        });
    const Value greatest = code.spread(code.greatest_of_lanes(most), lanes);
    const auto away = [&](Value at, std::int64_t valid) { return code.subtract(scaled(at, valid), greatest); };
    const auto power = [&](Value at, std::int64_t valid) { return code.exponential_below_one(away(at, valid)); };
    // If the result has fewer bits than the sum, powers are computed twice instead of rounded twice.
    const bool keeps = rows.real == Real::f32 && !rows.logarithm;
    const Value sums = elements.sum([&](Value at, std::int64_t valid, Value before) {
      const Value e = power(at, valid);
      if (keeps) code.store(e, code.at(to, at), valid);
      return code.add(before, code.first_lanes(e, code.real(0, lanes), valid));
    });
    const Value sum = code.spread(code.sum_of_lanes(sums), lanes);
    const Value logarithm = rows.logarithm ? code.logarithm(sum) : nullptr;
    const Value share = rows.logarithm ? nullptr : code.divide(code.real(1, lanes), sum);
    for_pieces(code, rows.length, lanes, [&](Value at, std::int64_t valid) {
      const Value pointer = code.at(to, at, rows.real);
      const auto quotient = [&] {
        return code.multiply(keeps ? code.load(pointer, lanes, valid) : power(at, valid), share);
      };
      code.store(rows.logarithm ? code.subtract(away(at, valid), logarithm) : quotient(), pointer, valid, rows.real);
    });
  });
  code.end_function();
}

}  // namespace

codegen::Verdict accepts_softmax(const Region& region, const Node& node) {
  if (!read_softmax(region, node))
    return nodes::refuse(codegen::Reason::unsupported_attribute,
                         "found an axis that is not the last, expected the last for floats of 16 bits");
  return nodes::claim();
}

bool lower_softmax(Emitter& emitter, const Node& node) {
  const auto rows = read_softmax(emitter.region, node);
  if (!rows) return emitter.error(node, "was not claimed");
  std::ostringstream key;
  key << rows->count << ' ' << rows->length << ' ' << rows->inner << ' ' << rows->logarithm
      << static_cast<int>(rows->real) << ' ' << std::hexfloat << rows->beta;
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  step.overlays = {{.output = 0, .input = 0}};
  emitter.step(node, std::move(step),
               {{emitter.modules().kernel("softmax", key.str(),
                                          [&](Code& code, const std::string& symbol) {
                                            (rows->inner == 1 ? write_last : write_inner)(code, symbol, *rows);
                                          }),
                 {input(0), output(0)}}});
  return true;
}

}  // namespace byoc::bitcode
