#include <algorithm>
#include <cassert>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/library/object/portable_constants.hpp"
#include "sdk/library/pack/bills/bill.hpp"
#include "sdk/library/pack/folder_files.hpp"
#include "sdk/library/pack/forms/form_parts.hpp"
#include "sdk/library/pack/source_date.hpp"
#include "sdk/library/pack/templates.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::forms {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMarker = ".byoc-package.json";  // by which a folder is known

std::string base64url(std::string_view hex) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0, value = 0;
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (const char c : hex) {
    value = (value << 4 | digit(c)) & 0xffff;
    for (bits += 4; bits >= 6; bits -= 6) out += kDigits[value >> (bits - 6) & 63];
  }
  if (bits > 0) out += kDigits[value << (6 - bits) & 63];
  return out;
}

// The terms of what byoc adds to the models: its own, and those that codegens state for their code.
std::string licence_text(std::span<const Variant> variants) {
  std::string out(licence_files().front().second);
  std::set<std::string> said;
  for (const Variant& v : variants)
    for (const Package& p : v.models)
      for (const Licence& l : p.description->licences) {
        const std::string one = "\n\nCode of codegen '" + l.codegen + "': " + l.spdx + "\n\n" + l.text;
        if (said.insert(one).second) out += one;
      }
  return out;
}

std::string words_of(std::istringstream& line, std::vector<std::string>& words) {
  words.clear();
  for (std::string w; line >> w;) words.push_back(w);
  return words.empty() ? "" : words[0];
}

// Makes every file of a package in a folder of its own.
class Stage {
 public:
  Stage(const FormRequest& request, std::span<const Variant> variants, std::string folder, Diagnostics& diags)
      : request_(request),
        variants_(variants),
        folder_(std::move(folder)),
        scope_(scope_of(request, variants)),
        diags_(diags) {}

  Result<std::vector<StagedFile>> run() {
    const std::string files = render(form_templates(), template_file("layout"), {&scope_});
    tell_fallback();
    std::istringstream layout(files);
    std::vector<std::string> words;
    std::string record;
    for (std::string text; std::getline(layout, text);) {
      std::istringstream line(text);
      const std::string kind = words_of(line, words);
      if (kind == "record")
        record = words.at(1);
      else if (!kind.empty() && !add(kind, words))
        return failure;
    }
    const auto sort = [&] {
      std::sort(files_.begin(), files_.end(), [](const StagedFile& a, const StagedFile& b) { return a.path < b.path; });
    };
    sort();
    if (!add_bills()) return failure;
    sort();
    if (!record.empty() && !add_text(record, record_text(record))) return failure;
    for (std::size_t i = 1; i < files_.size(); ++i)
      if (files_[i].path == files_[i - 1].path)
        return diags_.error(request_.out, files_[i].path, "two files of the package have this name");
    return files_;
  }

 private:
  // "every/..." is no form's own.
  [[nodiscard]] std::string template_file(const std::string& name) const {
    return name.find('/') == std::string::npos ? std::string(request_.form.name) + "/" + name : name;
  }
  [[nodiscard]] std::size_t variant_of(const std::string& target) const {
    std::size_t i = 0;
    while (variants_[i].target().name != target) ++i;
    return i;
  }
  static std::size_t model_of(const Variant& v, const std::string& prefix) {
    std::size_t i = 0;
    while (v.models[i].prefix != prefix) ++i;
    return i;
  }

  Result<void> add(const std::string& kind, const std::vector<std::string>& words) {
    if (kind == "text") return add_template(words);
    const std::string& path = words.at(1);
    if (kind == "licence") return add_text(path, licence_text(variants_));
    const Variant& v = variants_[variant_of(words.at(2))];
    if (kind == "library") return add_library(path, v);
    if (kind == "sources") return add_sources(path, v);
    const Package& p = v.models[model_of(v, words.at(3))];
    if (kind == "shared") return add_shared(path, p);
    if (kind == "header") return add_text(path, p.header);
    if (kind == "example") return add_text(path, p.example_main);
    if (kind == "bills") {
      bills_.push_back({path, &p});
      return {};
    }
    assert(kind == "manifest");
    return add_text(path, write_manifest(*p.description));
  }

  Result<void> add_template(const std::vector<std::string>& words) {
    std::vector<const Scope*> scopes{&scope_};
    if (words.size() > 3) {
      const std::size_t target = variant_of(words[3]);
      scopes.push_back(&scope_.lists.at("targets")[target]);
      if (words.size() > 4) scopes.push_back(&scopes.back()->lists.at("models")[model_of(variants_[target], words[4])]);
    }
    return add_text(words.at(2), render(form_templates(), template_file(words.at(1)), scopes));
  }

  void tell_fallback() {
    const std::string why = why_no_fallback(variants_);
    if (!request_.form.sources || !scope_.lists.at("fallback").empty() || why.empty()) return;
    diags_.warning(request_.out, "--as " + std::string(request_.form.name),
                   "there are no sources for other boards in it, for not all code is C", why,
                   "folders that byoc export --prefer c wrote");
  }

  // Each lists all files of the package but bills.
  Result<void> add_bills() {
    BillRequest request;
    if (const auto forms = request_.about.find("sbom"); forms != request_.about.end()) {
      std::istringstream list(forms->second);
      for (std::string form; std::getline(list, form, ',');) request.forms.push_back(form);
    }
    if (request.forms.empty()) return {};
    if (const auto licence = request_.about.find("model_licence"); licence != request_.about.end())
      request.model_licence = licence->second;
    std::vector<BilledFile> billed;
    for (const StagedFile& f : files_) billed.push_back({f.path, f.from});
    for (const auto& [folder, package] : bills_) {
      const auto bills = make_bills(*package, billed, request, diags_);
      if (!bills) return failure;
      for (const auto& [suffix, text] : *bills)
        if (!add_text(folder + "/" + package->prefix + suffix, text)) return failure;
    }
    return {};
  }

