// com.microsoft's DynamicTimeWarping: the cheapest path through a matrix of costs, from its first element to its last.
#include <cmath>

#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

// Costs are summed diagonal by diagonal: element (i, j) is element i of diagonal i + j. Of elements outside the matrix
// they are infinite.
class DynamicTimeWarping {
  using Value = Composition::Value;
  using Values = Composition::Values;
  // The step by which a path came to an element: from the one before in both dims, in the first, or in the second.
  enum Step : std::int64_t { kBoth, kFirst, kSecond };

 public:
  DynamicTimeWarping(Normaliser& e, const ir::Node& node) : e_(e), c_(e, node), node_(node) {}

  Result<void> expand() {
    const auto rank = c_.rank_of_input(0);
    if (!rank) return failure;
    if (*rank != 2 && *rank != 3)
      return c_.refuse("the costs have the wrong rank", std::to_string(*rank), "2, or 3 with a first dim of 1");
    const Value costs = *rank == 2 ? c_.in(0) : c_.op("Squeeze", {c_.in(0), c_.integers({0})});
    const Value rows = c_.dims(costs, 0, 1), columns = c_.dims(costs, 1, 2);
    const Value places = path(steps(costs, rows, columns), rows, columns);
    c_.give(0, "Cast", {places}, {{"to", ir::onnx_number(DType::i32)}});
    return {};
  }

 private:
  Value infinite(Composition& c, Value dims) { return c.op("Expand", {c.reals({INFINITY}), dims}); }

  // f32[diagonals, rows]: rows moved to the right by their index, which is what is left where each is longer by one.
  Value diagonals(Value costs, Value rows, Value columns) {
    const Value wide = c_.op("Concat", {costs, infinite(c_, c_.join({rows, rows}))}, {{"axis", std::int64_t{1}}});
    const Value length = c_.op("Sub", {c_.op("Add", {rows, columns}), c_.integers({1})});
    const Value flat = c_.op("Reshape", {wide, c_.integers({-1})});
    const Value kept = c_.op("Slice", {flat, c_.integers({0}), c_.op("Mul", {rows, length}), c_.integers({0})});
    const Value moved = c_.op("Reshape", {kept, c_.join({rows, length})});
    return c_.op("Transpose", {moved}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  }

  // i64[diagonals, rows]
  Value steps(Value costs, Value rows, Value columns) {
    const Value none = infinite(c_, rows);
    // Before the first element there is a sum of 0.
    const Composition::Attributes along{{"axis", std::int64_t{0}}};
    const Value origin = c_.op("Concat", {c_.reals({0}), none}, along);
    const Value before = c_.op("Concat", {c_.reals({INFINITY}), none}, along);
    return c_.op("Scan", {origin, before, diagonals(costs, rows, columns)},
                 {{"body", diagonal()}, {"captures", std::int64_t{0}}, {"num_scan_inputs", std::int64_t{1}}}, 3)[2];
  }

  // (sums f32[1 + rows] of the two diagonals before, costs f32[rows]) -> (sums of two, steps). Where sums are equal,
  // the step in the second dim is taken, whatever its sum is.
  std::shared_ptr<ir::Graph> diagonal() {
    auto graph = e_.body("diagonal", 3);
    Normaliser inside(*graph, e_.diags);
    Composition c(inside, node_);
    const Value before = graph->inputs[1];
    const auto part = [&](Value v, std::int64_t first, std::int64_t end) {
      return c.op("Slice", {v, c.integers({first}), c.integers({end}), c.integers({0})});
    };
    const Value both = part(graph->inputs[0], 0, -1), first = part(before, 0, -1), second = part(before, 1, INT64_MAX);
    const auto is_least = [&](Value v, Value other) {
      return c.op("And", {c.op("Less", {v, other}), c.op("Less", {v, second})});
    };
    const Value is_both = is_least(both, first), is_first = is_least(first, both);
    const auto choice = [&](Value a, Value b, Value otherwise) {
      return c.op("Where", {is_both, a, c.op("Where", {is_first, b, otherwise})});
    };
    const Value sums = c.op("Add", {choice(both, first, second), graph->inputs[2]});
    const Value shifted = c.op("Concat", {c.reals({INFINITY}), sums}, {{"axis", std::int64_t{0}}});
    const Value taken = choice(c.integer(kBoth), c.integer(kFirst), c.integer(kSecond));
    graph->outputs = {c.op("Identity", {before}), shifted, taken};
    return graph;
  }

  // i64[2, length], from the last element back to the first, turned round. No path is longer than there are diagonals.
  Value path(Value steps, Value rows, Value columns) {
    const Value one = c_.integers({1});
    const Value last = c_.op("Sub", {c_.join({rows, columns}), one});
    const Value longest = c_.op("Squeeze", {c_.dims(steps, 0, 1), c_.integers({0})});
    const Value places =
        c_.op("Loop", {longest, ir::kNoValue, last, steps}, {{"body", element()}, {"captures", std::int64_t{1}}}, 2)[1];
    const Value turned =
        c_.op("Slice", {places, c_.integers({-1}), c_.integers({INT64_MIN}), c_.integers({0}), c_.integers({-1})});
    const Value least = c_.op("ReduceMin", {turned, c_.integers({1})}, {{"keepdims", std::int64_t{0}}});
    const Value inside = c_.op("GreaterOrEqual", {least, c_.integers({0})});
    const Value found = c_.op("Transpose", {turned}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    return c_.op("Compress", {found, inside}, {{"axis", std::int64_t{1}}});
  }

  // (iteration, condition, place i64[2], steps) -> (goes on, the place before, place). Behind the path's end a place
  // stays outside the matrix.
  std::shared_ptr<ir::Graph> element() {
    auto graph = e_.body("element", 4);
    Normaliser inside(*graph, e_.diags);
    Composition c(inside, node_);
    const Value place = graph->inputs[2];
    const Value within = c.op("Max", {place, c.integers({0})});
    const Value diagonal = c.op("ReduceSum", {within, c.integers({0})}, {{"keepdims", std::int64_t{1}}});
    const Value row = c.op("Gather", {within, c.integers({0})});
    const Value index = c.op("Concat", {diagonal, row}, {{"axis", std::int64_t{0}}});
    const Value step = c.op("GatherND", {graph->inputs[3], index});
    // The first dim stays with kSecond, the second one with kFirst.
    const Value moves = c.cast(c.op("Not", {c.op("Equal", {step, c.integers({kSecond, kFirst})})}), DType::i64);
    graph->outputs = {c.boolean(true), c.op("Sub", {place, moves}), c.op("Identity", {place})};
    return graph;
  }

  Normaliser& e_;
  Composition c_;
  const ir::Node& node_;
};

}  // namespace

// f32[rows, columns] -> i32[2, length]: the path's rows and columns.
Result<void> normalise_dynamic_time_warping(Normaliser& e, ir::Node node) {
  return DynamicTimeWarping(e, node).expand();
}

}  // namespace byoc::onnx_import
