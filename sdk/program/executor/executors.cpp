// The table of executors.
#include <array>

#include "sdk/program/executor/aot/aot.hpp"
#include "sdk/program/executor/graph/graph.hpp"
#include "sdk/program/executor/vm/vm.hpp"

namespace byoc::executor {

std::span<const Executor* const> executors() {
  static const std::array<const Executor*, 3> all{&aot(), &graph(), &vm_executor()};
  return all;
}

Result<const Executor*> find_executor(const std::string& name, Diagnostics& diags) {
  std::string known;
  for (const Executor* e : executors()) {
    if (e->name() == name) return e;
    known += (known.empty() ? "" : ", ") + e->name();
  }
  return diags.error({}, "--executor", "there is no such executor", "'" + name + "'", known);
}

}  // namespace byoc::executor
