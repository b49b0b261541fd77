#include "sdk/export/build_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "byoc/c_text.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/export/compile_tree.hpp"
#include "sdk/export/encode_constants.hpp"
#include "sdk/export/source_headers.hpp"
#include "sdk/library/object/constant_tables.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/pack_format.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandard = "gnu11";
constexpr const char* kCxxStandard = "gnu++17";
constexpr const char* kSuffixes = ".bc, .ll, .c, .cpp, .S, .o, .a or .bin";

struct FileForm {
  const char* suffix;
  ModuleKind kind;
  const char* language;
};
constexpr FileForm kForms[] = {
    {".c", ModuleKind::c, "c"},        {".cpp", ModuleKind::c, "c++"},
    {".cc", ModuleKind::c, "c++"},     {".cxx", ModuleKind::c, "c++"},
    {".S", ModuleKind::c, "assembly"}, {".s", ModuleKind::c, "assembly"},
    {".bc", ModuleKind::llvm, "c"},    {".ll", ModuleKind::llvm, "c"},
    {".o", ModuleKind::object, "c"},   {".a", ModuleKind::static_library, "c"},
    {".bin", ModuleKind::blob, "c"},
};

Result<Module> module_of(const std::string& file, std::vector<FileStamp>& read, Diagnostics& diags) {
  const std::string suffix = fs::path(file).extension().string();
  const auto* form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& f) { return suffix == f.suffix; });
  if (form == std::end(kForms))
    return diags.error(file, {}, "has an unknown suffix", suffix.empty() ? "none" : suffix, kSuffixes);
  auto text = read_text(file, diags, &read);
  if (!text) return failure;
  Module m{.content = content_of(form->kind), .name = fs::path(file).filename().string(), .origin = file};
  const auto bytes = std::as_bytes(std::span(*text));
  m.bytes = Blob::own({bytes.begin(), bytes.end()});
  if (CCode* const c = m.c()) {
    c->language = form->language;
    c->directory = fs::absolute(file).parent_path().string();
  }
  return m;
}

// Two files of one name: the later one has its folder's before its own, and a number where that does not do.
void make_unique(std::vector<Module>& modules, Module& m) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(modules.begin(), modules.end(),
                       [&](const Module& o) { return lower_case(o.name) == lower_case(name); });
  };
  if (!taken(m.name)) return;
  const std::string own = m.name;
  const std::string folder = fs::absolute(m.origin).parent_path().filename().string();
  m.name = module_name(folder) + "_" + own;
  for (int n = 2; taken(m.name); ++n) m.name = module_name(folder) + "_" + std::to_string(n) + "_" + own;
}

// Applies the user's options for all sources to each source.
Result<void> apply(const SourceOptions& options, ModuleTree& tree, Diagnostics& diags) {
  const auto defines = c_defines(options.defines);
  if (!defines) return diags.error({}, "-D", "is no definition", {}, "NAME or NAME=VALUE");
  for (const std::string& flag : options.flags)
    if (!is_one_line(flag) || !(flag.starts_with("-f") || flag.starts_with("-W")))
      return diags.error({}, flag, "is no option for sources; what decides about the target is --target's", {},
                         "-f... or -W...");
  for (Module& m : tree.modules) {
    CCode* const c = m.c();
    if (c == nullptr) continue;
    if (!defines->empty()) {
      const std::string text = *defines + std::string(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size());
      const auto bytes = std::as_bytes(std::span(text));
      m.bytes = Blob::own({bytes.begin(), bytes.end()});
    }
    for (const std::string& d : options.include_directories)
      c->include_directories.push_back(fs::absolute(d).lexically_normal().string());
    c->flags = options.flags;
    for (const std::string& standard : options.standards)
      if ((standard.find("++") != std::string::npos) == (c->language == "c++")) c->standard = standard;
  }
  return {};
}

Result<void> add_blobs(const BuildOptions& options, ModuleTree& tree, Diagnostics& diags) {
  for (const BlobFile& blob : options.blobs) {
    if (!is_identifier(blob.symbol))
      return diags.error(blob.path, "--blob", "has no C identifier for its symbol", "'" + blob.symbol + "'",
                         "SYMBOL=FILE");
    auto mapped = MappedFile::open(blob.path, diags);
    if (!mapped) return failure;
    tree.inputs.push_back((*mapped)->stamp());
    Module m{.content = RawData{}, .name = blob.symbol, .origin = blob.path};
    m.bytes = Blob::map(*mapped, 0, (*mapped)->bytes().size());
    tree.modules.push_back(std::move(m));
  }
  return {};
}

