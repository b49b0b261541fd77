// Operators whose results have room for the most there can be, which the graph states, and come with a count.
#include "sdk/model/ir/counted.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

Result<void> counted(const Inference& call, Rule plain) {
  if (!plain(call)) return failure;
  return call.set(ir::counted_results(call.node, call.rank(0)).count, DType::i32, {});
}

}  // namespace

Result<void> counted_compress(const Inference& call) { return counted(call, compress); }
Result<void> counted_non_max_suppression(const Inference& call) { return counted(call, non_max_suppression); }
Result<void> counted_non_zero(const Inference& call) { return counted(call, non_zero); }
Result<void> counted_top_k(const Inference& call) { return counted(call, top_k); }
Result<void> counted_unique(const Inference& call) { return counted(call, unique); }

}  // namespace byoc::shapes
