#include "sdk/library/pack/model_library.hpp"

#include <algorithm>
#include <ctime>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/object/constant_source.hpp"
#include "sdk/library/pack/folder_files.hpp"
#include "sdk/library/pack/loader_part.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_interface.hpp"
#include "sdk/library/pack/source_date.hpp"
#include "sdk/library/pack/tar.hpp"
#include "sdk/library/pack/templates.hpp"
#include "sdk/program/graphjson/graph_json.hpp"
#include "sdk/target/module/import_tree.hpp"
#include "sdk/target/target/cores.hpp"
#include "sdk/target/target/target_json.hpp"

namespace byoc {
namespace {

constexpr int kVersion = 7;
constexpr int kCpu = 1;  // DLPack's device type

struct Entry {
  std::string path;
  std::string text;
  const std::vector<std::byte>* object = nullptr;        // in place of text
  std::shared_ptr<const ConstantObject> constants = {};  // in place of both
};

// "i8" -> "int8"; what numpy does not have is called as in the package ml_dtypes, as its users know it.
std::string numpy_type(const std::string& dtype) {
  if (dtype == "bf16") return "bfloat16";
  if (dtype == "f8e8m0") return "float8_e8m0fnu";
  if (dtype == "f4e2m1") return "float4_e2m1fn";
  if (dtype.starts_with("f8")) return "float8_" + dtype.substr(2);
  if (dtype.size() < 2 || dtype == "bool") return dtype;
  const std::string bits = dtype.substr(1);
  return (dtype[0] == 'f' ? "float" : dtype[0] == 'u' ? "uint" : "int") + bits;
}

std::string time_text(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%SZ", &utc)};
}

class MlfWriter {
 public:
  MlfWriter(MlfFlavour flavour, std::uint64_t time, std::deque<std::vector<std::byte>>& made, Diagnostics& diags)
      : flavour_(flavour), time_(time), diags_(diags), made_(made) {}

  Result<std::vector<Entry>> run(std::span<const Package> packages) {
    const std::size_t before = diags_.count();
    std::map<std::string, std::string> names;
    SortedJson modules = SortedJson::object();
    for (const Package& p : packages) {
      const std::string name = p.prefix.empty() ? to_identifier(p.tree.modules.at(0).name) : p.prefix;
      const auto [other, is_new] = names.emplace(lower_case(name), name);
      if (!is_new)
        diags_.error({}, name, "two models of one library have this name", name + " and " + other->second,
                     "names that differ in more than upper and lower case");
      modules[name] = add_package(p, name);
    }
    if (diags_.count() != before) return failure;
    // Templates for consumers that build a runtime of TVM's beside the models.
    for (const std::string file : {"crt_config.h.template", "platform.c.template"})
      entries_.push_back({"./templates/" + file, fill_template(pack_templates(), file + ".in", {})});
    const SortedJson metadata = {{"version", kVersion}, {"modules", modules}};
    entries_.push_back({"./metadata.json", json_text(metadata, 2) + "\n"});
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return std::move(entries_);
  }

 private:
  SortedJson add_package(const Package& p, const std::string& name) {
    SortedJson own = {{"format", 1}, {"target_spec", SortedJson(target_json(p.target))}};
    if (p.description) own["manifest"] = SortedJson(manifest_json(*p.description));
    own["sources"] = SortedJson::array();
    own["objects"] = SortedJson::array();
    std::set<std::string> shared;
    if (p.description) shared = {p.description->shared_kernels.begin(), p.description->shared_kernels.end()};
    std::size_t sources = 0, objects = 0;
    std::set<std::size_t> compiled;  // members of which there is the source
    for (std::size_t i = 0; i < p.members.size(); ++i) {
      const LibraryMember& m = p.members[i];
      const Module& module = p.tree.modules[m.module];
      if (module.for_loaders) continue;
      const bool is_source =
          flavour_ == MlfFlavour::source && (compiled_from_one_source(m, module) || can_be_c(m, p.target));
      if (shared.contains(module.name) && !kernels_.insert(module.name).second) continue;
      const std::string path = is_source ? source_path(name, sources)
                                         : "./codegen/host/lib/" + name + "_lib" + std::to_string(objects++) + ".o";
      SortedJson what = {{"file", path.substr(2)}, {"module", module.name}};
      if (!module.codegen.empty()) what["codegen"] = module.codegen;
      if (is_source && m.constants.empty()) what["opt_level"] = module.opt_level().empty() ? "2" : module.opt_level();
      own[is_source ? "sources" : "objects"].push_back(what);
      if (is_source) compiled.insert(i);
      add_member(p, m, module, path, is_source);
    }
    if (is_loadable(p.target)) own["loader"] = add_loader(p, name, compiled);
    if (flavour_ == MlfFlavour::source) {
      for (const auto& [header, text] : p.tree.headers)
        if (header != kStepsHeader) add_header(header, text);
    }
    if (flavour_ != MlfFlavour::source && !p.header.empty()) add_header(p.header_name, p.header);
    if (!p.prefix.empty()) add_interface(p, name, sources, own);
    const std::string_view graph = opaque_text(p, kGraphLoader), params = opaque_text(p, kParamsLoader);
    entries_.push_back({"./parameters/" + name + ".params", params.empty() ? empty_parameters() : std::string(params)});
    if (!graph.empty()) entries_.push_back({"./executor-config/graph/" + name + ".graph", std::string(graph)});
    SortedJson out = module_json(p, name, own);
    if (!graph.empty()) out["memory"]["sids"] = storage_json(graph, name);
    return out;
  }

