#include "sdk/app/cli/contents.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sdk/base/page/json_page.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::cli {
namespace {

using Use = FileContents::Use;

constexpr std::array<std::pair<Use, const char*>, 5> kUses{{{Use::code, "code"},
                                                            {Use::read_only, "read-only"},
                                                            {Use::data, "data"},
                                                            {Use::zeroed, "zeroed"},
                                                            {Use::not_loaded, "not loaded"}}};

const char* name_of(Use use) { return kUses[static_cast<std::size_t>(use)].second; }

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string type_text(const IoTensor& t) {
  std::string out(to_string(t.dtype));
  out += "[";
  for (std::size_t i = 0; i < t.dims.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(t.dims[i]);
  return out + "]";
}

std::string model_text(const FileContents::Model& m) {
  const ModelInterface& i = m.interface;
  std::string out = "model " + i.prefix + " for " + m.target + ", workspace " + number(i.workspace_bytes) + ", ";
  for (const PoolWorkspace& w : i.further_workspaces) out += "in " + w.pool + " " + number(w.bytes) + ", ";
  out += "instance " + number(i.instance_bytes) + " bytes" + (i.instance_place ? " in " + i.instance_place->pool : "") +
         "\n";
  return out;
}

std::string tensors_text(const FileContents::Model& m) {
  std::string out;
  for (const auto& [what, list] : {std::pair("input", &m.interface.inputs), {"output", &m.interface.outputs}})
    for (const IoTensor& t : *list)
      out += std::string(what) + " " + t.name + ": " + type_text(t) + ", " + number(t.bytes) + " bytes\n";
  for (const FileContents::Constant& c : m.constants)
    out += "constant " + right(number(c.bytes), 10) + "  " + c.xxh3_128 + "  " + c.region + "  " + c.symbol + "\n";
  return out;
}

std::string modules_text(const std::vector<SharedLibrary::Module>& modules) {
  std::string out;
  for (const SharedLibrary::Module& n : modules) {
    out += "module " + n.name + ": " + n.kind;
    if (!n.loader.empty()) out += ", " + number(n.bytes) + " bytes for loader " + n.loader;
    out += "\n";
    for (const std::string& f : n.functions) out += "  function " + f + "\n";
    for (const std::uint32_t i : n.imports) out += "  imports " + modules[i].name + "\n";
  }
  return out;
}

std::string members_text(const FileContents& contents) {
  std::string out;
  for (const FileContents::Member& m : contents.members) {
    out += (m.name.empty() ? std::string("object") : "member " + m.name) + ": " + number(m.bytes) + " bytes, " +
           m.machine + "\n";
    for (const FileContents::Section& s : m.sections)
      if (s.bytes != 0 && s.use != Use::not_loaded)
        out += "  section " + right(number(s.bytes), 9) + "  " + name_of(s.use) + "  " + s.name + "\n";
    for (const FileContents::Symbol& s : m.symbols)
      out += "  defines " + right(number(s.bytes), 9) + "  " + (s.function ? "code" : "data") +
             (s.weak ? ", weak  " : "  ") + s.name + "\n";
    for (const std::string& s : m.undefined) out += "  needs " + s + "\n";
  }
  if (contents.members.empty()) return out;
  out += "all";
  for (const auto& [use, name] : kUses)
    out += std::string(use == Use::code ? " " : ", ") + name + " " + number(contents.total(use));
  return out + " bytes\n";
}

std::string storage_text(const MlfModule& m) {
  std::string out;
  for (const MlfModule::Storage& s : m.storage)
    out += "  storage " + number(s.id) + ": " + number(s.bytes) + " bytes" +
           (s.binding.empty() ? "" : ", " + s.binding) + "\n";
  for (const MlfModule::Function& f : m.functions)
    out += "  function " + f.name + ": workspace " + number(f.workspace_bytes) + " bytes\n";
  for (const MlfModule::Parameter& p : m.parameters)
    out += "  parameter " + p.name + ": " + p.type + ", " + number(p.bytes) + " bytes\n";
  return out;
}

Json storage_json(const MlfModule& m) {
  Json storage = Json::array(), functions = Json::array(), parameters = Json::array();
  for (const MlfModule::Storage& s : m.storage)
    storage.push_back({{"id", s.id}, {"bytes", s.bytes}, {"binding", s.binding}});
  for (const MlfModule::Function& f : m.functions)
    functions.push_back({{"name", f.name}, {"workspace_bytes", f.workspace_bytes}});
  for (const MlfModule::Parameter& p : m.parameters)
    parameters.push_back({{"name", p.name}, {"type", p.type}, {"bytes", p.bytes}});
  return {{"name", m.name},
          {"executors", m.executors},
          {"storage", storage},
          {"functions", functions},
          {"parameters", parameters}};
}

std::string archive_text(const MlfDocument& document) {
  std::string out = "Model Library Format " + number(document.version) + ", " + document.time + "\n";
  for (const MlfModule& m : document.modules) {
    out += "model " + m.name + ": " + m.style;
    for (const std::string& e : m.executors) out += ", " + e;
    out += ", workspace " + number(m.workspace_bytes) + ", inputs and outputs " + number(m.io_bytes) + ", constants " +
           number(m.constant_bytes) + " bytes\n";
    for (const std::string& t : m.targets) out += "  target " + t + "\n";
    out += storage_text(m);
    for (const auto& [name, list] : {std::pair("input", &m.inputs), std::pair("output", &m.outputs)})
      for (const MlfModule::Tensor& t : *list)
        out += std::string("  ") + name + " " + t.name + ": " + t.dtype + ", " + number(t.bytes) + " bytes\n";
  }
  for (const MlfFile& f : document.files) out += right(number(f.bytes), 10) + "  " + f.path + "\n";
  return out;
}

Json tensors_json(const std::vector<IoTensor>& tensors) {
  Json out = Json::array();
  for (const IoTensor& t : tensors)
    out.push_back(
        {{"name", t.name}, {"dtype", std::string(to_string(t.dtype))}, {"shape", t.dims}, {"bytes", t.bytes}});
  return out;
}

Json model_json(const FileContents::Model& m) {
  Json workspaces = Json::array(), constants = Json::array();
  for (const PoolWorkspace& w : m.interface.further_workspaces)
    workspaces.push_back({{"pool", w.pool}, {"bytes", w.bytes}});
  for (const FileContents::Constant& c : m.constants)
    constants.push_back(
        {{"symbol", c.symbol}, {"region", c.region}, {"bytes", c.bytes}, {"align", c.align}, {"xxh3_128", c.xxh3_128}});
  return {{"name", m.interface.prefix},
          {"target", m.target},
          {"inputs", tensors_json(m.interface.inputs)},
          {"outputs", tensors_json(m.interface.outputs)},
          {"workspace", m.interface.workspace_bytes},
          {"further_workspaces", workspaces},
          {"instance", m.interface.instance_bytes},
          {"constants", constants}};
}

Json member_json(const FileContents::Member& m) {
  Json sections = Json::array(), symbols = Json::array();
  for (const FileContents::Section& s : m.sections)
    sections.push_back({{"name", s.name}, {"bytes", s.bytes}, {"align", s.align}, {"use", name_of(s.use)}});
  for (const FileContents::Symbol& s : m.symbols)
    symbols.push_back(
        {{"name", s.name}, {"section", s.section}, {"bytes", s.bytes}, {"function", s.function}, {"weak", s.weak}});
  return {{"name", m.name},       {"bytes", m.bytes},   {"machine", m.machine},
          {"sections", sections}, {"symbols", symbols}, {"undefined", m.undefined}};
}

Json modules_json(const std::vector<SharedLibrary::Module>& modules) {
  Json out = Json::array();
  for (const SharedLibrary::Module& n : modules) {
    Json imports = Json::array();
    for (const std::uint32_t i : n.imports) imports.push_back(modules[i].name);
    out.push_back({{"name", n.name}, {"kind", n.kind}, {"imports", imports}, {"functions", n.functions}});
    if (!n.loader.empty()) out.back().update({{"loader", n.loader}, {"bytes", n.bytes}});
  }
  return out;
}

Json describe(const FileContents& contents) {
  Json models = Json::array(), members = Json::array(), memory = Json::object(), files = Json::array();
  for (const FileContents::Model& m : contents.models) models.push_back(model_json(m));
  for (const FileContents::Member& m : contents.members) members.push_back(member_json(m));
  for (const auto& [use, name] : kUses) memory[name] = contents.total(use);
  for (const MlfDocument& d : contents.archive)
    for (const MlfFile& f : d.files) files.push_back({{"path", f.path}, {"bytes", f.bytes}});
  Json out = {{"format", 1},
              {"kind", contents.kind},
              {"bytes", contents.bytes},
              {"models", models},
              {"modules", modules_json(contents.modules)},
              {"memory", memory},
              {"members", members}};
  if (!contents.archive.empty()) {
    const MlfDocument& d = contents.archive.front();
    out["model_library_format"] = d.version;
    out["files"] = files;
    out["model_library"] = Json::array();
    for (const MlfModule& m : d.modules) out["model_library"].push_back(storage_json(m));
  }
  return out;
}

}  // namespace

std::string contents_text(const FileContents& contents) {
  std::string out;
  if (!contents.archive.empty())
    out += archive_text(contents.archive.front());
  else
    for (const FileContents::Model& m : contents.models) out += model_text(m);
  out += modules_text(contents.modules);
  for (const FileContents::Model& m : contents.models) out += tensors_text(m);
  return out + members_text(contents);
}

std::string contents_json(const FileContents& contents) {
  // Names in files of others may be any bytes.
  return ascii_json_text(describe(contents), 2) + "\n";
}

std::string contents_page(const FileContents& contents, const std::string& title) {
  page::Page page(title, contents.kind);
  Json shown = describe(contents);
  for (const char* told : {"format", "kind"}) shown.erase(told);  // of the JSON form, and below the title
  page::add_json(shown, page);
  return page.html();
}

}  // namespace byoc::cli
