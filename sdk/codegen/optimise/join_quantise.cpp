// Chains of requantisations that are one requantisation, or none.
//
// Why it is exact: byoc.Quantize and byoc.Dequantize are functions of single elements. Both are evaluated, one after
// the other, on every integer of what the first reads. Where the results are these integers themselves, and the type is
// the same, who reads the chain reads what it reads; where they are what one byoc.Quantize gives, that takes its place.
#include <algorithm>

#include "sdk/codegen/optimise/layer.hpp"
#include "sdk/codegen/optimise/rewrites.hpp"
#include "sdk/codegen/optimise/tables.hpp"

namespace byoc::optimise {
namespace {

bool same_bytes(const evaluate::Tensor& a, const evaluate::Tensor& b) {
  return a.type.dtype == b.type.dtype && std::ranges::equal(a.bytes.bytes(), b.bytes.bytes());
}

// Every reader of `y` reads `s`, and the node that made `y` is gone.
bool read_instead(Editable& edit, ir::NodeId n, ir::ValueId y, ir::ValueId s, RewriteSummary& summary) {
  if (!edit.is_inside(y)) return false;
  const std::vector<ir::NodeId> readers = edit.readers(y);
  for (const ir::NodeId r : readers)
    for (std::size_t i = 0; i < edit.node(r).inputs.size(); ++i)
      if (edit.node(r).inputs[i] == y) edit.set_input(r, i, s);
  edit.moved.aliases[y] = s;
  edit.absorb(n, ir::kNoNode);
  ++summary.count;
  summary.tensor_bytes += edit.type(y).bytes();
  return true;
}

}  // namespace

void join_quantise(Editable& edit, RewriteSummary& summary) {
  for (ir::NodeId n = 0; n < edit.graph().nodes.size(); ++n) {
    if (!edit.may_change(n) || !edit.node(n).is("byoc", "Quantize")) continue;
    const ir::ValueId x = edit.node(n).inputs[0], y = edit.node(n).outputs[0];
    const ir::NodeId p = edit.producer(x);
    if (p == ir::kNoNode || !edit.may_change(p) || edit.region(p) != edit.region(n)) continue;
    if (!edit.node(p).is("byoc", "Quantize") && !edit.node(p).is("byoc", "Dequantize")) continue;
    const ir::ValueId s = edit.node(p).inputs[0];
    if (!is_activation(edit.type(s)) || !is_activation(edit.type(y)) || edit.graph().is_constant(s)) continue;
    const auto all = every_integer(edit.type(s));
    const auto first = results_on(edit.graph(), edit.node(p), all);
    const auto both = first ? results_on(edit.graph(), edit.node(n), *first) : std::nullopt;
    if (!both) continue;
    const bool once = edit.is_inside(x) && edit.is_read_once(x, n, 0);
    if (edit.type(s) == edit.type(y) && same_bytes(*both, all)) {
      if (!read_instead(edit, n, y, s, summary) || !once) continue;
      edit.moved.fused[x] = s;
      edit.absorb(p, ir::kNoNode);
      summary.tensor_bytes += edit.type(x).bytes();
      continue;
    }
    const auto direct = results_on(edit.graph(), edit.node(n), all);
    if (!once || !direct || !same_bytes(*both, *direct)) continue;
    edit.set_input(n, 0, s);
    edit.moved.fused[x] = y;
    edit.absorb(p, n);
    ++summary.count;
    summary.tensor_bytes += edit.type(x).bytes();
  }
}

}  // namespace byoc::optimise