// Sets the imports as the edges say; the first file imports all modules that nobody else does.
Result<void> connect(ModuleTree& tree, std::span<const std::string> edges, Diagnostics& diags) {
  const auto find = [&](const std::string& name) {
    const auto at = std::find_if(tree.modules.begin(), tree.modules.end(),
                                 [&](const Module& m) { return m.name == name || m.origin == name; });
    return static_cast<std::size_t>(at - tree.modules.begin());
  };
  std::set<std::size_t> imported{0};
  for (Module& m : tree.modules) m.imports.clear();
  for (const std::string& edge : edges) {
    const std::size_t colon = edge.find(':');
    const std::size_t from = find(edge.substr(0, colon));
    const std::size_t to = colon == std::string::npos ? tree.modules.size() : find(edge.substr(colon + 1));
    if (from >= tree.modules.size() || to >= tree.modules.size())
      return diags.error({}, "--import", "names a file that is not among those given", edge, "FILE:FILE");
    tree.modules[from].imports.push_back(to);
    imported.insert(to);
  }
  for (std::size_t i = 1; i < tree.modules.size(); ++i)
    if (!imported.contains(i)) tree.modules[0].imports.push_back(i);
  return {};
}

// Adds the manifest for verify: the constants in the library.
Result<void> add_manifest(const Package& package, const std::string& out, OutputSet& files, Diagnostics& diags) {
  std::vector<ConstantArtifact> constants, tables;
  for (const LibraryMember& m : package.members) {
    constants.insert(constants.end(), m.constants.begin(), m.constants.end());
    if (m.object.empty() || !m.constants.empty()) continue;
    const auto found = constant_tables(m.object, m.name, diags);
    if (!found) return failure;
    for (const ConstantTable& t : *found)
      tables.push_back({.symbol = t.symbol,
                        .bytes = Blob::own({t.bytes.begin(), t.bytes.end()}),
                        .align = t.align,
                        .model_data = false});
  }
  const std::string library = fs::path(out).filename().string();
  return files.add(companion(out, ".json"),
                   write_constants_manifest(package.target, constants, nullptr, library, tables));
}

}  // namespace

Result<ModuleTree> tree_of_files(std::span<const std::string> files, Diagnostics& diags) {
  ModuleTree tree;
  for (const std::string& file : files) {
    auto m = module_of(file, tree.inputs, diags);
    if (!m) continue;
    make_unique(tree.modules, *m);
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
  if (m.compiled() != nullptr) m.compiled()->opt_level = opt_level;
  if (CCode* const c = m.c(); c != nullptr && c->standard.empty())
    c->standard = c->language == "c++" ? kCxxStandard : kStandard;
}

Result<void> build_tree(std::span<const std::string> files, const TargetSpec& given, const BuildOptions& options,
                        const std::string& out, Diagnostics& diags) {
  auto outputs = package_outputs(out, {}, options.pack, diags);
  if (!outputs) return failure;
  const auto format = pack_format(out, diags);
  const bool is_file = *format != PackFormat::folder && *format != PackFormat::tar;
  const Companions beside{{}, companion(out, ".json"), {}};
  if (is_file && !check_owner(out, beside, options.pack.force, diags)) return failure;
  if (is_file) outputs->push_back({beside.manifest});
  if (files.empty()) return diags.error(out, {}, "there is nothing to build it from", "no file", kSuffixes);
  auto tree = tree_of_files(files, diags);
  if (!tree || !check_outputs(tree->inputs, *outputs, diags)) return failure;
  if (!apply(options.sources, *tree, diags) || !add_blobs(options, *tree, diags) ||
      !connect(*tree, options.edges, diags))
    return failure;
  take_headers(*tree);
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
  OutputSet written(diags, package.tree.inputs);
  if (!add_packages({&package, 1}, out, written, diags, options.pack) ||
      (is_file && !add_manifest(package, out, written, diags)))
    return failure;
  return written.commit(options.pack.durability);
}

}  // namespace byoc
