// NonZero, Unique, NonMaxSuppression: how long their results are, the elements of their operands say. A model may state
// a length nevertheless, which is that of one run.
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

constexpr const char* kReason =
    "its result has a shape that is known only at run time, expected operands that are constants";

}  // namespace

codegen::Verdict accepts_run_time_shape(const codegen::Region&, const codegen::Node&, const TargetSpec&) {
  return refuse(codegen::Reason::unsupported_shape, kReason);
}

bool lower_run_time_shape(Emitter& emitter, const codegen::Node& node) { return emitter.error(node, kReason); }

}  // namespace byoc::c