  // The object for programs that load the archive; programs that are linked with it get nothing of it.
  std::string add_loader(const Package& p, const std::string& name, const std::set<std::size_t>& compiled) {
    const std::string path = "./codegen/host/lib/" + name + "_import_tree.o";
    auto object = make_loader_object(p, compiled, diags_);
    made_.push_back(object ? std::move(*object) : std::vector<std::byte>());
    entries_.push_back({path, {}, &made_.back()});
    return path.substr(2);
  }

  // Constants are C for consumers that compile src/*.c and nothing else. Constants that the user had encoded stay
  // objects.
  static bool can_be_c(const LibraryMember& m, const TargetSpec& target) {
    return !m.constants.empty() && !is_loadable(target) && (m.encoded == nullptr || !m.encoded->is_written_elsewhere());
  }

  static std::string source_path(const std::string& name, std::size_t& sources) {
    return "./codegen/host/src/" + name + "_lib" + std::to_string(sources++) + ".c";
  }

  void add_member(const Package& p, const LibraryMember& m, const Module& module, const std::string& path,
                  bool is_source) {
    if (is_source && !m.constants.empty()) {
      if (const auto constants = constants_of(m, p.target, diags_))
        entries_.push_back({path, constants_as_c(*constants)});
    } else if (is_source) {
      entries_.push_back({path, {reinterpret_cast<const char*>(module.bytes.data()), module.bytes.size()}});
    } else if (m.constants.empty()) {
      entries_.push_back({path, {}, &m.object});
    } else if (auto constants = constants_of(m, p.target, diags_)) {
      entries_.push_back({path, {}, nullptr, std::make_shared<ConstantObject>(std::move(*constants))});
    }
  }

  void add_header(const std::string& name, const std::string& text) {
    const auto [other, is_new] = headers_.emplace(lower_case(name), text);
    if (is_new)
      entries_.push_back({"./codegen/host/include/" + name, text});
    else if (other->second != text)
      diags_.error({}, name, "two models of one library have different headers of this name");
  }

  // The name that project generators include, and the function that their programs call.
  void add_interface(const Package& p, const std::string& name, std::size_t& sources, SortedJson& own) {
    ModelInterfaceText interface = make_model_interface(name, p.header_name, p.description ? &*p.description : nullptr);
    add_header("tvmgen_" + lower_case(name) + ".h", interface.header);
    if (interface.source.empty()) return;
    const std::string path = source_path(name, sources);
    own["interface"] = path.substr(2);
    entries_.push_back({path, std::move(interface.source)});
  }

  // The bytes that an executor of byoc's left for this loader; "" if there are none.
  static std::string_view opaque_text(const Package& p, std::string_view loader) {
    for (const Module& m : p.tree.modules)
      if (m.kind() == ModuleKind::opaque && m.loader() == loader)
        return {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()};
    return {};
  }

  // Each storage of the graph with what it holds at the start.
  SortedJson storage_json(std::string_view text, const std::string& name) {
    SortedJson out = SortedJson::array();
    const auto graph = read_graph_json(text, name + ".graph", diags_);
    if (!graph) return out;
    std::map<std::uint32_t, std::string> bindings;
    for (const std::uint32_t n : graph->arguments)
      bindings.emplace(graph->entries[graph->first_entry[n]].storage, graph->nodes[n].name);
    for (const auto& [id, bytes] : storage_bytes(*graph)) {
      SortedJson storage = {{"storage_id", id}, {"size_bytes", bytes}};
      if (const auto found = bindings.find(id); found != bindings.end()) storage["input_binding"] = found->second;
      out.push_back(std::move(storage));
    }
    return out;
  }

