// A Reshape is read over where its reader would read the same elements in the same order without it.
//
// Why it is exact: a Reshape, Flatten, Squeeze or Unsqueeze leaves the elements in their row-major order. Another one
// behind it does so too, and its result's dims are its own; byoc.FullyConnected without keep_num_dims cuts what it
// reads into rows of its weights' depth, whatever the dims are; and who reads a Reshape to the dims that its input has
// reads its input.
#include <algorithm>

#include "sdk/codegen/optimise/rewrites.hpp"
#include "sdk/model/ir/operators.hpp"

namespace byoc::optimise {
namespace {

bool is_reshape(const ir::Node& n) { return ir::has_trait(n, ir::kReshapes); }

bool minds_no_dims(const ir::Graph& graph, const ir::Node& n) {
  if (n.is("byoc", "FullyConnected")) return n.integer("keep_num_dims", 0) == 0;
  // A constant shape that takes no dim over from what is read.
  if (!n.is("", "Reshape")) return false;
  const auto shape = ir::constant_integers(graph, n.input(1));
  return shape && std::find(shape->begin(), shape->end(), 0) == shape->end();
}

}  // namespace

void skip_reshapes(Editable& edit, RewriteSummary& summary) {
  for (ir::NodeId n = 0; n < edit.graph().nodes.size(); ++n) {
    if (!edit.may_change(n) || !is_reshape(edit.node(n))) continue;
    const ir::ValueId x = edit.node(n).inputs[0], y = edit.node(n).outputs[0];
    if (edit.graph().is_constant(x) || edit.type(x).quantisation != edit.type(y).quantisation) continue;
    if (edit.type(x).quantisation && edit.type(x).quantisation->per_axis()) continue;
    if (!edit.is_inside(y) || edit.readers(y).empty()) continue;
    const bool same = edit.type(x) == edit.type(y);
    const std::vector<ir::NodeId> readers = edit.readers(y);
    const bool all = std::all_of(readers.begin(), readers.end(), [&](ir::NodeId r) {
      const std::vector<ir::ValueId>& inputs = edit.node(r).inputs;
      return same || (minds_no_dims(edit.graph(), edit.node(r)) && inputs[0] == y &&
                      std::count(inputs.begin(), inputs.end(), y) == 1);
    });
    if (!all) continue;
    for (const ir::NodeId r : readers)
      for (std::size_t i = 0; i < edit.node(r).inputs.size(); ++i)
        if (edit.node(r).inputs[i] == y) edit.set_input(r, i, x);
    edit.moved.aliases[y] = x;
    edit.absorb(n, readers.front());
    ++summary.count;
  }
}

}  // namespace byoc::optimise
