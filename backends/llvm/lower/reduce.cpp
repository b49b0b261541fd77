// Reductions of floats over dims that are neighbours: the last ones row by row, others for as many neighbours at once
// as vectors have lanes.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/kernels/rows.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

constexpr float kUnbounded = std::numeric_limits<float>::infinity();

// A fold: where it starts, how it takes an element, and the step from its result to the operator's.
struct Fold {
  std::string_view op;
  float none;
  Value (*take)(Code&, Value before, Value x);
  Value (*finish)(Code&, Value, std::int64_t count);
  bool adds = true;         // by blocks
  bool is_shifted = false;  // by the largest element
};

Value as_it_is(Code& /*code*/, Value x, std::int64_t /*count*/) { return x; }
Value plus(Code& code, Value before, Value x) { return code.add(before, x); }
Value plus_square(Code& code, Value before, Value x) { return code.multiply_add(x, x, before); }
Value root(Code& code, Value x, std::int64_t /*count*/) { return code.square_root(x); }
Value logarithm(Code& code, Value x, std::int64_t /*count*/) { return code.logarithm(x); }
Value mean(Code& code, Value x, std::int64_t count) {
  return code.divide(x, code.real(static_cast<float>(count), Code::lanes_of(x)));
}

constexpr std::array kFolds{
    Fold{"ReduceL1", 0, [](Code& c, Value before, Value x) { return c.add(before, c.absolute(x)); }, as_it_is},
    Fold{"ReduceL2", 0, plus_square, root},
    Fold{"ReduceLogSum", 0, plus, logarithm},
    Fold{"ReduceLogSumExp", 0, [](Code& c, Value before, Value x) { return c.add(before, c.exponential_below_one(x)); },
         logarithm, true, true},
    Fold{"ReduceMax", -kUnbounded, [](Code& c, Value before, Value x) { return c.greatest(before, x); }, as_it_is,
         false},
    Fold{"ReduceMean", 0, plus, mean},
    Fold{"ReduceMin", kUnbounded, [](Code& c, Value before, Value x) { return c.least(before, x); }, as_it_is, false},
    Fold{"ReduceProd", 1, [](Code& c, Value before, Value x) { return c.multiply(before, x); }, as_it_is, false},
    Fold{"ReduceSum", 0, plus, as_it_is},
    Fold{"ReduceSumSquare", 0, plus_square, as_it_is},
};

const Fold& fold_named(std::string_view op) { return *std::ranges::find(kFolds, op, &Fold::op); }

// [outer][length][inner], of which the dim in the middle is reduced.
struct Reduction {
  const Fold* fold = nullptr;
  std::int64_t outer = 1, length = 1, inner = 1;
  bool by_range = false;
};

// Axes that were given, or none, if all are meant; null if a run computes them, or none are reduced.
std::optional<std::vector<std::int64_t>> axes_of(const Region& region, const Node& node) {
  const codegen::Value* given = nodes::given_input(region, node, 1);
  std::vector<std::int64_t> axes;
  if (given != nullptr && (!given->is_constant || given->dtype != DType::i64)) return std::nullopt;
  if (given != nullptr) axes = nodes::constant_elements<std::int64_t>(*given);
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
  return axes;
}

std::optional<Reduction> read_reduction(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  const auto axes = axes_of(region, node);
  if (!axes) return std::nullopt;
  std::vector<bool> reduced(dims.size(), axes->empty());
  for (const std::int64_t a : *axes) {
    const std::int64_t d = a < 0 ? a + static_cast<std::int64_t>(dims.size()) : a;
    if (d < 0 || d >= static_cast<std::int64_t>(dims.size())) return std::nullopt;
    reduced[static_cast<std::size_t>(d)] = true;
  }
  Reduction out{&fold_named(node.op)};
  enum class Part : std::uint8_t { outer, length, inner } part = Part::outer;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    if (reduced[d] && part == Part::inner) return std::nullopt;
    if (reduced[d]) part = Part::length;
    if (!reduced[d] && part == Part::length) part = Part::inner;
    (part == Part::outer ? out.outer : part == Part::length ? out.length : out.inner) *= dims[d];
  }
  return out;
}

// One number of the lanes of a vector.
Value of_lanes(Code& code, const Fold& fold, Value v) {
  for (std::int64_t lanes = Code::lanes_of(v); lanes > 1; lanes /= 2) {
    const Value low = code.part(v, 0, lanes / 2), high = code.part(v, lanes / 2, lanes / 2);
    v = fold.adds ? code.add(low, high) : fold.take(code, low, high);
  }
  return v;
}

// Infinite, or not a number, what is largest is the result.
Value unshifted(Code& code, Value y, Value most) {
  const Value infinite = code.real(kUnbounded, Code::lanes_of(y));
  return code.where_less(code.absolute(most), infinite, code.add(y, most), most);
}

void write_rows(Code& code, const std::string& symbol, const Reduction& r) {
  code.begin_function(symbol, 2, false, true, r.by_range);
  const std::int64_t lanes = code.machine().lanes;
  const RowFold elements(code, r.length);
  for_each(code, r.by_range, 0, r.outer, [&](Value row) {
    const Value from = code.at(code.argument(0), code.times(row, r.length));
    const auto folded = [&](const Fold& fold, Value most) {
      const Value none = code.real(fold.none, lanes), spread = most == nullptr ? nullptr : code.spread(most, lanes);
      const auto take = [&](Value at, std::int64_t valid, Value before) {
        Value x = code.load(code.at(from, at), lanes, valid);
        if (most != nullptr) x = code.subtract(x, spread);
        return code.first_lanes(fold.take(code, before, x), before, valid);
      };
      const auto join = [&](Value a, Value b) { return fold.take(code, a, b); };
      return of_lanes(code, fold, fold.adds ? elements.sum(take) : elements.fold(none, join, take));
    };
    const Value most = r.fold->is_shifted ? folded(fold_named("ReduceMax"), nullptr) : nullptr;
    Value y = r.fold->finish(code, folded(*r.fold, most), r.length);
    if (most != nullptr) y = unshifted(code, y, most);
    code.store(y, code.at(code.argument(1), row), 1);
  });
  code.end_function();
}

