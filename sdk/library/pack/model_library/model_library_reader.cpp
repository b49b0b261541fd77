#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/library/pack/model_library/model_library_metadata.hpp"
#include "sdk/program/graphjson/params.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kLargestParams = std::uint64_t{256} << 20;
constexpr std::uint64_t kOldest = 1, kNewest = 7;

class MlfReader {
 public:
  MlfReader(const std::string& path, Diagnostics& diags) : path_(path), diags_(diags) {}

  Result<MlfDocument> run() {
    if (!read_entries()) return failure;
    if (metadata_.empty()) return diags_.error(path_, {}, "has no metadata.json");
    try {
      return read_metadata(parse_json(metadata_));
    } catch (const SortedJson::exception& error) {
      return diags_.error(path_, "metadata.json", "is not as Model Library Format has it", problem(error));
    }
  }

 private:
  Result<void> read_entries() {
    const auto visit = [this](TarEntry& entry) {
      out_.files.push_back({entry.name, entry.size});
      if (entry.name == kMetadataFile) return read_metadata_entry(entry, path_, metadata_, diags_);
      const bool params = entry.name.starts_with("parameters/") && entry.name.ends_with(".params");
      return !params || entry.size > kLargestParams || read_parameters(entry);
    };
    return read_tar(path_, visit, diags_);
  }

  // The size is that of the archive at most.
  bool read_parameters(TarEntry& entry) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size));
    if (!entry.read(bytes)) return false;
    const auto params = read_params(bytes, path_ + ": " + entry.name, diags_);
    if (!params) return false;
    auto& all = parameters_[std::filesystem::path(entry.name).stem().string()];
    for (const Param& p : *params) all.push_back({p.name, shape_text(p.type, p.shape), p.bytes.size()});
    return true;
  }

  Result<MlfDocument> read_metadata(const SortedJson& json) {
    out_.version = whole_number(json.at("version"));
    if (out_.version < kOldest || out_.version > kNewest)
      return diags_.error(path_, "metadata.json", "another version of Model Library Format",
                          std::to_string(out_.version), std::to_string(kOldest) + " to " + std::to_string(kNewest));
    if (json.contains("modules"))
      for (const auto& [name, module] : json.at("modules").items()) read_module(name, module);
    else
      read_module(json.at("model_name"), json);
    return std::move(out_);
  }

  void read_module(const std::string& name, const SortedJson& json) {
    MlfModule m;
    m.name = name;
    m.style = json.value("style", "full-model");  // said since version 4
    // Called runtimes up to version 4; a string for each target of a device up to version 5.
    m.executors = json.value(json.contains("executors") ? "executors" : "runtimes", std::vector<std::string>());
    if (json.contains("target"))
      for (const SortedJson& t : json.at("target")) m.targets.push_back(t.get<std::string>());
    m.ours = json.contains("x_byoc");
    m.loadable = m.ours && json.at("x_byoc").contains("loader");
    out_.time = json.value("export_datetime", "");
    const SortedJson memory = json.value("memory", SortedJson::object());
    // Version 1 lists storage, operators their tensors; neither has functions.
    if (memory.is_object() && memory.contains("functions")) {
      read_main(memory.at("functions").at("main"), m);
      read_functions(memory.at("functions").value("operator_functions", SortedJson::array()), m);
    }
    if (memory.is_array()) read_storage(memory, m);
    if (memory.is_object() && memory.contains("sids")) read_storage(memory.at("sids"), m);
    if (m.style == "operator" && memory.is_object()) read_operator(memory, m);
    if (const auto found = parameters_.find(name); found != parameters_.end()) m.parameters = found->second;
    out_.modules.push_back(std::move(m));
  }

  // Version 1 has storage only; an input or parameter that lies there at the start is bound to it.
  static void read_storage(const SortedJson& all, MlfModule& m) {
    for (const SortedJson& s : all)
      m.storage.push_back(
          {whole_number(s.at("storage_id")), whole_number(s.at("size_bytes")), s.value("input_binding", "")});
  }

  static void read_functions(const SortedJson& all, MlfModule& m) {
    for (const SortedJson& f : all) {
      std::uint64_t bytes = 0;
      for (const SortedJson& w : f.at("workspace")) bytes += whole_number(w.at("workspace_size_bytes"));
      m.functions.push_back({f.at("function_name"), bytes});
    }
  }

  // Reads the operands of a function; its inputs are the bound ones.
  static void read_operator(const SortedJson& functions, MlfModule& m) {
    for (const auto& [name, operands] : functions.items()) {
      m.functions.push_back({name, 0});
      for (const SortedJson& o : operands) {
        const std::string binding = o.value("input_binding", "");
        (binding.empty() ? m.outputs : m.inputs).push_back({binding, o.at("dtype"), whole_number(o.at("size_bytes"))});
      }
    }
  }

  static void read_main(const SortedJson& devices, MlfModule& m) {
    for (const SortedJson& main : devices) {
      m.workspace_bytes += number_or_0(main, "workspace_size_bytes");
      m.io_bytes += number_or_0(main, "io_size_bytes");
      m.constant_bytes += number_or_0(main, "constants_size_bytes");
      const SortedJson inputs = main.value("inputs", SortedJson::object()),
                       outputs = main.value("outputs", SortedJson::object());
      for (const auto& [name, t] : inputs.items())
        m.inputs.push_back({name, t.at("dtype"), whole_number(t.at("size"))});
      for (const auto& [name, t] : outputs.items())
        m.outputs.push_back({name, t.at("dtype"), whole_number(t.at("size"))});
    }
  }

  const std::string& path_;
  Diagnostics& diags_;
  MlfDocument out_;
  std::string metadata_;
  std::map<std::string, std::vector<MlfModule::Parameter>> parameters_;  // by model
};

}  // namespace

Result<MlfDocument> read_model_library(const std::string& path, Diagnostics& diags) {
  return MlfReader(path, diags).run();
}

}  // namespace byoc
