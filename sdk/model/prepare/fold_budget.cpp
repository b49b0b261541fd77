#include "sdk/model/prepare/fold_budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sdk/model/evaluate/effort.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/shapes/control_flow.hpp"

namespace byoc {
namespace {

// The evaluator's cost of an element that it reads or writes, in multiply-accumulates, and the bytes in which it keeps
// an element while it computes.
constexpr double kPerElement = 4;
constexpr double kWidest = 8;
// Less than this is always folded: shapes depend on it, and a model has no more such nodes than its file has room for.
constexpr double kSmallBytes = 1 << 10, kSmallOperations = 1 << 14;

double elements(const ir::TensorType& type) {
  double n = 1;
  for (const ir::Dim d : *type.dims) n *= static_cast<double>(d);
  return n;
}

double bytes(const ir::TensorType& type) { return elements(type) * bit_width(type.dtype) / 8; }

const ir::TensorType* known(const ir::Graph& graph, ir::ValueId v) {
  return v == ir::kNoValue || !graph.values[v].type.is_static() ? nullptr : &graph.values[v].type;
}

double input_elements(const ir::Graph& graph, const ir::Node& node, std::size_t input) {
  const ir::TensorType* t = known(graph, node.input(input));
  return t == nullptr ? 0 : elements(*t);
}

double input_dim(const ir::Graph& graph, const ir::Node& node, std::size_t input, std::size_t d) {
  const ir::TensorType* t = known(graph, node.input(input));
  return t == nullptr || d >= t->dims->size() ? 1 : static_cast<double>((*t->dims)[d]);
}

double output_elements(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType* t = node.outputs.empty() ? nullptr : known(graph, node.outputs[0]);
  return t == nullptr ? 0 : elements(*t);
}

// Operators whose work is neither their multiply-accumulates nor in proportion to their elements.

double of_window(const ir::Graph& graph, const ir::Node& node) {
  double window = 1;
  for (const std::int64_t k : node.integers("kernel_shape", {})) window *= static_cast<double>(k);
  return output_elements(graph, node) * window;
}

// The cost by definition: each element of a line is a sum over the line.
double of_transform(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType* y = node.outputs.empty() ? nullptr : known(graph, node.outputs[0]);
  double longest = 1;
  for (const ir::TensorType* t : {known(graph, node.input(0)), y})
    if (t != nullptr && !t->dims->empty())
      longest = std::max(longest, static_cast<double>(*std::max_element(t->dims->begin(), t->dims->end())));
  return 16 * output_elements(graph, node) * longest;  // sines and cosines
}

double of_determinant(const ir::Graph& graph, const ir::Node& node) {
  const ir::TensorType* x = known(graph, node.input(0));
  return x == nullptr || x->dims->empty() ? 0 : elements(*x) * static_cast<double>(x->dims->back());
}

double of_neighbours(const ir::Graph& graph, const ir::Node& node) {
  return output_elements(graph, node) * static_cast<double>(node.integer("size", 1));
}

// Each box with each that was chosen.
double of_suppression(const ir::Graph& graph, const ir::Node& node) {
  return 16 * input_elements(graph, node, 1) * input_dim(graph, node, 1, 2);
}

// Every n-gram at every place, for every distance.
double of_grams(const ir::Graph& graph, const ir::Node& node) {
  return input_elements(graph, node, 0) * static_cast<double>(node.integers("pool_int64s", {}).size()) *
         static_cast<double>(node.integer("max_skip_count", 0) + 1);
}

// A sample may read the whole image, or a window of it.
double of_samples(const ir::Graph& graph, const ir::Node& node) {
  return output_elements(graph, node) * input_dim(graph, node, 0, 2) * input_dim(graph, node, 0, 3);
}

double of_interpolation(const ir::Graph& graph, const ir::Node& node) {
  const double in = input_elements(graph, node, 0), out = output_elements(graph, node);
  return 16 * std::max(in, out) * (node.integer("antialias", 0) != 0 ? 4 : 1);
}

struct Work {
  std::string_view op;
  double (*operations)(const ir::Graph&, const ir::Node&);
};
constexpr std::array<Work, 10> kWork{{{"DFT", of_transform},
                                      {"Det", of_determinant},
                                      {"Inverse", of_determinant},
                                      {"LRN", of_neighbours},
                                      {"MaxRoiPool", of_samples},
                                      {"NonMaxSuppression", of_suppression},
                                      {"Resize", of_interpolation},
                                      {"RoiAlign", of_samples},
                                      {"STFT", of_transform},
                                      {"TfIdfVectorizer", of_grams}}};

double special_work(const ir::Graph& graph, const ir::Node& node) {
  if (ir::has_trait(node, ir::kPool)) return of_window(graph, node);
  for (const Work& w : kWork)
    if (node.is("", w.op)) return w.operations(graph, node);
  return 0;
}

FoldCost cost_of_bodies(const ir::Graph& graph, const ir::Node& node) {
  FoldCost out;
  for (const auto& body : ir::bodies(node))
    for (const ir::Node& inner : body->nodes) {
      const FoldCost one = fold_cost(*body, inner);
      out.bytes += one.bytes;
      out.working = std::max(out.working, one.working);
      out.operations += one.operations;
    }
  const auto rounds = static_cast<double>(folded_rounds(graph, node));
  out.bytes *= rounds;
  out.operations *= rounds;
  return out;
}

// A byte of a string is kept packed and unpacked, and read again by whatever comes next: a limit of 1 GiB is one of
// 64 MiB of strings.
constexpr double kTextWeight = 16;

// Operands that are constants, as they are stored.
evaluate::Effort effort_of(const ir::Graph& graph, const ir::Node& node) {
  std::vector<evaluate::Tensor> tensors(node.inputs.size());
  std::vector<const evaluate::Tensor*> operands(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::kNoValue || !graph.is_constant(node.inputs[i])) continue;
    const ir::Value& v = graph.values[node.inputs[i]];
    tensors[i] = {v.type, v.constant->bytes};
    operands[i] = &tensors[i];
  }
  return evaluate::effort_of(graph, node, operands);
}

std::string number(double n) {
  return n < 9e15 ? std::to_string(static_cast<std::int64_t>(n)) : std::string("very many");
}

std::string text(const FoldLimit& limit) {
  std::string out;
  if (limit.bytes != 0) out = std::to_string(limit.bytes) + " bytes";
  if (limit.bytes != 0 && limit.operations != 0) out += " and ";
  if (limit.operations != 0) out += std::to_string(limit.operations) + " operations";
  return out;
}

}  // namespace