  // A dictionary without entries: magic, reserved, number of names, number of tensors.
  static std::string empty_parameters() {
    const std::uint64_t magic = 0xF7E58D4F05049CB7;
    std::string out(32, '\0');
    for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(magic >> (8 * i) & 0xff);
    return out;
  }

  // {name: {dtype, size}}; adds their sizes to `bytes`.
  static SortedJson tensors_json(const std::vector<IoTensor>& tensors, std::uint64_t& bytes) {
    SortedJson out = SortedJson::object();
    for (const IoTensor& t : tensors) {
      out[utf8(t.name)] = {{"dtype", numpy_type(std::string(to_string(t.dtype)))}, {"size", t.bytes}};
      bytes += t.bytes;
    }
    return out;
  }

  SortedJson module_json(const Package& p, const std::string& name, const SortedJson& own) const {
    const LibraryDescription none, &d = p.description ? *p.description : none;
    std::uint64_t io = 0, constants = 0;
    const SortedJson inputs = tensors_json(d.interface.inputs, io), outputs = tensors_json(d.interface.outputs, io);
    for (const LibraryMember& m : p.members)
      for (const ConstantArtifact& c : m.constants) constants += c.bytes.size();
    // The format has one number for all memories; the manifest says what each of them holds.
    const std::uint64_t workspace = d.interface.all_workspace_bytes();
    const SortedJson main = {{"constants_size_bytes", constants},
                             {"device", kCpu},
                             {"inputs", inputs},
                             {"io_size_bytes", io},
                             {"outputs", outputs},
                             {"workspace_size_bytes", workspace}};
    // Steps work in the workspace of main, which is planned over all of them.
    SortedJson functions = SortedJson::array();
    for (const StepInfo& s : d.interface.steps)
      functions.push_back(
          {{"function_name", s.symbol}, {"workspace", {{{"device", kCpu}, {"workspace_size_bytes", 0}}}}});
    return {{"model_name", name},
            {"style", "full-model"},
            {"executors", p.prefix.empty() ? SortedJson::array() : SortedJson::array({d.executor})},
            {"export_datetime", time_text(time_)},
            {"target", {target_text(p.target)}},
            {"memory",
             {{"functions",
               {{"main", p.prefix.empty() ? SortedJson::array() : SortedJson::array({main})},
                {"operator_functions", functions}}}}},
            {"x_byoc", own}};
  }

  [[nodiscard]] std::string target_text(const TargetSpec& t) const {
    std::string out = flavour_ == MlfFlavour::source ? "c -keys=cpu" : "llvm -keys=cpu -mtriple=" + t.triple;
    if (!t.cpu.empty()) out += " -mcpu=" + t.cpu + target::cpu_options(t);
    if (!t.march.empty()) out += " -march=" + t.march;
    return out;
  }

  MlfFlavour flavour_;
  std::uint64_t time_;
  Diagnostics& diags_;
  std::vector<Entry> entries_;
  std::deque<std::vector<std::byte>>& made_;    // objects of entries that no package has
  std::set<std::string> kernels_;               // shared ones that are there
  std::map<std::string, std::string> headers_;  // by name in lower case
};

bool write_tar(const std::vector<Entry>& entries, std::uint64_t time, int fd) {
  TarWriter tar(fd, time);
  std::set<std::string> folders;
  if (!tar.add_folder(".")) return false;
  for (const Entry& e : entries) {
    for (std::size_t slash = e.path.find('/', 2); slash != std::string::npos; slash = e.path.find('/', slash + 1))
      if (const std::string folder = e.path.substr(0, slash); folders.insert(folder).second && !tar.add_folder(folder))
        return false;
    bool ok = false;
    if (e.constants != nullptr)
      ok = tar.add(e.path, e.constants->size(), [&](int to) { return e.constants->write(to); });
    else if (e.object != nullptr)
      ok = tar.add(e.path, e.object->size(), [&](int to) { return write_all(to, *e.object); });
    else
      ok = tar.add_text(e.path, e.text);
    if (!ok) return false;
  }
  return tar.finish();
}

}  // namespace

Result<void> add_model_library(std::span<const Package> packages, MlfFlavour flavour, const std::string& out,
                               OutputSet& files, Diagnostics& diags) {
  auto time = source_date(diags);
  if (!time) return failure;
  std::deque<std::vector<std::byte>> made;
  auto entries = MlfWriter(flavour, *time, made, diags).run(packages);
  if (!entries) return failure;
  return files.add(out, [&](int fd) { return write_tar(*entries, *time, fd); });
}

}  // namespace byoc
