// Transpose of floats or bytes: dims that stay together are one, and what is left is two of them changing places, by
// batch, or rows of several elements.
#include <algorithm>
#include <optional>

#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/products.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

// A run of the input's dims that follow each other in the output, too: in its order.
struct Run {
  std::int64_t first = 0, length = 1;  // dims of the input, without those of length 1
  std::int64_t elements = 1;
};

// Empty for a perm that does not fit.
std::vector<Run> runs_of(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  std::vector<std::int64_t> perm = node.integers("perm", {});
  if (perm.empty())
    for (std::size_t d = dims.size(); d-- > 0;) perm.push_back(static_cast<std::int64_t>(d));
  if (perm.size() != dims.size()) return {};
  std::erase_if(perm, [&](std::int64_t axis) { return dims[static_cast<std::size_t>(axis)] == 1; });
  if (perm.empty()) return {Run{}};
  std::vector<std::int64_t> rank(perm);
  std::sort(rank.begin(), rank.end());
  std::vector<Run> runs;
  for (const std::int64_t axis : perm) {
    const std::int64_t at = std::lower_bound(rank.begin(), rank.end(), axis) - rank.begin();
    const std::int64_t size = dims[static_cast<std::size_t>(axis)];
    if (!runs.empty() && runs.back().first + runs.back().length == at) {
      ++runs.back().length;
      runs.back().elements *= size;
    } else {
      runs.push_back({at, 1, size});
    }
  }
  return runs;
}

// `count` times an exchange of rows and columns.
struct Turn {
  std::int64_t count = 1, rows = 1, cols = 1;
};
std::optional<Turn> as_turn(const std::vector<Run>& runs) {
  Turn turn;
  std::size_t start = 0;
  if (!runs.empty() && runs[0].first == 0) turn.count = runs[start++].elements;
  if (runs.size() - start != 2) return std::nullopt;
  turn.cols = runs[start].elements;
  turn.rows = runs[start + 1].elements;
  return turn;
}

// Rows of the last run, which stays the last, in another order.
std::optional<MovedRows> as_moved_rows(const std::vector<Run>& runs) {
  if (runs.size() < 2 || std::ranges::max(runs, {}, &Run::first).first != runs.back().first) return std::nullopt;
  MovedRows out;
  out.length = runs.back().elements;
  for (const Run& run : runs) {
    if (&run == &runs.back()) break;
    std::int64_t step = 1;
    for (const Run& other : runs)
      if (other.first > run.first) step *= other.elements;
    out.dims.push_back(run.elements);
    out.steps.push_back(step);
  }
  return out;
}

bool emit_move(Emitter& emitter, const Node& node, const std::string& kernel) {
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), {{kernel, {input(0), output(0)}}});
  return true;
}

}  // namespace

codegen::Verdict accepts_transpose(const Region& region, const Node& node) {
  if (const auto no = refuse_moved(region, node)) return *no;
  const std::vector<Run> runs = runs_of(region, node);
  if (runs.empty() || (runs.size() > 1 && !as_turn(runs) && !as_moved_rows(runs)))
    return nodes::refuse(Reason::unsupported_attribute,
                         "found a perm that is no exchange of two neighbours, nor of rows");
  return nodes::claim();
}

bool lower_transpose(Emitter& emitter, const Node& node) {
  const std::vector<Run> runs = runs_of(emitter.region, node);
  if (runs.size() == 1) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  const std::int64_t size = bit_width(emitter.value(node.inputs[0]).dtype) / 8;
  if (const auto turn = as_turn(runs))
    return emit_move(emitter, node, transpose_kernel(emitter, size, turn->count, turn->rows, turn->cols));
  const auto rows = as_moved_rows(runs);
  if (!rows) return emitter.error(node, "was not claimed");
  return emit_move(emitter, node,
                   emitter.modules().kernel(
                       "moved_rows", key_of(*rows) + std::to_string(size),
                       [&](Code& code, const std::string& symbol) { write_moved_rows(code, symbol, size, *rows); }));
}

}  // namespace byoc::bitcode
