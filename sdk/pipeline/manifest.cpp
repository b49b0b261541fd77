#include "sdk/pipeline/manifest.hpp"

#include <nlohmann/json.hpp>

#include "sdk/support/identity.hpp"

namespace byoc {
namespace {

using Json = nlohmann::ordered_json;

// Model text may be any bytes; JSON is UTF-8.
std::string utf8(const std::string& text) {
  const std::string dumped = Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
  return Json::parse(dumped).get<std::string>();
}

Json io_json(const IoTensor& t) {
  Json out = {
      {"name", utf8(t.name)}, {"field", t.field}, {"dtype", to_string(t.dtype)}, {"dims", t.dims}, {"bytes", t.bytes}};
  if (!t.quantisation.scales.empty()) {
    out["scales"] = t.quantisation.scales;
    out["zero_points"] = t.quantisation.zero_points;
    if (t.quantisation.per_axis()) out["axis"] = t.quantisation.axis;
  }
  return out;
}

Json step_json(const StepInfo& s) {
  Json nodes = Json::array();
  for (const std::string& n : s.nodes) nodes.push_back(utf8(n));
  return {{"symbol", s.symbol},
          {"kernel", s.kernel},
          {"codegen", s.codegen},
          {"nodes", nodes},
          {"macs", s.macs},
          {"constant_bytes", s.constant_bytes},
          {"live_bytes", s.live_bytes}};
}

// Which plug-in it was, without its path: two exports on two machines are the same.
Json origin_json(const CodegenOrigin& origin) {
  Json out = {{"id", origin.id}, {"version", utf8(origin.version)}};
  Diagnostics unreadable;  // it was loaded a moment ago; if it is gone, nothing is said of its bytes
  if (!origin.file.empty())
    if (auto file = MappedFile::open(origin.file, unreadable)) out["xxh3_128"] = to_hex(identify((*file)->bytes()));
  for (const auto& [name, value] : origin.options) out["options"][name] = utf8(value);
  return out;
}

Json target_json(const TargetSpec& t) {
  return {{"name", t.name}, {"triple", t.triple}, {"cpu", t.cpu}, {"float_abi", t.float_abi}};
}

Json constants_json(const std::vector<ConstantArtifact>& constants) {
  Json out = Json::array();
  for (const ConstantArtifact& c : constants)
    out.push_back({{"symbol", c.symbol},
                   {"bytes", c.bytes.size()},
                   {"align", c.align},
                   {"region", c.region},
                   {"model_data", c.model_data},
                   {"xxh3_128", to_hex(identify(c.bytes.bytes()))}});
  return out;
}

}  // namespace

std::string write_manifest(const ManifestInput& in) {
  const ModelInterface& m = in.interface;
  Json out;
  out["format"] = 1;
  out["byoc"] = BYOC_VERSION;
  out["model"] = utf8(m.name);
  out["prefix"] = m.prefix;
  out["target"] = target_json(in.target);
  out["toolchain"] = in.toolchain;
  for (const CodegenOrigin& o : in.origins) out["codegens"].push_back(origin_json(o));
  out["workspace"] = {
      {"bytes", m.workspace_bytes}, {"align", m.workspace_align}, {"lower_bound", m.workspace_lower_bound}};
  out["instance"] = {{"bytes", m.instance_bytes}, {"align", m.instance_align}};
  out["inputs"] = Json::array();
  for (const IoTensor& t : m.inputs) out["inputs"].push_back(io_json(t));
  out["outputs"] = Json::array();
  for (const IoTensor& t : m.outputs) out["outputs"].push_back(io_json(t));
  out["weight_bytes"] = m.weight_bytes;
  out["steps"] = Json::array();
  for (const StepInfo& s : m.steps) out["steps"].push_back(step_json(s));
  out["constants"] = constants_json(in.constants);
  out["members"] = in.members;
  out["shared_kernels"] = in.shared_kernels;
  if (!in.link_libraries.empty()) out["link_libraries"] = in.link_libraries;
  for (const Licence& l : in.licences)
    out["licences"].push_back({{"codegen", l.codegen}, {"spdx", utf8(l.spdx)}, {"text", utf8(l.text)}});
  return out.dump(2) + "\n";
}

std::string write_constants_manifest(const TargetSpec& target, const std::vector<ConstantArtifact>& constants) {
  Json out;
  out["format"] = 1;
  out["byoc"] = BYOC_VERSION;
  out["target"] = target_json(target);
  out["constants"] = constants_json(constants);
  return out.dump(2) + "\n";
}

Result<std::vector<ExpectedConstant>> read_manifest_constants(std::string_view text, const std::string& file,
                                                              Diagnostics& diags) {
  try {
    const Json manifest = Json::parse(text);
    if (manifest.at("format") != 1)
      return diags.error(file, {}, "another version of the manifest", manifest.at("format").dump(), "1");
    std::vector<ExpectedConstant> out;
    for (const Json& c : manifest.at("constants")) {
      const auto align = c.at("align").get<std::uint32_t>();
      out.push_back({c.at("symbol"), c.at("bytes").get<std::uint64_t>(), align, c.at("region"), c.at("xxh3_128")});
    }
    return out;
  } catch (const Json::exception& error) {
    return diags.error(file, {}, "is no manifest of byoc", error.what(), "the .json that byoc export wrote");
  }
}

}  // namespace byoc
