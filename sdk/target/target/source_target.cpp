#include "sdk/target/target/source_target.hpp"

namespace byoc {
namespace {

constexpr const char* kSources = "sources";  // the triple, which names no machine

}  // namespace

// Sizes and byte order are those that codegens plan with. What depends on them is checked when the sources are
// compiled.
TargetSpec source_target() {
  TargetSpec out;
  out.name = "c";
  out.triple = kSources;
  out.pools = {{"ram", PoolKind::ram, 0, {}, {}}, {"flash", PoolKind::flash, 0, {}, {}}};
  out.gnu_command = "gcc";
  return out;
}

bool makes_sources(const TargetSpec& target) { return target.triple == kSources; }

}  // namespace byoc
