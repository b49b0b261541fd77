#include "sdk/pack/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/module/target.hpp"
#include "sdk/object/blob_stream.hpp"
#include "sdk/object/constant_object.hpp"
#include "sdk/pack/folder_files.hpp"
#include "sdk/pack/format_version.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/identity.hpp"
#include "sdk/support/output_directory.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr JsonFormat kFormat{"module tree", {}};

bool inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() && std::none_of(path.begin(), path.end(), [](const fs::path& part) {
    return part == ".." || part == "." || part.empty();
  });
}

class Writer {
 public:
  Writer(const Package& package, OutputDirectory& out, Diagnostics& diags)
      : package_(package), out_(out), diags_(diags) {}

  Result<void> run(const std::string& name) {
    const std::size_t before = diags_.all().size();
    for (const auto& [file, text] : build_files(package_, name)) add_text(file, text);
    for (const auto& [header, text] : package_.tree.headers) {
      if (!inside(header)) return diags_.error({}, header, "a header cannot be written into a folder by this name");
      add_text(header_path(package_, header), text);
    }
    add_model();
    for (const Module& m : package_.tree.modules)
      if (const std::string file = module_path(m); !file.empty())
        add(file, [&](int fd) { return write_blob(fd, m.bytes); });
    for (const LibraryMember& m : package_.members) add_member(m);
    add_text(kTreeFile, tree());
    return diags_.all().size() == before ? Result<void>() : failure;
  }

