#include "sdk/model/prepare/prepare.hpp"

#include <algorithm>
#include <span>

#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/ir/verify.hpp"
#include "sdk/model/lift/qlinear.hpp"
#include "sdk/model/prepare/bind_dims.hpp"
#include "sdk/model/prepare/bound_inputs.hpp"
#include "sdk/model/prepare/bound_results.hpp"
#include "sdk/model/prepare/expand_sequences.hpp"
#include "sdk/model/prepare/expect_parameters.hpp"
#include "sdk/model/prepare/fold.hpp"
#include "sdk/model/prepare/known_types.hpp"
#include "sdk/model/prepare/lower_texts.hpp"
#include "sdk/model/prepare/narrow_concats.hpp"
#include "sdk/model/prepare/narrow_splits.hpp"
#include "sdk/model/prepare/resolve_dropout.hpp"
#include "sdk/model/prepare/set_inputs.hpp"
#include "sdk/model/prepare/spatial_dims.hpp"
#include "sdk/model/prepare/stated_shapes.hpp"
#include "sdk/model/prepare/widen_moves.hpp"
#include "sdk/model/shapes/control_flow.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

namespace byoc {
namespace {

// One graph on its way through the passes.
struct Preparation {
  ir::Graph& graph;
  const PrepareOptions& options;
  FoldBudget& budget;
  Diagnostics& diags;
  FoldDequantise dequantise = FoldDequantise::no;
  Bounds room = {};                       // of inputs, by name
  const SourceNodes& literal = kNothing;  // operators that lifting leaves as the model has them
  static inline const SourceNodes kNothing = {};
};

// Changes the graph. Returns true if something changed.
using Pass = Result<bool> (*)(Preparation&);

// A pass that changes nothing that others look at.
template <class F>
Result<bool> check(F&& f) {
  if (!f()) return failure;
  return false;
}

Result<bool> infer_types(Preparation& p) {
  auto changed = infer_shapes(p.graph, p.diags);
  if (!changed) tell_what_chooses(p.graph, p.diags);
  return changed;
}

// Shapes bring constants (Shape, Size ...) and constants bring shapes (Reshape, Slice ...).
constexpr Pass kSimplify[] = {
    infer_types,
    [](Preparation& p) -> Result<bool> { return expand_sequences(p.graph); },
    [](Preparation& p) -> Result<bool> { return resolve_dropout(p.graph); },
    [](Preparation& p) -> Result<bool> { return widen_moves(p.graph); },
    [](Preparation& p) -> Result<bool> { return take_spatial_dims(p.graph); },
    [](Preparation& p) -> Result<bool> { return fold(p.graph, p.dequantise, p.budget, p.diags); },
};

// Runs these passes until none of them changes anything.
Result<bool> simplify(Preparation& p) {
  bool any = false;
  for (bool changed = true; changed; any = any || changed) {
    changed = false;
    for (const Pass pass : kSimplify) {
      const auto done = pass(p);
      if (!done) return failure;
      changed = changed || *done;
    }
  }
  return any;
}

// Inference for an executor that finds types while it runs. It first assumes that carried tensors keep their shapes:
// most do, and nodes with known shapes can be compiled. If a shape changes after all, the graph is inferred again
// without the assumption.
Result<bool> simplify_with_rounds(Preparation& p) {
  if (!has_rounds(p.graph)) return simplify(p);
  ir::Graph start = p.graph;
  ir::own_bodies(start);
  const FoldBudget whole = p.budget;
  Diagnostics supposed;
  Preparation same_shapes{p.graph, p.options, p.budget, supposed};
  if (auto changed = simplify(same_shapes); changed && carried_shapes_hold(p.graph)) {
    for (const Diagnostic& d : supposed.all()) p.diags.add(d);
    return changed;
  }
  p.graph = std::move(start);
  p.budget = whole;
  open_carried(p.graph);
  return simplify(p);
}

// True if some operator is written on integers with scales beside them.
bool is_quantised_literally(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    if (node.is("", "QuantizeLinear") || node.is("", "DequantizeLinear") || lift::is_qlinear(node)) return true;
    const auto inside = ir::bodies(node);
    return std::any_of(inside.begin(), inside.end(), [](const auto& body) { return is_quantised_literally(*body); });
  });
}

bool lifts(const Preparation& p) { return p.options.lift && (!p.options.open_types || all_static(p.graph)); }

Result<bool> read_bounds(Preparation& p) {
  auto room = parse_bounds(p.graph, p.options.bounds, p.diags);
  if (!room) return failure;
  p.room = std::move(*room);
  return false;
}

