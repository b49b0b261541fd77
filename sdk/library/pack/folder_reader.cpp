#include <algorithm>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/folder_files.hpp"
#include "sdk/library/pack/format_version.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/target_json.hpp"
#include "sdk/target/target/trusted_commands.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using Positions = std::map<std::string, std::size_t>;  // of modules, by name

// Anybody may have written the folder: nothing of tree.json becomes a path, a word of a command or a line of a file
// before it was checked.
class Reader {
 public:
  Reader(std::string folder, Diagnostics& diags) : folder_(std::move(folder)), diags_(diags) {}

  // Throws what nlohmann throws where a field is missing or of another type.
  Result<Package> run(const std::optional<TargetSpec>& named) {
    const std::string path = path_of(kTreeFile);
    auto text = path.empty() ? Result<std::string>(failure) : read_text(path, diags_, &package_.tree.inputs);
    if (!text) return failure;
    Json json = parse_ordered_json(*text);
    if (!bring_up_to_date(json, kTreeFormat, tree_file(), diags_)) return failure;
    auto target = read_target(SortedJson(json.at("target")), tree_file(), diags_);
    if (!target) return failure;
    package_.target = std::move(*target);
    if (!read_names(json)) return failure;
    const std::size_t before = diags_.count();
    if (json.contains("files")) read_model(json.at("files"));
    Positions positions;
    for (const Json& m : json.at("modules")) positions.emplace(m.at("name"), positions.size());
    for (const Json& m : json.at("modules")) package_.tree.modules.push_back(module_of(m, positions));
    if (diags_.count() != before) return failure;
    for (std::size_t i = 0; i < package_.tree.modules.size(); ++i)
      take_object(json.at("modules")[i], package_.tree.modules[i]);
    if (json.contains("lto")) take_linked(json.at("lto"), positions);
    if (diags_.count() != before || !check_tree(package_.tree, diags_) || !trust_commands(named)) return failure;
    return std::move(package_);
  }

 private:
  [[nodiscard]] std::string tree_file() const { return folder_ + "/" + kTreeFile; }

  // The text, or "" after an error.
  std::string checked(const std::string& text, const TextRule& rule, const std::string& what) {
    return check_text(text, rule, tree_file(), what, diags_) ? text : std::string();
  }
  // As checked(), for a field that may be missing.
  std::string optional(const Json& json, const char* key, const TextRule& rule) {
    return json.contains(key) ? checked(json.at(key), rule, key) : std::string();
  }

  // Checks names that become files, options and parts of C.
  Result<void> read_names(const Json& json) {
    const std::size_t before = diags_.count();
    if (const std::string prefix = json.value("prefix", ""); !prefix.empty())
      package_.prefix = checked(prefix, kIdentifier, "prefix");
    for (const Json& library : json.value("link_libraries", Json::array()))
      package_.link_libraries.push_back(checked(library, kPlainName, "link_libraries"));
    const Json headers = json.value("headers", Json::object());
    for (const auto& [name, file] : headers.items())
      package_.tree.headers[checked(name, kPlainPath, "headers")] = read(file);
    return diags_.count() == before ? Result<void>() : failure;
  }

  // The path of a file of the folder; "" after an error.
  std::string path_of(const std::string& file) {
    if (!is_inside_path(file)) {
      diags_.error(tree_file(), file, "names a file outside the folder");
      return {};
    }
    std::string path = folder_ + "/" + file;
    std::error_code missing, ignored;
    const fs::path real = fs::canonical(path, missing), root = fs::canonical(folder_, ignored);
    // A missing file is reported when it is opened.
    if (missing || std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end()) return path;
    diags_.error(path, {}, "is a link that leaves the folder", real.string(), root.string());
    return {};
  }

  std::string read(const std::string& file) {
    const std::string path = path_of(file);
    if (path.empty()) return {};
    auto text = read_text(path, diags_, &package_.tree.inputs);
    return text ? std::move(*text) : std::string();
  }