 private:
  void add(const std::string& file, const std::function<bool(int fd)>& write) {
    if (!names_.insert(file).second)
      diags_.error({}, file, "two files of the folder have this name");
    else
      (void)bool(out_.add(file, write));
  }
  void add_text(const std::string& file, const std::string& text) {
    add(file, [&](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
  }

  void add_model() {
    if (package_.prefix.empty()) return;
    files_["header"] = header_path(package_, package_.header_name);
    files_["manifest"] = package_.prefix + ".json";
    files_["example"] = package_.prefix + "_example_main.c";
    add_text(package_.prefix + ".json", package_.manifest);
    add_text(package_.prefix + "_example_main.c", package_.example_main);
  }

  void add_member(const LibraryMember& m) {
    const Module& module = package_.tree.modules[m.module];
    if (!m.constants.empty()) {
      auto constants = constants_of(m, package_.target, diags_);
      if (!constants) return;
      add(member_path(m), [&](int fd) { return constants->write(fd); });
      for (const ConstantObject::Place& p : constants->places()) places_[p.symbol] = {member_path(m), p.offset};
    } else if (module.kind != ModuleKind::object || member_path(m) != module_path(module)) {
      add(member_path(m), [&](int fd) { return write_all(fd, m.object); });
    }
  }

  std::string tree() const {
    Json out;
    out["format"] = kFormat.newest();
    out["byoc"] = BYOC_VERSION;
    out["prefix"] = package_.prefix;
    out["target"] = Json::parse(write_target(package_.target));
    if (!files_.empty()) out["files"] = files_;
    if (!package_.link_libraries.empty()) out["link_libraries"] = package_.link_libraries;
    out["headers"] = Json::object();
    for (const auto& [name, text] : package_.tree.headers) out["headers"][name] = header_path(package_, name);
    out["modules"] = Json::array();
    for (std::size_t i = 0; i < package_.tree.modules.size(); ++i) out["modules"].push_back(module_json(i));
    if (package_.tree.lto) out["lto"] = linked_json();
    return out.dump(2) + "\n";
  }

  Json linked_json() const {
    Json out = Json::object();
    for (const LibraryMember& m : package_.members) {
      if (!m.linked) continue;
      out["object"] = {{"file", member_path(m)}, {"made_of", all_made_of(package_.tree, package_.target)}};
      for (const auto& [symbol, from] : *m.linked) out["symbols"][symbol] = package_.tree.modules[from].name;
    }
    const auto& all = package_.tree.modules;
    if (std::any_of(all.begin(), all.end(),
                    [](const Module& m) { return m.kind == ModuleKind::c && !stands_alone(m); }))
      out["needs_other_headers"] = true;
    return out;
  }

  Json module_json(std::size_t index) const {
    const Module& m = package_.tree.modules[index];
    Json out = {{"name", m.name}, {"kind", to_string(m.kind)}};
    if (const std::string file = module_path(m); !file.empty()) out["file"] = file;
    const auto text = [&](const char* key, const std::string& value) {
      if (!value.empty()) out[key] = value;
    };
    text("codegen", m.codegen);
    text("loader", m.loader);
    text("opt_level", m.opt_level);
    text("standard", m.standard);
    if (m.kind == ModuleKind::c && !stands_alone(m)) out["needs_other_headers"] = true;
    if (m.target) out["target"] = Json::parse(write_target(*m.target));
    if (m.for_loaders) out["for_loaders"] = true;
    for (const Symbol& s : m.symbols)
      out["symbols"].push_back({{"name", s.name}, {"kind", s.function ? "function" : "data"}});
    for (const std::size_t i : m.imports) out["imports"].push_back(package_.tree.modules[i].name);
    if (m.kind == ModuleKind::c || m.kind == ModuleKind::llvm)
      for (const LibraryMember& member : package_.members)
        if (member.module == index && member.constants.empty() && !member.linked)
          out["object"] = {{"file", member_path(member)}, {"made_of", made_of(m, package_.tree, package_.target)}};
    for (const ConstantArtifact& c : m.constants) out["constants"].push_back(constant_json(c));
    return out;
  }

  Json constant_json(const ConstantArtifact& c) const {
    const auto& [file, offset] = places_.at(c.symbol);
    Identity identity;
    if (!identify_blob(c.bytes, identity)) diags_.error(file, c.symbol, "the constant cannot be read");
    return {{"symbol", c.symbol},
            {"file", file},
            {"offset", offset},
            {"bytes", c.bytes.size()},
            {"align", c.align},
            {"region", c.region},
            {"element", to_string(c.element)},
            {"model_data", c.model_data},
            {"global", c.global},
            {"xxh3_128", to_hex(identity)}};
  }

  const Package& package_;
  OutputDirectory& out_;
  Diagnostics& diags_;
  std::set<std::string> names_;
  std::map<std::string, std::string> files_;
  std::map<std::string, std::pair<std::string, std::uint64_t>> places_;  // of constants: file and offset
};

class Reader {
 public:
  Reader(std::string folder, Diagnostics& diags) : folder_(std::move(folder)), diags_(diags) {}

  // Throws what nlohmann throws where a field is missing or of another type.
  Result<Package> run(Json json) {
    const std::size_t before = diags_.all().size();
    if (!bring_up_to_date(json, kFormat, tree_file(), diags_)) return failure;
    auto target = parse_target(json.at("target").dump(), tree_file(), diags_);
    if (!target) return failure;
    package_.target = std::move(*target);
    package_.prefix = json.value("prefix", "");
    package_.link_libraries = json.value("link_libraries", std::vector<std::string>());
    const Json headers = json.value("headers", Json::object());
    for (const auto& [name, file] : headers.items()) package_.tree.headers[name] = read(file);
    if (json.contains("files")) read_model(json.at("files"));
    std::map<std::string, std::size_t> positions;
    for (const Json& m : json.at("modules")) positions.emplace(m.at("name"), positions.size());
    for (const Json& m : json.at("modules")) package_.tree.modules.push_back(module_of(m, positions));
    if (diags_.all().size() != before) return failure;
    for (std::size_t i = 0; i < package_.tree.modules.size(); ++i)
      take_object(json.at("modules")[i], package_.tree.modules[i]);
    if (json.contains("lto")) take_linked(json.at("lto"), positions);
    if (diags_.all().size() != before || !check_tree(package_.tree, diags_)) return failure;
    return std::move(package_);
  }

 private:
  [[nodiscard]] std::string tree_file() const { return folder_ + "/" + kTreeFile; }

  // The path of a file of the folder; "" after an error.
  std::string path_of(const std::string& file) {
    if (inside(file)) return folder_ + "/" + file;
    diags_.error(tree_file(), file, "names a file outside the folder");
    return {};
  }

  std::string read(const std::string& file) {
    const std::string path = path_of(file);
    if (path.empty()) return {};
    auto text = read_text(path, diags_);
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
    return mapped;
  }

  void read_model(const Json& files) {
    package_.header = read(files.at("header"));
    package_.header_name = package_.prefix + ".h";
    package_.manifest = read(files.at("manifest"));
    package_.example_main = read(files.at("example"));
  }

  Module module_of(const Json& json, const std::map<std::string, std::size_t>& positions) {
    Module m;
    m.name = json.at("name");
    m.origin = folder_ + "/" + json.value("file", m.name);
    const std::string kind = json.at("kind");
    bool known = false;
    for (const ModuleKind k : {ModuleKind::c, ModuleKind::llvm, ModuleKind::object, ModuleKind::constants,
                               ModuleKind::static_library, ModuleKind::blob, ModuleKind::opaque}) {
      if (to_string(k) != kind) continue;
      m.kind = k;
      known = true;
    }
    if (!known) diags_.error(tree_file(), m.name, "a module of an unknown kind", kind);
    if (m.kind != ModuleKind::constants) m.bytes = map(json.at("file"));
    m.codegen = json.value("codegen", "");
    m.loader = json.value("loader", "");
    m.opt_level = json.value("opt_level", "");
    m.standard = json.value("standard", "");
    m.for_loaders = json.value("for_loaders", false);
    if (json.contains("target")) {
      auto target = parse_target(json.at("target").dump(), tree_file(), diags_);
      if (target) m.target = std::move(*target);
    }
    for (const Json& s : json.value("symbols", Json::array()))
      m.symbols.push_back({s.at("name"), s.at("kind") == "function"});
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

  void read_constant(const Json& json, Module& m) {
    ConstantArtifact c;
    c.symbol = json.at("symbol");
    const std::string file = json.at("file");
    const auto offset = json.value("offset", std::uint64_t{0}), size = json.at("bytes").get<std::uint64_t>();
    const auto mapped = open(file);
    if (mapped == nullptr) return;
    const std::uint64_t there = mapped->bytes().size();
    if (offset > there || size > there - offset) {
      diags_.error(folder_ + "/" + file, c.symbol, "is too short for the constant", std::to_string(there) + " bytes",
                   std::to_string(size) + " at " + std::to_string(offset));
      return;
    }
    c.bytes = Blob::map(mapped, offset, size);
    c.align = json.at("align").get<std::uint32_t>();
    c.region = json.value("region", "flash");
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
    if (!json.contains("object")) return;
    const Json& object = json.at("object");
    if (object.at("made_of") == made_of(m, package_.tree, package_.target))
      m.object = map(object.at("file"));
    else if (json.value("needs_other_headers", false))
      diags_.error(m.origin, m.name, "was changed, and needs headers that the folder does not hold to be compiled");
  }

  // The same for the object of link-time optimisation.
  void take_linked(const Json& json, const std::map<std::string, std::size_t>& positions) {
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
        linked.defined.emplace(symbol, from->second);
    }
    if (object.at("made_of") == all_made_of(package_.tree, package_.target)) {
      linked.bytes = map(object.at("file"));
      package_.tree.linked = std::move(linked);
    } else if (json.value("needs_other_headers", false)) {
      diags_.error(tree_file(), {}, "a source was changed, and one needs headers that the folder does not hold");
    }
  }

  std::string folder_;
  Diagnostics& diags_;
  Package package_;
  std::map<std::string, std::shared_ptr<const MappedFile>> mapped_;
};

}  // namespace

Result<void> write_folder(const Package& package, const std::string& path, Diagnostics& diags) {
  auto out = OutputDirectory::create(path, kTreeFile, diags);
  if (!out) return failure;
  const std::string name = package.prefix.empty() ? package.tree.modules.front().name : package.prefix;
  if (!Writer(package, *out, diags).run(name)) return failure;
  return out->commit();
}

Result<Package> read_folder(const std::string& given, Diagnostics& diags) {
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  auto text = read_text(path + "/" + kTreeFile, diags);
  if (!text) return failure;
  try {
    return Reader(path, diags).run(Json::parse(*text));
  } catch (const Json::exception& error) {
    return diags.error(path + "/" + kTreeFile, {}, "is no module tree of byoc", error.what(), "docs/formats.md");
  }
}

}  // namespace byoc