// Lengths that only a run tells.
Result<bool> bound_lengths(Preparation& p) {
  const bool expects = expect_parameters(p.graph), bounds = bound_results(p.graph);
  return expects || bounds;
}

Result<bool> keep_literal(Preparation& p) {
  if (!lifts(p) || !is_quantised_literally(p.graph)) return false;
  auto literal = std::make_shared<ir::Graph>(p.graph);
  ir::own_bodies(*literal);
  p.graph.literal = std::move(literal);
  return false;
}

// Operators in other forms bring constants and shapes, too: passes that are followed by simplify() where they changed
// something.
struct Stage {
  Pass run;
  bool (*applies)(const PrepareOptions&);
  bool then_simplify = false;
};

bool for_all(const PrepareOptions&) { return true; }
bool closed(const PrepareOptions& o) { return !o.open_types; }
bool open_ended(const PrepareOptions& o) { return o.open_types; }
bool with_bounds(const PrepareOptions& o) { return o.bound_shapes && !o.open_types; }

constexpr Stage kFirst[] = {
    {[](Preparation& p) { return check([&] { return ir::verify(p.graph, p.diags); }); }, for_all},
    {[](Preparation& p) { return check([&] { return bind_dims(p.graph, p.options.dims, p.diags); }); }, for_all},
    {[](Preparation& p) { return check([&] { return set_ranges(p.graph, p.options.dim_ranges, p.diags); }); }, for_all},
    {[](Preparation& p) { return check([&] { return set_inputs(p.graph, p.options.inputs, p.diags); }); }, for_all},
    {read_bounds, for_all},
    {[](Preparation& p) { return check([&] { return bound_inputs(p.graph, p.room, p.diags); }); }, closed},
    {simplify, closed},
    {simplify_with_rounds, open_ended},
    {[](Preparation& p) { return bound_outputs(p.graph, p.diags); }, closed, true},
    {[](Preparation& p) -> Result<bool> { return lower_texts(p.graph, p.room); }, closed, true},
    {[](Preparation& p) { return check([&] { return ir::remove_dead(p.graph), true; }); }, for_all},
    {[](Preparation& p) -> Result<bool> { return take_stated_shapes(p.graph); }, with_bounds, true},
    {bound_lengths, with_bounds, true},
    {[](Preparation& p) -> Result<bool> { return expect_parameters(p.graph); }, open_ended, true},
    {[](Preparation& p) { return check([&] { return check_types_known(p.graph, p.diags); }); }, closed},
    {keep_literal, for_all},
};

// From the literal form on, which is where lift_again() begins.
constexpr Stage kLast[] = {
    {[](Preparation& p) {
       return check([&] { return !lifts(p) || lift_quantisation(p.graph, p.literal, p.budget, p.diags); });
     },
     for_all},
    {[](Preparation& p) {
       p.dequantise = FoldDequantise::yes;
       return simplify(p);
     },
     for_all},
    {[](Preparation& p) { return check([&] { return remove_neutral(p.graph), true; }); }, for_all},
    {[](Preparation& p) -> Result<bool> { return narrow_concats(p.graph); }, for_all},
    {[](Preparation& p) -> Result<bool> { return narrow_splits(p.graph); }, for_all},
    {[](Preparation& p) { return check([&] { return ir::verify(p.graph, p.diags); }); }, for_all},
};

Result<void> run(std::span<const Stage> stages, Preparation& p) {
  for (const Stage& stage : stages) {
    if (!stage.applies(p.options)) continue;
    const auto changed = stage.run(p);
    if (!changed || (*changed && stage.then_simplify && !simplify(p))) return failure;
  }
  return {};
}

}  // namespace

Result<ir::Graph> lift_again(const ir::Graph& graph, const SourceNodes& literal, Diagnostics& diags) {
  ir::Graph again = *graph.literal;
  ir::own_bodies(again);
  FoldBudget budget(graph.fold_limit);
  const PrepareOptions options;
  Preparation p{.graph = again, .options = options, .budget = budget, .diags = diags, .literal = literal};
  if (!run(kLast, p)) return failure;
  again.literal = graph.literal;
  return again;
}

Result<void> prepare(ir::Graph& graph, const PrepareOptions& options, Diagnostics& diags) {
  ir::own_bodies(graph);
  graph.fold_limit = options.fold_limit;
  FoldBudget budget(options.fold_limit);
  Preparation p{.graph = graph, .options = options, .budget = budget, .diags = diags};
  if (!run(kFirst, p)) return failure;
  return run(kLast, p);
}

}  // namespace byoc
