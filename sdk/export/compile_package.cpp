#include "sdk/export/compile_package.hpp"

#include <algorithm>

#include "sdk/export/build_tree.hpp"
#include "sdk/export/compile_tree.hpp"
#include "sdk/export/encode_constants.hpp"
#include "sdk/export/generate.hpp"
#include "sdk/export/module_tree.hpp"
#include "sdk/export/vendor_sources.hpp"

namespace byoc {
namespace {

// The root once more, calling byoc_trace().
Result<std::vector<std::byte>> compile_traced_root(const PackageInput& in, Compiler& compiler, CompileTreeOptions how,
                                                   Diagnostics& diags) {
  const Module& root = in.tree.modules[0];
  const std::string text = "#define BYOC_TRACE 1\n" +
                           std::string(reinterpret_cast<const char*>(root.bytes.data()), root.bytes.size()) + in.traced;
  if (!in.tree.lto) return compiler.compile({root.name, text, root.opt_level()}, in.tree.headers, diags);
  ModuleTree traced = in.tree;
  traced.modules[0].bytes = c_module(root.name, text, root.opt_level()).bytes;
  how.found = {};
  auto members = compile_tree(traced, in.target, how, diags);
  if (!members) return failure;
  const auto compiled = std::ranges::find(*members, std::size_t{0}, &LibraryMember::module);
  return std::move(compiled->object);
}

void keep_kernels(const PackageInput& in, const std::vector<LibraryMember>& members,
                  std::map<std::string, std::vector<std::byte>>& kernel_objects) {
  for (const auto& [symbol, name] : in.kernel_names)
    for (const LibraryMember& m : members)
      if (m.name == name + ".o") kernel_objects.emplace(name, m.object);
}

CompileTreeOptions how_to_compile(const PackageInput& in, Compiler& compiler, const Job& job) {
  CompileTreeOptions how;
  how.compiler = &compiler;
  how.cache = job.request.compiler.cache;
  how.isolate = false;
  how.all_visible = false;
  how.compile.limits = job.limits;
  how.built_in = built_in_codegens(job.codegens);
  if (job.check_sources != CheckSources::off) how.rules = source_rules(in.graph, in.compilation, job, in.prototypes);
  return how;
}

}  // namespace

Result<std::unique_ptr<Compiler>> make_compiler(const Job& job, const TargetSpec& target, Diagnostics& diags) {
  if (job.compile_function && job.request.compiler.lto)
    return diags.error({}, "--lto", "link-time optimisation is for C that Clang compiles",
                       job.request.compiler.toolchain, "no function that compiles");
  if (job.compile_function)
    return Compiler::from_function(target, job.request.compiler.toolchain, job.compile_function, diags);
  return Compiler::create(target, job.request.compiler.toolchain,
                          with(job.request.compiler, {.sanitize = job.sanitize}), diags);
}

Result<std::vector<Module>> compile_added_files(const Job& job, const TargetSpec& target,
                                                std::vector<std::string>& files_read, Diagnostics& diags) {
  if (job.request.add_files.empty()) return std::vector<Module>();
  auto tree = tree_of_files(job.request.add_files, diags);
  if (!tree) return failure;
  CompileTreeOptions how = user_files_options(job.request.compiler);
  how.files_read = &files_read;
  std::unique_ptr<Compiler> function;
  if (job.compile_function) {
    auto made = make_compiler(job, target, diags);
    if (!made) return failure;
    function = std::move(*made);
    how.compiler = function.get();
  }
  for (Module& m : tree->modules)
    say_how(m, job.request.opt_level.empty() ? how.compile.opt_level : job.request.opt_level);
  if (job.request.compiler.lto) {  // to be linked with the model's
    auto bitcode = compile_c_modules(*tree, target, how, diags);
    if (!bitcode) return failure;
    for (std::size_t i = 0; i < tree->modules.size(); ++i)
      if (CCode* const c = tree->modules[i].c()) c->compiled.object = Blob::own(std::move((*bitcode)[i]));
  } else {
    auto members = compile_tree(*tree, target, how, diags);
    if (!members) return failure;
    for (LibraryMember& member : *members) {
      CompiledCode* const compiled = tree->modules[member.module].compiled();
      if (compiled != nullptr) compiled->object = Blob::own(std::move(member.object));
    }
  }
  for (Module& m : tree->modules) m.imports.clear();
  return std::move(tree->modules);
}

FutureConstants lay_out_constants(const ModuleTree& tree, const TargetSpec& target, const ConstantEncoding& encoding) {
  const Module* module = find_constants(tree);
  if (module == nullptr || !is_left_to_pack(encoding)) return {};
  return std::async(std::launch::async, [constants = module->constants, target] {
    Diagnostics again;
    auto object = ConstantObject::create(target, constants, again);
    if (!object || !object->identify()) return std::shared_ptr<const ConstantObject>();
    return std::make_shared<const ConstantObject>(std::move(*object));
  });
}

Package uncompiled(Package package) {
  for (std::size_t i = 0; i < package.tree.modules.size(); ++i)
    if (const Module& m = package.tree.modules[i]; m.kind() == ModuleKind::constants)
      package.members.push_back({m.name + ".o", {}, m.constants, {}, i});
  return package;
}

Result<CompiledPackage> compile_package(const PackageInput& input, Compiler& compiler, FutureConstants constants,
                                        const Job& job, Diagnostics& diags) {
  CompileTreeOptions how = how_to_compile(input, compiler, job);
  std::vector<VendorFindings> findings;
  how.found = [&](const Module& m, std::vector<compile::SourceFinding> found) {
    findings.push_back({m.codegen, std::move(found)});
  };
  auto members = compile_tree(input.tree, input.target, how, diags);
  if (!members || !encode_members(*members, input.target, job.request.encoding,
                                  {job.request.compiler, job.compile_function}, diags))
    return failure;
  if (constants.valid()) {
    const std::string name = find_constants(input.tree)->name + ".o";
    const std::shared_ptr<const ConstantObject> object = constants.get();
    for (LibraryMember& m : *members)
      if (m.name == name) m.encoded = object;
  }
  CompiledPackage out;
  if (job.request.trace) {
    auto traced = compile_traced_root(input, compiler, how, diags);
    if (!traced) return failure;
    out.traced_root = std::move(*traced);
  }
  if (!findings.empty() && !report_findings(findings, input.compilation, *members, job.check_sources, diags))
    return failure;
  if (job.kernel_objects != nullptr && !job.request.compiler.lto) keep_kernels(input, *members, *job.kernel_objects);
  out.members = std::move(*members);
  return out;
}

}  // namespace byoc
