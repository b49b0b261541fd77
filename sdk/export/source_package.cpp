#include "sdk/export/source_package.hpp"

#include <algorithm>

#include "sdk/export/module_tree.hpp"
#include "sdk/library/object/portable_constants.hpp"

namespace byoc {
namespace {

using Request = ExportRequest;

struct Refused {
  const char* option;
  bool (*given)(const Request&);
};
constexpr Refused kRefused[] = {
    {"--lto", [](const Request& r) { return r.compiler.lto; }},
    {"--add-file", [](const Request& r) { return !r.add_files.empty(); }},
    {"--weights-blob", [](const Request& r) { return !r.weights.file.empty(); }},
    {"--multiversion", [](const Request& r) { return !r.multiversion.empty(); }},
    {"--pack-imports", [](const Request& r) { return !r.encoding.command.empty() || r.encoding.function; }},
    {"--constants-as",
     [](const Request& r) { return r.encoding.form == ConstantForm::embed || r.encoding.form == ConstantForm::llvm; }},
};

// A workspace that the machine cannot address would be cut off without a word.
std::string workspace_check(const SourceNames& names) {
  const std::string size = upper_case(names.prefix) + "_WORKSPACE_SIZE";
  return "\n#include \"" + names.header + "\"\n#if SIZE_MAX < " + size +
         "\n#error \"the workspace is larger than this machine's address space\"\n#endif\n";
}

Result<void> check_modules(const ModuleTree& tree, Diagnostics& diags) {
  const std::size_t before = diags.count();
  for (const Module& m : tree.modules) {
    const Diagnostics::Origin origin(diags, m.codegen);
    if ((m.c() == nullptr || m.c()->language != "c") && m.kind() != ModuleKind::constants)
      diags.error({}, label(m), "cannot be part of a library of sources", std::string(to_string(m.kind())), "C");
  }
  return diags.count() == before ? Result<void>() : failure;
}

}  // namespace

Result<void> check_source_request(const Request& request, Diagnostics& diags) {
  const std::size_t before = diags.count();
  for (const Refused& r : kRefused)
    if (r.given(request)) diags.error({}, r.option, "is not for a target of sources", {}, "a target with a machine");
  return diags.count() == before ? Result<void>() : failure;
}

Result<void> constants_to_source(ModuleTree& tree, const SourceNames& names, ConstantForm form, Diagnostics& diags) {
  if (!check_modules(tree, diags)) return failure;
  const auto found = std::ranges::find(tree.modules, ModuleKind::constants, &Module::kind);
  const std::string name = names.prefix + "_constants";
  const std::vector<ConstantArtifact> constants =
      found == tree.modules.end() ? std::vector<ConstantArtifact>() : found->constants;
  std::string text;
  if (form == ConstantForm::incbin && !constants.empty()) {
    auto made = included_constants(constants, names.internal_header, name + ".bin", diags);
    if (!made) return failure;
    text = std::move(made->source);
    tree.headers[name + ".bin"] = std::move(made->content);
  } else {
    auto made = portable_constants(constants, names.internal_header, diags);
    if (!made) return failure;
    text = std::move(*made);
  }
  Module source = c_module(name, text + workspace_check(names), {});
  if (found == tree.modules.end()) {
    add_module(tree, std::move(source));
  } else {
    source.imports = found->imports;
    *found = std::move(source);
  }
  return {};
}

std::vector<LibraryMember> source_members(const ModuleTree& tree) {
  std::vector<LibraryMember> out;
  for (std::size_t i = 0; i < tree.modules.size(); ++i) out.push_back({file_name(tree.modules[i]), {}, {}, {}, i});
  return out;
}

}  // namespace byoc