  // The file mapped whole. An empty blob after an error, and for an empty file.
  Blob map(const std::string& file) {
    const auto mapped = open(file);
    return mapped == nullptr ? Blob() : Blob::map(mapped, 0, mapped->bytes().size());
  }

  std::shared_ptr<const MappedFile> open(const std::string& file) {
    auto& mapped = mapped_[file];
    const std::string path = mapped == nullptr ? path_of(file) : std::string();
    if (path.empty()) return mapped;
    if (auto opened = MappedFile::open(path, diags_)) mapped = std::move(*opened);
    if (mapped != nullptr) package_.tree.inputs.push_back(mapped->stamp());
    return mapped;
  }

  void read_model(const Json& files) {
    package_.header = read(files.at("header"));
    package_.header_name = package_.prefix + ".h";
    package_.example_main = read(files.at("example"));
    const std::string file = folder_ + "/" + files.at("manifest").get<std::string>();
    const std::string manifest = read(files.at("manifest"));
    // The manifest of an export that ended before it was compiled is empty.
    if (manifest.empty() || manifest == kEmptyManifest) return;
    if (auto description = read_manifest_of(manifest, package_.prefix, file, diags_))
      package_.description = std::move(*description);
  }

  Module module_of(const Json& json, const Positions& positions) {
    Module m;
    m.name = checked(json.at("name"), kPlainName, "name");
    m.origin = folder_ + "/" + json.value("file", m.name);
    m.content = content_of(kind_of(json.at("kind"), m.name));
    if (m.kind() != ModuleKind::constants) m.bytes = map(json.at("file"));
    m.codegen = optional(json, "codegen", kOneLine);
    const std::string loader = optional(json, "loader", kOneLine);
    if (auto* data = std::get_if<LoaderData>(&m.content)) data->loader = loader;
    if (m.compiled() != nullptr) m.compiled()->opt_level = optional(json, "opt_level", kOptLevel);
    if (m.c() != nullptr) read_c(json, m.name, *m.c());
    m.for_loaders = json.value("for_loaders", false);
    if (json.contains("target")) {
      auto target = read_target(SortedJson(json.at("target")), tree_file(), diags_);
      if (target) m.target = std::move(*target);
    }
    for (const Json& s : json.value("symbols", Json::array()))
      m.symbols.push_back({checked(s.at("name"), kSymbolName, m.name), s.at("kind") == "function"});
    for (const Json& name : json.value("imports", Json::array())) {
      const auto found = positions.find(name.get<std::string>());
      if (found == positions.end())
        diags_.error(tree_file(), m.name, "imports a module that is not there", name.get<std::string>());
      else
        m.imports.push_back(found->second);
    }
    for (const Json& c : json.value("constants", Json::array())) read_constant(c, m);
    return m;
  }

  void read_c(const Json& json, const std::string& module, CCode& c) {
    c.standard = optional(json, "standard", kOptionValue);
    c.language = json.value("language", "c");
    if (c.language != "c" && c.language != "c++" && c.language != "assembly")
      diags_.error(tree_file(), module, "has an unknown language", c.language, "c, c++ or assembly");
    for (const Json& flag : json.value("flags", Json::array())) c.flags.push_back(checked(flag, kOptionValue, "flags"));
  }

  ModuleKind kind_of(const std::string& kind, const std::string& module) {
    for (const ModuleKind k : {ModuleKind::c, ModuleKind::llvm, ModuleKind::object, ModuleKind::constants,
                               ModuleKind::static_library, ModuleKind::blob, ModuleKind::opaque})
      if (to_string(k) == kind) return k;
    diags_.error(tree_file(), module, "a module of an unknown kind", kind);
    return ModuleKind::c;
  }

