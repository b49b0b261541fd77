#include "sdk/program/executor/vm/vm.hpp"

#include "sdk/program/bytecode/file.hpp"
#include "sdk/program/executor/aot/aot.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc::executor {

// The root stays: it has the functions of control flow, and the instance's.
Result<Printed> Vm::print(const PrintRequest& request, Diagnostics& diags) const {
  if (lowered_ == nullptr) return diags.error(request.program.file, "--executor vm", "has no bytecode to print");
  if (!request.step_table)
    return diags.error(request.program.file, "--executor vm",
                       "needs the table of steps, which is not there with --lto");
  auto out = aot().print(request, diags);
  if (!out) return failure;
  const auto made = bytecode(request.program, request.model.prefix, *lowered_, diags);
  if (!made) return failure;
  Module m{.content = LoaderData{std::string(kVmLoader)}, .name = request.model.prefix + "_vm"};
  m.bytes = Blob::own(bytecode::write(*made));
  m.for_loaders = true;
  out->modules.push_back(std::move(m));
  return out;
}

}  // namespace byoc::executor
