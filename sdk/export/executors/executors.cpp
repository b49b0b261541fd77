// The table of executors.
#include "sdk/export/executors.hpp"

#include <array>

#include "sdk/program/executor/aot/aot.hpp"
#include "sdk/program/executor/graph/graph.hpp"
#include "sdk/program/executor/vm/vm.hpp"

namespace byoc::executor {

std::span<const Executor* const> executors() {
  static const Vm vm(nullptr);
  static const std::array<const Executor*, 3> all{&aot(), &graph(), &vm};
  return all;
}

}  // namespace byoc::executor
