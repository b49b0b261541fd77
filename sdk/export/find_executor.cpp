#include "sdk/export/executors.hpp"

namespace byoc::executor {

Result<const Executor*> find_executor(const std::string& name, Diagnostics& diags) {
  std::string known;
  for (const Executor* e : executors()) {
    if (e->name() == name) return e;
    known += (known.empty() ? "" : ", ") + e->name();
  }
  return diags.error({}, "--executor", "there is no such executor", "'" + name + "'", known);
}

}  // namespace byoc::executor
