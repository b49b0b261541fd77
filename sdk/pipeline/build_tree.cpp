#include "sdk/pipeline/build_tree.hpp"

#include <filesystem>
#include <map>

#include "sdk/module/target.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pack/write_package.hpp"
#include "sdk/pipeline/compile_tree.hpp"
#include "sdk/pipeline/encode_constants.hpp"
#include "sdk/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandard = "gnu11";
constexpr const char* kSuffixes = ".bc, .ll, .c, .o or .a";

Result<Module> module_of(const std::string& file, std::vector<FileStamp>& read, Diagnostics& diags) {
  static const std::map<std::string, ModuleKind> kinds{{".c", ModuleKind::c},
                                                       {".bc", ModuleKind::llvm},
                                                       {".ll", ModuleKind::llvm},
                                                       {".o", ModuleKind::object},
                                                       {".a", ModuleKind::static_library}};
  const std::string suffix = fs::path(file).extension().string();
  const auto kind = kinds.find(suffix);
  if (kind == kinds.end())
    return diags.error(file, {}, "has an unknown suffix", suffix.empty() ? "none" : suffix, kSuffixes);
  auto text = read_text(file, diags, &read);
  if (!text) return failure;
  Module m{.kind = kind->second, .name = fs::path(file).filename().string(), .origin = file};
  const auto bytes = std::as_bytes(std::span(*text));
  m.bytes = Blob::own({bytes.begin(), bytes.end()});
  if (m.kind == ModuleKind::c) m.directory = fs::absolute(file).parent_path().string();
  return m;
}

}  // namespace

Result<ModuleTree> tree_of_files(std::span<const std::string> files, Diagnostics& diags) {
  ModuleTree tree;
  for (const std::string& file : files) {
    auto m = module_of(file, tree.inputs, diags);
    if (!m) continue;
    if (!tree.modules.empty()) tree.modules[0].imports.push_back(tree.modules.size());
    tree.modules.push_back(std::move(*m));
  }
  if (tree.modules.size() != files.size()) return failure;
  return tree;
}

CompileTreeOptions user_files_options(const CompilerChoice& choice) {
  CompileTreeOptions how{choice};
  how.compile.warnings_as_errors = false;
  how.compile.standard = kStandard;
  return how;
}

void say_how(Module& m, const std::string& opt_level) {
  m.opt_level = opt_level;
  m.standard = kStandard;
}

Result<void> build_tree(std::span<const std::string> files, const TargetSpec& given, const BuildOptions& options,
                        const std::string& out, Diagnostics& diags) {
  const auto outputs = package_outputs(out, {}, options.pack, diags);
  if (!outputs) return failure;
  if (files.empty()) return diags.error(out, {}, "there is nothing to build it from", "no file", kSuffixes);
  auto tree = tree_of_files(files, diags);
  if (!tree || !check_outputs(tree->inputs, *outputs, diags)) return failure;
  CompileTreeOptions how = user_files_options(options.compiler);
  how.compile.opt_level = options.opt_level;
  tree->lto = options.compiler.lto;
  for (Module& m : tree->modules) say_how(m, options.opt_level);
  const TargetSpec target = for_constants(given, constant_bytes(*tree));
  auto members = compile_tree(*tree, target, how, diags);
  if (!members || !encode_members(*members, target, options.encoding, {options.compiler}, diags)) return failure;
  Package package;
  package.target = target;
  package.tree = std::move(*tree);
  package.members = std::move(*members);
  return write_package(package, out, diags, options.pack);
}

}  // namespace byoc