// Folds `length` elements that are `inner` apart, of as many neighbours as there are vectors; those added one after the
// other are few.
class Column {
 public:
  Column(Code& code, const Reduction& r, Value from, std::int64_t valid)
      : code_(code), r_(r), from_(from), valid_(valid), lanes_(code.machine().lanes) {}

  [[nodiscard]] Values folded(const Fold& fold, const Values& most) const {
    return blocks(fold, most, code_.integer(0), code_.integer(r_.length), fold.adds ? kBlocks : std::span(kBlocks, 0));
  }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(blocks_of(valid_, lanes_)); }
  [[nodiscard]] std::int64_t valid(std::size_t vector) const {
    return std::min(lanes_, valid_ - static_cast<std::int64_t>(vector) * lanes_);
  }

 private:
  static constexpr std::int64_t kBlocks[] = {4096, 64};  // rows of a block, and of its own blocks

  // Adds up the results of blocks, and those of their blocks: a plain sum would lose the small terms.
  [[nodiscard]] Values blocks(const Fold& fold, const Values& most, Value first, Value end,
                              std::span<const std::int64_t> sizes) const {
    const Values none(count(), code_.real(fold.none, lanes_));
    while (!sizes.empty() && r_.length <= sizes[0]) sizes = sizes.subspan(1);
    if (sizes.empty()) return part(fold, most, first, end, none);
    return code_.loop(first, end, sizes[0], none, [&](Value i, const Values& before) {
      const Value block_end = code_.lesser(code_.plus(i, sizes[0]), end);
      Values after = blocks(fold, most, i, block_end, sizes.subspan(1));
      for (std::size_t v = 0; v < after.size(); ++v) after[v] = code_.add(before[v], after[v]);
      return after;
    });
  }
  [[nodiscard]] Values part(const Fold& fold, const Values& most, Value first, Value end, const Values& none) const {
    return code_.loop(first, end, 1, none, [&](Value i, const Values& before) {
      const Value row = code_.at(from_, code_.times(i, r_.inner));
      Values after;
      for (std::size_t v = 0; v < before.size(); ++v) {
        Value x = code_.load(code_.at(row, static_cast<std::int64_t>(v) * lanes_), lanes_, valid(v));
        if (!most.empty()) x = code_.subtract(x, most[v]);
        after.push_back(fold.take(code_, before[v], x));
      }
      return after;
    });
  }

  Code& code_;
  const Reduction& r_;
  Value from_;
  const std::int64_t valid_, lanes_;
};

void write_columns(Code& code, const std::string& symbol, const Reduction& r) {
  code.begin_function(symbol, 2, false, true, r.by_range);
  const std::int64_t lanes = code.machine().lanes, together = std::min<std::int64_t>(8, code.machine().registers / 2);
  for_each(code, r.by_range, 0, r.outer, [&](Value outer) {
    const Value from = code.at(code.argument(0), code.times(outer, r.length * r.inner));
    const Value to = code.at(code.argument(1), code.times(outer, r.inner));
    for_pieces(code, r.inner, lanes * together, [&](Value at, std::int64_t valid) {
      const Column column(code, r, code.at(from, at), valid);
      const Values most = r.fold->is_shifted ? column.folded(fold_named("ReduceMax"), {}) : Values();
      const Values sums = column.folded(*r.fold, most);
      for (std::size_t v = 0; v < sums.size(); ++v) {
        Value y = r.fold->finish(code, sums[v], r.length);
        if (!most.empty()) y = unshifted(code, y, most[v]);
        code.store(y, code.at(to, code.plus(at, static_cast<std::int64_t>(v) * lanes)), column.valid(v));
      }
    });
  });
  code.end_function();
}

}  // namespace

codegen::Verdict accepts_reduce(const Region& region, const Node& node) {
  const codegen::Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32) return nodes::refuse_dtype(x.dtype, "f32");
  const auto r = read_reduction(region, node);
  if (!r)
    return nodes::refuse(Reason::unsupported_attribute,
                         "found axes that are computed, none, or not neighbours, expected constants that are");
  // The order of factors decides where a product overflows.
  if (node.op == "ReduceProd" && r->inner == 1)
    return nodes::refuse(Reason::unsupported_attribute, "found a product over the last dim, expected another one");
  if (node.text("activation", "none") != "none")
    return nodes::refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  return nodes::claim();
}

bool lower_reduce(Emitter& emitter, const Node& node) {
  auto r = read_reduction(emitter.region, node);
  if (!r) return emitter.error(node, "was not claimed");
  r->by_range = emitter.is_shared(Emitter::Work::elements, r->outer * r->length * r->inner, r->outer);
  std::ostringstream key;
  key << node.op << ' ' << r->outer << ' ' << r->length << ' ' << r->inner << (r->by_range ? " by range" : "");
  codegen::Step step;
  Call call;
  call.arguments = {emitter.operand(node, 0, step), output(0)};
  step.outputs = {{node.outputs[0]}};
  if (r->by_range) call.pieces = r->outer;
  call.kernel = emitter.modules().kernel("reduce", key.str(), [&](Code& code, const std::string& symbol) {
    (r->inner == 1 ? write_rows : write_columns)(code, symbol, *r);
  });
  emitter.step(node, std::move(step), {call});
  return true;
}

}  // namespace byoc::bitcode
