// Transpose of floats or bytes: dims that stay together are one, and what is left is two of them changing places, by
// batch.
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

struct Turn {
  std::int64_t count = 1, rows = 1, cols = 1;
};

// The axes of the input in the order of the output, those of length 1 left out and those that follow each other joined.
std::optional<Turn> read_transpose(const Region& region, const Node& node) {
  const std::vector<std::int64_t>& dims = region.values[node.inputs[0]].dims;
  std::vector<std::int64_t> perm = node.integers("perm", {});
  if (perm.empty())
    for (std::size_t d = dims.size(); d-- > 0;) perm.push_back(static_cast<std::int64_t>(d));
  if (perm.size() != dims.size()) return std::nullopt;
  std::erase_if(perm, [&](std::int64_t axis) { return dims[static_cast<std::size_t>(axis)] == 1; });
  std::vector<std::int64_t> rank(perm);
  std::sort(rank.begin(), rank.end());
  struct Run {
    std::int64_t first, length, elements;
  };
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
  Turn turn;
  std::size_t start = 0;
  if (!runs.empty() && runs[0].first == 0) turn.count = runs[start++].elements;
  if (runs.size() == start) return turn;
  if (runs.size() - start != 2) return std::nullopt;
  turn.cols = runs[start].elements;
  turn.rows = runs[start + 1].elements;
  return turn;
}

}  // namespace

codegen::Verdict accepts_transpose(const Region& region, const Node& node) {
  if (const auto no = refuse_moved(region, node)) return *no;
  if (!read_transpose(region, node))
    return nodes::refuse(Reason::unsupported_attribute, "found a perm that is no exchange of two neighbours");
  return nodes::claim();
}

bool lower_transpose(Emitter& emitter, const Node& node) {
  const auto turn = read_transpose(emitter.region, node);
  if (!turn) return emitter.error(node, "was not claimed");
  if (turn->rows == 1 && turn->cols == 1) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  const std::int64_t size = bit_width(emitter.value(node.inputs[0]).dtype) / 8;
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step),
               {{transpose_kernel(emitter, size, turn->count, turn->rows, turn->cols), {input(0), output(0)}}});
  return true;
}

}  // namespace byoc::bitcode