  // A place for the file `path` of the package.
  std::string place() { return folder_ + "/" + std::to_string(count_++); }

  Result<void> add_text(const std::string& path, const std::string& text) {
    const std::string from = place();
    OutputSet files(diags_);
    if (!files.add(from, text)) return failure;
    files_.push_back({path, from});
    return files.commit();
  }

  Result<void> add_library(const std::string& path, const Variant& v) {
    const std::string from = own_folder();
    files_.push_back({path, from + "/library.a"});
    return from.empty() ? failure : write_packages(v.models, from + "/library.a", diags_);
  }
  Result<void> add_shared(const std::string& path, const Package& p) {
    const std::string from = own_folder(), name = fs::path(path).filename().string();
    files_.push_back({path, from + "/" + name});
    return from.empty() ? failure : write_package(p, from + "/" + name, diags_);
  }
  std::string own_folder() {
    std::string path = place();
    OutputSet folders(diags_);
    return folders.make_folders(path) && folders.commit() ? path : std::string();
  }

  // A kernel that models share is there once: its file has the same name, and the same content.
  Result<void> add_sources(const std::string& folder, const Variant& v) {
    std::map<std::string, std::string> texts;
    for (const Package& p : v.models) {
      for (const auto& [name, text] : p.tree.headers) texts[name] = text;
      texts[p.header_name] = "#define " + upper_case(p.prefix) + "_ANY_TARGET /* these are sources */\n" + p.header;
      for (const LibraryMember& m : p.members) {
        const Module& module = p.tree.modules[m.module];
        if (module.for_loaders) continue;
        if (m.constants.empty()) {
          const auto bytes = module.bytes.bytes();
          texts[file_name(module)] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
          continue;
        }
        auto constants = portable_constants(m.constants, p.prefix + "_internal.h", diags_);
        if (!constants) return failure;
        texts[p.prefix + "_constants.c"] = std::move(*constants);
      }
    }
    for (const auto& [name, text] : texts)
      if (!add_text(folder + "/" + name, text)) return failure;
    return {};
  }

  [[nodiscard]] std::string record_text(const std::string& record) const {
    std::string out;
    for (const StagedFile& f : files_)
      out +=
          f.path + ",sha256=" + base64url(sha256_of_file(f.from)) + "," + std::to_string(fs::file_size(f.from)) + "\n";
    return out + record + ",,\n";
  }

  const FormRequest& request_;
  std::span<const Variant> variants_;
  std::string folder_;
  Scope scope_;
  Diagnostics& diags_;
  std::vector<StagedFile> files_;
  std::vector<std::pair<std::string, const Package*>> bills_;  // in which folder
  std::size_t count_ = 0;
};

std::string marker_text(const FormRequest& request, const std::vector<StagedFile>& files) {
  Json out{{"form", request.form.name}, {"byoc", BYOC_VERSION}, {"sha256", Json::object()}};
  for (const StagedFile& f : files) out["sha256"][f.path] = sha256_of_file(f.from);
  return json_text(out, 2) + "\n";
}

Result<void> add_folder(const FormRequest& request, const std::vector<StagedFile>& staged, OutputSet& files,
                        Diagnostics& diags) {
  if (!files.add_folder(request.out, kMarker) || !files.add(request.out + "/" + kMarker, marker_text(request, staged)))
    return failure;
  for (const StagedFile& f : staged) {
    const auto mapped = MappedFile::open(f.from, diags);
    if (!mapped) return failure;
    const Blob blob = Blob::map(*mapped, 0, (*mapped)->bytes().size());
    if (!files.add(request.out + "/" + f.path, [&](int fd) { return write_blob(fd, blob); })) return failure;
  }
  return {};
}

}  // namespace

OutputName form_output(const FormRequest& request) { return {request.out, is_archive(request) ? "" : kMarker, true}; }

Result<void> write_form(const FormRequest& request, std::span<const Variant> variants, Durability durability,
                        Diagnostics& diags) {
  const auto time = source_date(diags);
  const auto folder = time ? TemporaryDirectory::create(diags) : Result<TemporaryDirectory>(failure);
  if (!folder) return failure;
  const auto staged = Stage(request, variants, folder->path(), diags).run();
  if (!staged) return failure;
  std::vector<FileStamp> inputs;
  for (const Variant& v : variants)
    for (const Package& p : v.models) inputs.insert(inputs.end(), p.tree.inputs.begin(), p.tree.inputs.end());
  OutputSet files(diags, std::move(inputs));
  if (!files.make_folder_of(request.out)) return failure;
  if (is_archive(request)) {
    const std::string name = archive_name(request, variants);
    if (!name.empty() && fs::path(request.out).filename() != name)
      diags.warning(request.out, {}, "what installs packages of this form wants another name of the file", {}, name);
    std::string root(request.form.root);
    if (const std::size_t at = root.find("@name@"); at != std::string::npos)
      root.replace(at, 6, complete(request.about, variants).at("name"));
    if (!files.add(request.out, [&](int fd) { return write_archive(fd, request.form.archive, root, *staged, *time); }))
      return failure;
  } else if (!add_folder(request, *staged, files, diags)) {
    return failure;
  }
  return files.commit(durability);
}

}  // namespace byoc::forms
