#include "sdk/pipeline/pack_tree.hpp"

#include "sdk/pack/pack_format.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "sdk/pipeline/folder.hpp"
#include "sdk/pipeline/write_package.hpp"

namespace byoc {

Result<void> pack_tree(const std::string& folder, const PackTreeOptions& options, const std::string& out,
                       Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  auto package = read_folder(folder, diags);
  if (!package) return failure;
  CompileTreeOptions how;
  how.toolchain = options.toolchain;
  how.compile.warnings_as_errors = false;
  auto members = compile_tree(package->tree, package->target, how, diags);
  if (!members) return failure;
  package->members = std::move(*members);
  return write_package(*package, out, diags);
}

}  // namespace byoc
