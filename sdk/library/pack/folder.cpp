#include "sdk/library/pack/folder.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/pack/folder_files.hpp"
#include "sdk/library/pack/format_version.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/target_json.hpp"

namespace byoc {
namespace {

class FolderWriter {
 public:
  FolderWriter(const Package& package, std::string path, OutputSet& out, Diagnostics& diags)
      : package_(package), path_(std::move(path)), out_(out), diags_(diags) {}

  Result<void> run(const std::string& name) {
    const std::size_t before = diags_.count();
    for (const auto& [file, text] : build_files(package_, name)) add_text(file, text);
    for (const auto& [header, text] : package_.tree.headers) {
      if (!is_plain_path(header))
        return diags_.error({}, header, "a header cannot be written into a folder by this name");
      add_text(header_path(package_, header), text);
    }
    add_model();
    for (const Module& m : package_.tree.modules)
      if (const std::string file = module_path(m); !file.empty())
        add(file, [&](int fd) { return write_blob(fd, m.bytes); });
    for (const LibraryMember& m : package_.members) add_member(m);
    if (diags_.count() != before) return failure;
    add_text(kTreeFile, tree());
    return diags_.count() == before ? Result<void>() : failure;
  }

 private:
  void add(const std::string& file, const std::function<bool(int fd)>& write) {
    if (!names_.insert(file).second)
      diags_.error({}, file, "two files of the folder have this name");
    else
      (void)bool(out_.add(path_ + "/" + file, write));
  }
  void add_text(const std::string& file, const std::string& text) {
    add(file, [&](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
  }

  void add_model() {
    if (package_.prefix.empty()) return;
    files_["header"] = header_path(package_, package_.header_name);
    files_["manifest"] = package_.prefix + ".json";
    files_["example"] = package_.prefix + "_example_main.c";
    add_text(package_.prefix + ".json",
             package_.description ? write_manifest(*package_.description) : std::string(kEmptyManifest));
    add_text(package_.prefix + "_example_main.c", package_.example_main);
  }

  void add_member(const LibraryMember& m) {
    const Module& module = package_.tree.modules[m.module];
    if (!m.constants.empty()) {
      auto constants = constants_of(m, package_.target, diags_);
      if (!constants) return;
      add(member_path(m), [&](int fd) { return constants->write(fd); });
      for (const ConstantObject::Place& p : constants->places()) places_[p.symbol] = {member_path(m), p.offset};
    } else if (!m.object.empty() && (module.kind() != ModuleKind::object || member_path(m) != module_path(module))) {
      add(member_path(m), [&](int fd) { return write_all(fd, m.object); });
    }
  }

  std::string tree() const {
    Json out;
    out["format"] = kTreeFormat.newest();
    out["byoc"] = BYOC_VERSION;
    out["prefix"] = package_.prefix;
    out["target"] = target_json(package_.target);
    if (!files_.empty()) out["files"] = files_;
    if (!package_.link_libraries.empty()) out["link_libraries"] = package_.link_libraries;
    out["headers"] = Json::object();
    for (const auto& [name, text] : package_.tree.headers) out["headers"][name] = header_path(package_, name);
    out["modules"] = Json::array();
    for (std::size_t i = 0; i < package_.tree.modules.size(); ++i) out["modules"].push_back(module_json(i));
    if (package_.tree.lto) out["lto"] = linked_json();
    return json_text(out, 2) + "\n";
  }

  Json linked_json() const {
    Json out = Json::object();
    for (const LibraryMember& m : package_.members) {
      if (!m.linked) continue;
      out["object"] = {{"file", member_path(m)}, {"made_of", all_made_of(package_.tree, package_.target)}};
      for (const auto& [symbol, from] : *m.linked) out["symbols"][symbol] = package_.tree.modules[from].name;
    }
    const auto& all = package_.tree.modules;
    if (std::any_of(all.begin(), all.end(), [](const Module& m) { return m.c() != nullptr && !stands_alone(m); }))
      out["needs_other_headers"] = true;
    return out;
  }

  Json module_json(std::size_t index) const {
    const Module& m = package_.tree.modules[index];
    Json out = {{"name", m.name}, {"kind", to_string(m.kind())}};
    if (const std::string file = module_path(m); !file.empty()) out["file"] = file;
    const auto text = [&](const char* key, const std::string& value) {
      if (!value.empty()) out[key] = value;
    };
    text("codegen", m.codegen);
    text("loader", m.loader());
    text("opt_level", m.opt_level());
    if (const CCode* const c = m.c()) {
      text("standard", c->standard);
      if (c->language != "c") out["language"] = c->language;
      if (!c->flags.empty()) out["flags"] = c->flags;
      if (!stands_alone(m)) out["needs_other_headers"] = true;
    }
    if (m.target) out["target"] = target_json(*m.target);
    if (m.for_loaders) out["for_loaders"] = true;
    for (const Symbol& s : m.symbols)
      out["symbols"].push_back({{"name", s.name}, {"kind", s.function ? "function" : "data"}});
    for (const std::size_t i : m.imports) out["imports"].push_back(package_.tree.modules[i].name);
    if (m.compiled() != nullptr)
      for (const LibraryMember& member : package_.members)
        if (member.module == index && !member.object.empty() && !member.linked)
          out["object"] = {{"file", member_path(member)}, {"made_of", made_of(m, package_.tree, package_.target)}};
    for (const ConstantArtifact& c : m.constants) out["constants"].push_back(constant_json(c));
    return out;
  }

  [[nodiscard]] Json constant_json(const ConstantArtifact& c) const {
    const auto place = places_.find(c.symbol);
    if (place == places_.end()) {
      diags_.error({}, c.symbol, "the constant is in no object of the library");
      return {};
    }
    const auto& [file, offset] = place->second;
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
  std::string path_;
  OutputSet& out_;
  Diagnostics& diags_;
  std::set<std::string> names_;
  std::map<std::string, std::string> files_;
  std::map<std::string, std::pair<std::string, std::uint64_t>> places_;  // of constants: file and offset
};

}  // namespace

Result<void> add_folder(const Package& package, const std::string& path, OutputSet& files, Diagnostics& diags) {
  if (!files.add_folder(path, kTreeFile)) return failure;
  // A tree without a model is named after its first file, without its suffix.
  const std::string& root = package.tree.modules.front().name;
  const std::string name = package.prefix.empty() ? root.substr(0, root.rfind('.')) : package.prefix;
  return FolderWriter(package, path, files, diags).run(name);
}

}  // namespace byoc
