#include "sdk/export/executors.hpp"

#include "sdk/base/support/nearest.hpp"
namespace byoc::executor {

Result<const Executor*> find_executor(const std::string& name, Diagnostics& diags) {
  std::string known;
  std::vector<std::string> names{"interpreted"};
  for (const Executor* e : executors()) {
    if (e->name() == name) return e;
    names.push_back(e->name());
    known += (known.empty() ? "" : ", ") + e->name();
  }
  return diags.error({}, "--executor", "there is no such executor" + did_you_mean(name, names), "'" + name + "'",
                     known);
}

}  // namespace byoc::executor
