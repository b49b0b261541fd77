#include "sdk/model/evaluate/effort.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sdk/model/evaluate/images/image.hpp"
#include "sdk/model/evaluate/text_effort.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::evaluate {

const ir::TensorType* NodeSizes::type(std::size_t input) const {
  if (const Tensor* t = given(input)) return t->type.is_shaped() ? &t->type : nullptr;
  const ir::ValueId v = node.input(input);
  return v == ir::kNoValue || !graph.values[v].type.is_shaped() ? nullptr : &graph.values[v].type;
}

double NodeSizes::elements_of(const ir::TensorType* type) {
  if (type == nullptr) return 0;
  double n = 1;
  for (const ir::Dim d : *type->dims) n *= static_cast<double>(d);
  return n;
}

double NodeSizes::dim(std::size_t input, std::size_t axis) const {
  const ir::TensorType* t = type(input);
  return t == nullptr || axis >= t->dims->size() ? 1 : static_cast<double>((*t->dims)[axis]);
}

double NodeSizes::results() const {
  const ir::ValueId v = node.outputs.empty() ? ir::kNoValue : node.outputs[0];
  return v == ir::kNoValue || !graph.values[v].type.is_shaped() ? 0 : elements_of(&graph.values[v].type);
}

std::vector<std::int64_t> NodeSizes::numbers(std::size_t input) const {
  const Tensor* t = given(input);
  std::vector<std::int64_t> out;
  if (t == nullptr || (t->type.dtype != DType::i64 && t->type.dtype != DType::i32)) return out;
  const std::size_t width = t->type.dtype == DType::i64 ? 8 : 4;
  out.resize(t->bytes.size() / width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::int32_t narrow = 0;
    if (width == 8)
      std::memcpy(&out[i], t->bytes.data() + 8 * i, 8);
    else
      std::memcpy(&narrow, t->bytes.data() + 4 * i, 4), out[i] = narrow;
  }
  return out;
}

namespace {

// Decoders take about 60 ns a pixel, and hold a picture of their own beside the result.
Effort of_picture(const NodeSizes& node) {
  constexpr double kWork = 60, kHeld = 10;
  const Tensor* file = node.given(0);
  if (file == nullptr || file->type.dtype != DType::u8) return {};
  const auto bytes = file->bytes.bytes();
  const auto size = size_of_picture({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!size) return {};
  const double pixels = static_cast<double>(size->height) * static_cast<double>(size->width);
  return {kWork * pixels, kHeld * pixels};
}

// Nodes on the way to the deepest leaf of any tree. Children behind their parents, as in all files of tools, are seen
// in one pass; a tree with others counts as one long branch.
double deepest(const std::vector<std::int64_t>& nodes) {
  const std::size_t count = nodes.size() / 4;
  std::vector<std::uint32_t> depth(count, 1);
  for (std::size_t n = count; n-- > 0;)
    for (const std::size_t child : {4 * n + 2, 4 * n + 3}) {
      if (nodes[child] < 0) continue;
      if (nodes[child] <= static_cast<std::int64_t>(n) || nodes[child] >= static_cast<std::int64_t>(count))
        return static_cast<double>(count);
      depth[n] = std::max(depth[n], depth[static_cast<std::size_t>(nodes[child])] + 1);
    }
  return count == 0 ? 1 : *std::max_element(depth.begin(), depth.end());
}

// Every row goes through every tree, and takes the weights of a leaf.
Effort of_trees(const NodeSizes& node) {
  constexpr double kWork = 4;
  const std::vector<std::int64_t> nodes = node.numbers(2), first = node.numbers(4);
  double most = 1;
  for (std::size_t i = 1; i < first.size(); ++i)
    most = std::max(most, static_cast<double>(first[i]) - static_cast<double>(first[i - 1]));
  const double depth = node.given(2) == nullptr ? node.elements(1) : deepest(nodes);
  return {kWork * node.dim(0, 0) * node.elements(3) * (depth + most), 8 * node.elements(0)};
}

// Each point has a list of taps for each dim, and reads an element for each combination of them.
Effort of_grid(const NodeSizes& node) {
  constexpr double kTap = 16, kList = 100;
  const ir::TensorType* image = node.type(0);
  if (image == nullptr || image->dims->size() < 3) return {};
  const auto rank = static_cast<double>(image->dims->size() - 2);
  const std::string mode = node.node.text("mode", "linear");
  const double taps = mode == "nearest" ? 1 : mode == "cubic" || mode == "bicubic" ? 4 : 2;
  const double points = node.elements(1) / std::max(rank, 1.0) * node.dim(0, 1);
  return {points * (kList * rank + kTap * std::pow(taps, rank)), 8 * (node.elements(0) + node.elements(1) + points)};
}

// Four elements for each tap of each result.
Effort of_moved_taps(const NodeSizes& node) {
  constexpr double kTap = 40;
  const double filter = node.elements(1) / std::max(node.dim(1, 0), 1.0);
  return {kTap * node.results() * filter, 8 * (node.elements(0) + node.elements(1) + node.elements(2))};
}

struct Row {
  std::string_view domain, op;
  Effort (*effort)(const NodeSizes&);
};
constexpr std::array<Row, 4> kRows{{{"", "DeformConv", of_moved_taps},
                                    {"", "GridSample", of_grid},
                                    {"", "ImageDecoder", of_picture},
                                    {"byoc", "TreeEnsemble", of_trees}}};

}  // namespace

Effort effort_of(const ir::Graph& graph, const ir::Node& node, std::span<const Tensor* const> operands) {
  const NodeSizes sizes{graph, node, operands};
  for (const Row& row : kRows)
    if (node.is(row.domain, row.op)) return row.effort(sizes);
  return text_effort(sizes);
}

Result<void> check_effort(const ir::Graph& graph, const ir::Node& node, std::span<const Tensor* const> operands,
                          std::uint64_t largest_result, Diagnostics& diags) {
  // Decoders, trees and samplers keep what they compute with beside the result.
  constexpr double kMostBeside = 4;
  const Effort effort = effort_of(graph, node, operands);
  const double most = kMostBeside * static_cast<double>(std::min(largest_result, kLargestResult));
  const double bytes = std::max(effort.bytes, effort.text_bytes);
  if (bytes <= most) return {};
  const auto number = [](double n) {
    return n < 9e15 ? std::to_string(static_cast<std::int64_t>(n)) : std::string("very many");
  };
  return diags.error(graph.file, node.describe(), "takes more memory to compute than a node may",
                     number(bytes) + " bytes", "at most " + number(most));
}

}  // namespace byoc::evaluate
