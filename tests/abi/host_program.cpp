// A host of plug-ins: loads one, asks it about a model, has it compile what it claims, and prints everything that it
// hands over. Built twice: with the headers of the ABI, and with those of a minor that does not exist yet.
//
//   host_program PLUGIN.so MODEL.byoc
#include <cstdio>

#include "sdk/base/support/file.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"
#include "sdk/model/ir/text.hpp"

namespace byoc {
namespace {

void print(const plugin::Compilation& made) {
  for (const ConstantArtifact& c : made.constants) {
    std::printf("constant %s align %u:", c.symbol.c_str(), c.align);
    for (const std::byte b : c.bytes.bytes()) std::printf(" %d", std::to_integer<int>(b));
    std::printf("\n");
  }
  for (const plugin::SourceArtifact& s : made.sources)
    std::printf("source %s\n%s\n", s.decl.name.c_str(), s.text.c_str());
  for (const plugin::Step& s : made.steps)
    std::printf("step %s %s: %zu inputs, %zu outputs, %zu workspaces, %zu overlays, %zu nodes\n", s.decl.symbol.c_str(),
                s.decl.kernel.c_str(), s.inputs.size(), s.outputs.size(), s.decl.workspaces.size(),
                s.decl.overlays.size(), s.nodes.size());
}

Result<void> run(const std::string& library, const std::string& model, Diagnostics& diags) {
  auto plugin = plugin::load_plugin(library, {}, diags);
  auto file = MappedFile::open(model, diags);
  if (!plugin || !file) return failure;
  const std::span<const std::byte> bytes = (*file)->bytes();
  auto graph = ir::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, model, diags);
  if (!graph) return failure;
  std::printf("host 1.%u, plug-in 1.%u, agreed on 1.%u\n", BYOC_ABI_MINOR, plugin->table.abi_minor, plugin->abi_minor);
  const TargetSpec target;
  auto codegen = plugin::create_codegen(*plugin, target, {}, {}, diags);
  if (!codegen) return failure;
  const plugin::BoundRegion whole = plugin::make_region(*graph);
  std::vector<ir::NodeId> claimed;
  const std::vector<codegen::Verdict> verdicts = (*codegen)->verdicts(whole.region, target);
  for (std::size_t n = 0; n < verdicts.size(); ++n) {
    std::printf("node %zu: %s\n", n, verdicts[n].claimed ? "claimed" : verdicts[n].text.c_str());
    if (verdicts[n].claimed) claimed.push_back(static_cast<ir::NodeId>(n));
  }
  if (diags.has_errors() || claimed.empty()) return failure;
  const plugin::BoundRegion region = plugin::make_region(*graph, claimed, "claimed");
  NameTable names;
  plugin::Compilation made;
  if (!plugin::compile_regions(**codegen, {&region, 1}, {*graph, target, Objective::balanced, "m", "m_internal.h"},
                               names, made, diags))
    return failure;
  print(made);
  return {};
}

}  // namespace
}  // namespace byoc

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  byoc::Diagnostics diags;
  const bool ok = static_cast<bool>(byoc::run(argv[1], argv[2], diags));
  for (const byoc::Diagnostic& d : diags.all()) std::printf("%s\n", to_string(d).c_str());
  return ok ? 0 : 1;
}
