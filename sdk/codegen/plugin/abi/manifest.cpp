#include "sdk/codegen/plugin/abi/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"

namespace byoc::plugin {
namespace {

constexpr const char* kSuffix = ".byoc.json";
constexpr const char* kKind = "a plug-in manifest";

void read_number(JsonFields& fields, const char* key, std::uint32_t& out, const std::string& path, Diagnostics& diags) {
  std::uint64_t number = 0;
  fields.need(key, number);
  if (number > 0xffff) diags.error(path, key, "is no version number", std::to_string(number));
  out = static_cast<std::uint32_t>(number);
}

}  // namespace

Result<Manifest> read_manifest(const std::string& path, Diagnostics& diags) {
  auto text = read_text(path, diags);
  if (!text) return failure;
  const SortedJson json = try_parse_json(*text);
  if (!json.is_object()) return diags.error(path, {}, "is not a plug-in manifest: no JSON object");
  const std::size_t before = diags.count();
  Manifest out;
  out.path = path;
  std::uint64_t schema = 0;
  JsonFields f(json, kKind, path, diags);
  f.need("schema", schema);
  f.need("id", out.id);
  f.read("name", out.name);
  f.read("vendor", out.vendor);
  f.need("version", out.version);
  f.read("license", out.license);
  f.need("library", out.library);
  if (const SortedJson* abi = f.object("abi", Presence::needed)) {
    JsonFields versions(*abi, "'abi'", path, diags);
    read_number(versions, "major", out.abi_major, path, diags);
    read_number(versions, "minor", out.abi_minor, path, diags);
    read_number(versions, "min_host_minor", out.min_host_minor, path, diags);
  }
  f.finish();
  if (diags.count() != before) return failure;
  for (const auto& [key, value] :
       {std::pair("id", &out.id), std::pair("version", &out.version), std::pair("library", &out.library)})
    if (value->empty()) return diags.error(path, key, "is empty");
  if (schema != 1) return diags.error(path, "schema", "is not known", std::to_string(schema), "1");
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