FoldCost fold_cost(const ir::Graph& graph, const ir::Node& node) {
  FoldCost out = cost_of_bodies(graph, node);
  double read = 0, read_bytes = 0, written = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const ir::TensorType* t = known(graph, node.inputs[i])) {
      read += elements(*t);
      read_bytes += bytes(*t);
    }
  double made = 0;
  for (const ir::ValueId v : node.outputs) {
    if (v == ir::kNoValue) continue;
    const ir::TensorType* t = known(graph, v);
    // Results whose size the elements say list places: as many as there are, with an index for each of some dims.
    constexpr double kIndexes = 8;
    written += t != nullptr ? elements(*t) : kIndexes * read;
    made += t != nullptr ? bytes(*t) : kIndexes * kWidest * read;
  }
  const bool moves = ir::has_trait(node, ir::kMoves) || ir::has_trait(node, ir::kGenerates);
  out.bytes += made;
  out.working = std::max(out.working, moves ? read_bytes + made : kWidest * (read + written));
  const evaluate::Effort effort = effort_of(graph, node);
  out.bytes += kTextWeight * effort.text_bytes;
  out.working = std::max(out.working, effort.bytes);
  out.operations += kPerElement * (read + written) + static_cast<double>(ir::macs_of(graph, node)) +
                    special_work(graph, node) + effort.operations;
  return out;
}

bool FoldBudget::take(const ir::Graph& graph, const ir::Node& node, Diagnostics& diags) {
  const FoldCost cost = fold_cost(graph, node);
  if (cost.bytes <= kSmallBytes && cost.operations <= kSmallOperations) return true;
  const auto exceeds = [](double n, std::uint64_t most) { return most != 0 && n > static_cast<double>(most); };
  if (exceeds(bytes_ + cost.bytes, limit_.bytes) || exceeds(cost.working, limit_.bytes) ||
      exceeds(operations_ + cost.operations, limit_.operations)) {
    tell(graph, node, cost, diags);
    return false;
  }
  bytes_ += cost.bytes;
  operations_ += cost.operations;
  return true;
}

void FoldBudget::tell(const ir::Graph& graph, const ir::Node& node, const FoldCost& cost, Diagnostics& diags) {
  const std::string where = node.describe();
  if (!told_.insert(where).second) return;
  const std::string found =
      number(std::max(cost.bytes, cost.working)) + " bytes and " + number(cost.operations) + " operations";
  const std::string expected = "at most " + text(limit_) + " for all nodes; --fold-limit sets it";
  const bool has_type = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) {
    return v == ir::kNoValue || graph.values[v].type.is_static();
  });
  if (ir::has_trait(node, ir::kGenerates) || !has_type) {
    diags.error(graph.file, where, "only folding computes it, and that goes beyond the fold limit", found, expected);
    refused_ = true;
    return;
  }
  diags.warning(graph.file, where, "is left to be computed at run time: folding it goes beyond the fold limit", found,
                expected);
}

}  // namespace byoc