  void read_constant(const Json& json, Module& m) {
    ConstantArtifact c;
    c.symbol = checked(json.at("symbol"), kIdentifier, m.name);
    const std::string file = json.at("file");
    const std::uint64_t offset = json.contains("offset") ? whole_number(json.at("offset")) : 0,
                        size = whole_number(json.at("bytes"));
    const auto mapped = open(file);
    if (mapped == nullptr) return;
    const std::uint64_t there = mapped->bytes().size();
    if (offset > there || size > there - offset) {
      diags_.error(folder_ + "/" + file, c.symbol, "is too short for the constant", std::to_string(there) + " bytes",
                   std::to_string(size) + " at " + std::to_string(offset));
      return;
    }
    c.bytes = Blob::map(mapped, offset, size);
    const std::uint64_t align = whole_number(json.at("align"));
    if (!std::has_single_bit(align) || align >> 32 != 0)
      diags_.error(tree_file(), c.symbol, "has an alignment that there is not", std::to_string(align),
                   "a power of two below 2^32");
    else
      c.align = static_cast<std::uint32_t>(align);
    if (json.contains("region")) c.region = checked(json.at("region"), kOneLine, "region");
    c.model_data = json.value("model_data", true);
    c.global = json.value("global", true);
    if (const auto element = read_dtype(json.value("element", "u8")))
      c.element = *element;
    else
      diags_.error(tree_file(), c.symbol, "has an unknown element type", json.value("element", "u8"));
    if (json.contains("xxh3_128")) check_identity(c, folder_ + "/" + file, json.at("xxh3_128"));
    m.constants.push_back(std::move(c));
  }

  void check_identity(const ConstantArtifact& c, const std::string& file, const std::string& expected) {
    Identity identity;
    if (!identify_blob(c.bytes, identity))
      diags_.error(file, c.symbol, "the constant cannot be read");
    else if (to_hex(identity) != expected)
      diags_.error(file, c.symbol, "the constant is not what was exported", to_hex(identity), expected);
  }

  // The object that came with a source, if that is what it was compiled from.
  void take_object(const Json& json, Module& m) {
    if (!json.contains("object") || m.compiled() == nullptr) return;
    const Json& object = json.at("object");
    if (object.at("made_of") == made_of(m, package_.tree, package_.target))
      m.compiled()->object = map(object.at("file"));
    else if (json.value("needs_other_headers", false))
      diags_.error(m.origin, m.name, "was changed, and needs headers that the folder does not hold to be compiled");
  }

  // Reads the object of link-time optimisation.
  void take_linked(const Json& json, const Positions& positions) {
    package_.tree.lto = true;
    if (!json.contains("object")) return;
    const Json& object = json.at("object");
    LinkedObject linked;
    const Json symbols = json.value("symbols", Json::object());
    for (const auto& [symbol, name] : symbols.items()) {
      const auto from = positions.find(name.get<std::string>());
      if (from == positions.end())
        diags_.error(tree_file(), symbol, "comes from a module that is not there", name.get<std::string>());
      else
        linked.defined.emplace(checked(symbol, kSymbolName, "lto"), from->second);
    }
    if (object.at("made_of") == all_made_of(package_.tree, package_.target)) {
      linked.bytes = map(object.at("file"));
      package_.tree.linked = std::move(linked);
    } else if (json.value("needs_other_headers", false)) {
      diags_.error(tree_file(), {}, "a source was changed, and one needs headers that the folder does not hold");
    }
  }

  // Called after the objects were compared, because they depend on the target as the folder has it.
  Result<void> trust_commands(std::optional<TargetSpec> named) {
    const std::uint64_t constants = constant_bytes(package_.tree);
    if (named) named = for_constants(std::move(*named), constants);
    auto target = with_trusted_commands(for_constants(package_.target, constants), named, tree_file(), diags_);
    if (!target) return failure;
    package_.target = std::move(*target);
    return {};
  }

  std::string folder_;
  Diagnostics& diags_;
  Package package_;
  std::map<std::string, std::shared_ptr<const MappedFile>> mapped_;
};

}  // namespace

Result<Package> read_folder(const std::string& given, const std::optional<TargetSpec>& named, Diagnostics& diags) {
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  try {
    return Reader(path, diags).run(named);
  } catch (const Json::exception& error) {
    return diags.error(path + "/" + kTreeFile, {}, "is no module tree of byoc", problem(error), "docs/formats.md");
  }
}

}  // namespace byoc
