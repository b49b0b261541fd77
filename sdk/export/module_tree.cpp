#include "sdk/export/module_tree.hpp"

#include <algorithm>

#include "sdk/export/kernel_names.hpp"
#include "sdk/export/vendor_artifacts.hpp"

namespace byoc {
namespace {

constexpr const char* kConstants = "_constants";

void append(ModuleTree& tree, Module m) {
  if (!tree.modules.empty()) tree.modules[0].imports.push_back(tree.modules.size());
  tree.modules.push_back(std::move(m));
}

// Names may become those of files: upper and lower case count as the same.
bool is_taken(const ModuleTree& tree, const std::string& name) {
  const std::string lower = lower_case(name);
  if (!tree.modules.empty() && lower == lower_case(tree.modules[0].name + kConstants)) return true;
  return std::any_of(tree.modules.begin(), tree.modules.end(),
                     [&](const Module& m) { return lower_case(m.name) == lower; });
}

// Takes the object of a shared kernel that was compiled for another model of the same program.
void take_known_object(Module& m, const ModelParts& parts) {
  if (parts.kernel_objects == nullptr || parts.lto) return;
  const auto known = parts.kernel_objects->find(m.name);
  if (known != parts.kernel_objects->end()) m.compiled()->object = Blob::own(known->second);
}

Module source_module(const plugin::SourceArtifact& s, const ModelParts& parts) {
  std::string text = s.decl.shared ? rename_kernels(s.text, parts.kernel_names) : s.text;
  // Places in diagnostics are those of the text that was handed over.
  if (text.size() != s.text.size() && !parts.built_in.contains(s.codegen))
    text.insert(text.size() - s.text.size(), "#line 1\n");
  Module m = s.decl.shared ? c_module(parts.kernel_names.at(s.decl.symbol), text, parts.kernel_levels.at(s.decl.symbol))
                           : c_module(s.decl.name, text, level_of(parts.levels, s.decl.effort, codegen::Effort::glue));
  m.codegen = s.codegen;
  m.c()->standard = s.decl.standard;
  m.c()->include_directories = s.decl.include_directories;
  if (s.decl.shared) take_known_object(m, parts);
  return m;
}

Module llvm_module(std::size_t index, const ModelParts& parts) {
  const plugin::OtherArtifact& a = parts.compilation.others[index];
  Module m = vendor_module(a, level_of(parts.levels, a.decl.effort, codegen::Effort::hot));
  const auto renamed = parts.renamed_modules.find(index);
  if (renamed != parts.renamed_modules.end()) m.bytes = renamed->second;
  if (!a.decl.shared) return m;
  m.name = parts.kernel_names.at(a.decl.symbol);
  m.symbols.push_back({m.name});
  m.compiled()->opt_level = parts.kernel_levels.at(a.decl.symbol);
  take_known_object(m, parts);
  return m;
}

// Compilers take the square of the parameters of a function, and of the arguments of a call. A function that has more
// of them than these passes pointers on, and is compiled as it is.
constexpr std::size_t kMostParameters = 256;

bool has_wide_step(const ModelParts& parts) {
  return std::ranges::any_of(parts.compilation.steps, [](const plugin::Step& s) {
    return s.inputs.size() + s.outputs.size() > kMostParameters;
  });
}

// A module of the executor's: calls and tables.
Module glue_module(Module m, const ModelParts& parts) {
  if (m.compiled() != nullptr) m.compiled()->opt_level = has_wide_step(parts) ? "0" : parts.levels.glue;
  return m;
}

// System V ABI for x86-64, 3.1.2: an array of 16 bytes or more is aligned to 16; compilers rely on it when they read
// one that is declared as such.
std::uint32_t least_align(const TargetSpec& target, std::uint64_t bytes) {
  return target.triple.starts_with("x86_64") && bytes >= 16 ? 16 : 1;
}

Module constants_module(const ModelParts& parts) {
  Module out{.content = ConstantsOnly{}, .name = parts.names.prefix + kConstants};
  for (const ConstantArtifact& c : parts.compilation.constants) {
    if (c.moves) continue;
    out.constants.push_back(c);
    out.constants.back().align = std::max(c.align, least_align(parts.target, c.bytes.size()));
  }
  return out;
}

}  // namespace

ModelTree make_module_tree(const ModelParts& parts) {
  const plugin::Compilation& compilation = parts.compilation;
  ModelTree out;
  ModuleTree& tree = out.tree;
  tree.lto = parts.lto;
  tree.headers = compilation.headers;
  tree.headers.insert(parts.printed.headers.begin(), parts.printed.headers.end());
  tree.headers[parts.names.header] = parts.printed.header;
  tree.headers[parts.names.internal_header] = parts.internal_header;
  const std::vector<Module>& printed = parts.printed.modules;
  add_module(tree, glue_module(printed.at(0), parts));
  for (const plugin::SourceArtifact& s : compilation.sources) add_module(tree, source_module(s, parts));
  for (std::size_t i = 0; i < compilation.others.size(); ++i) {
    const plugin::OtherArtifact& a = compilation.others[i];
    if (a.decl.kind == codegen::ArtifactKind::llvm_bitcode)
      add_module(tree, llvm_module(i, parts));
    else if (is_module(a))
      add_module(tree, vendor_module(a, parts.levels.hot));
  }
  VendorArtifacts artifacts = take_artifacts(compilation);
  out.link_libraries = std::move(artifacts.link_libraries);
  out.licences = std::move(artifacts.licences);
  for (std::size_t i = 1; i < printed.size(); ++i) add_module(tree, glue_module(printed[i], parts));
  if (Module constants = constants_module(parts); !constants.constants.empty()) append(tree, std::move(constants));
  return out;
}

void add_module(ModuleTree& tree, Module m) {
  m.name = module_name(m.name);
  const std::string name = m.name;
  for (int i = 2; is_taken(tree, m.name); ++i) m.name = name + "_" + std::to_string(i);
  append(tree, std::move(m));
}

Module c_module(const std::string& name, const std::string& text, const std::string& level) {
  const auto bytes = std::as_bytes(std::span(text));
  return {.content = CCode{.compiled = {.opt_level = level}},
          .name = name,
          .bytes = Blob::own({bytes.begin(), bytes.end()})};
}

const Module* find_constants(const ModuleTree& tree) {
  const auto found = std::find_if(tree.modules.begin(), tree.modules.end(),
                                  [](const Module& m) { return m.kind() == ModuleKind::constants; });
  return found == tree.modules.end() ? nullptr : &*found;
}

}  // namespace byoc
