#include "sdk/codegen/plugin/abi/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::plugin {
namespace {

constexpr const char* kSuffix = ".byoc.json";
const std::set<std::string> kFields = {"schema", "id", "name", "vendor", "version", "license", "abi", "library"};

class Reader {
 public:
  Reader(const std::string& path, Diagnostics& diags) : path_(path), diags_(diags) {}

  bool text(const SortedJson& from, const char* field, std::string& out, bool required) {
    const auto at = from.find(field);
    if (at == from.end()) return !required || error(field, "is missing");
    if (!at->is_string()) return error(field, "is no text");
    out = at->get<std::string>();
    return !required || !out.empty() || error(field, "is empty");
  }

  bool number(const SortedJson& from, const char* field, std::uint32_t& out) {
    const auto at = from.find(field);
    if (at == from.end()) return error(field, "is missing");
    if (!at->is_number_unsigned() || at->get<std::uint64_t>() > 0xffff) return error(field, "is no version number");
    out = at->get<std::uint32_t>();
    return true;
  }

  bool error(const std::string& field, const std::string& message, const std::string& found = {},
             const std::string& expected = {}) {
    diags_.error(path_, field, message, found, expected);
    return false;
  }

 private:
  const std::string& path_;
  Diagnostics& diags_;
};

}  // namespace

Result<Manifest> read_manifest(const std::string& path, Diagnostics& diags) {
  auto text = read_text(path, diags);
  if (!text) return failure;
  const SortedJson json = try_parse_json(*text);
  if (!json.is_object()) return diags.error(path, {}, "is not a plug-in manifest: no JSON object");
  Reader reader(path, diags);
  bool ok = true;
  for (const auto& [key, value] : json.items())
    if (!kFields.contains(key)) ok = reader.error(key, "is no field of a plug-in manifest");
  Manifest out;
  out.path = path;
  std::uint32_t schema = 0;
  ok = reader.number(json, "schema", schema) && ok;
  if (ok && schema != 1) ok = reader.error("schema", "is not known", std::to_string(schema), "1");
  ok = reader.text(json, "id", out.id, true) && ok;
  ok = reader.text(json, "name", out.name, false) && ok;
  ok = reader.text(json, "vendor", out.vendor, false) && ok;
  ok = reader.text(json, "version", out.version, true) && ok;
  ok = reader.text(json, "license", out.license, false) && ok;
  ok = reader.text(json, "library", out.library, true) && ok;
  const SortedJson abi = json.value("abi", SortedJson());
  if (!abi.is_object())
    ok = reader.error("abi", "is missing", {}, R"({"major": 1, "minor": 0, "min_host_minor": 0})");
  else
    ok = reader.number(abi, "major", out.abi_major) && reader.number(abi, "minor", out.abi_minor) &&
         reader.number(abi, "min_host_minor", out.min_host_minor) && ok;
  if (!ok) return failure;
  out.library = (std::filesystem::path(path).parent_path() / out.library).lexically_normal().string();
  return out;
}

std::vector<Manifest> find_manifests(const std::string& folder, Diagnostics& diags) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename().string().ends_with(kSuffix)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Manifest> out;
  for (const std::string& path : paths)
    if (auto manifest = read_manifest(path, diags)) out.push_back(std::move(*manifest));
  return out;
}

std::string why_not(const Manifest& m, const HostVersion& host) {
  const std::string speaks = "it speaks ABI " + std::to_string(m.abi_major) + "." + std::to_string(m.abi_minor);
  const std::string ours = ", this byoc speaks ABI " + std::to_string(host.major) + "." + std::to_string(host.minor);
  if (m.abi_major != host.major) return speaks + ours;
  if (m.min_host_minor > host.minor)
    return speaks + " and needs at least " + std::to_string(m.abi_major) + "." + std::to_string(m.min_host_minor) +
           ours;
  if (m.abi_minor < host.min_plugin_minor)
    return speaks + ours + " and serves plug-ins from " + std::to_string(host.major) + "." +
           std::to_string(host.min_plugin_minor);
  std::error_code error;
  if (!std::filesystem::is_regular_file(m.library, error)) return "its library is not there: " + m.library;
  return {};
}

}  // namespace byoc::plugin
