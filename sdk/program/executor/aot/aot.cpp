#include "sdk/program/executor/aot/aot.hpp"

#include <span>

#include "sdk/program/executor/aot/bind.hpp"
#include "sdk/program/executor/aot/error_text.hpp"
#include "sdk/program/executor/aot/header.hpp"
#include "sdk/program/executor/aot/hooks.hpp"
#include "sdk/program/executor/aot/root.hpp"
#include "sdk/program/executor/aot/step_table.hpp"
#include "sdk/program/executor/template.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc::executor {
namespace {

Module c_module(const std::string& name, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {.name = name, .bytes = Blob::own({bytes.begin(), bytes.end()})};
}

class Aot : public Executor {
 public:
  [[nodiscard]] std::string name() const override { return "aot"; }

  Result<Printed> print(const PrintRequest& request, Diagnostics& diags) const override {
    const auto tapped = tapped_steps(request, diags);
    if (!tapped) return failure;
    Printed out;
    print_header(request, out);
    out.example_main = example_main_text(request);
    out.modules.push_back(c_module(request.model.prefix, root_text(request, *tapped)));
    if (!request.model.failures.empty())
      out.modules.push_back(c_module(request.model.prefix + "_error_text", error_text_source(request)));
    if (request.bound != nullptr) out.modules.push_back(c_module(request.model.prefix + "_bind", bind_text(request)));
    if (request.trace && request.bound == nullptr) out.traced = watched_steps_text(request);
    if (!request.step_table) return out;
    const std::string table = request.model.prefix + "_step_table";
    Module m = c_module(table, step_table_text(request));
    m.symbols = {{table, false}};
    m.for_loaders = true;
    out.modules.push_back(std::move(m));
    out.headers[kStepsHeader] = kLicenceLine + fill_template("steps.h", {});
    return out;
  }
};

}  // namespace

const Executor& aot() {
  static const Aot executor;
  return executor;
}

}  // namespace byoc::executor
