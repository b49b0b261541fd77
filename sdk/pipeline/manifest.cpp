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
          {"nodes", nodes},
          {"macs", s.macs},
          {"constant_bytes", s.constant_bytes},
          {"live_bytes", s.live_bytes}};
}

}  // namespace

std::string write_manifest(const ManifestInput& in) {
  const ModelInterface& m = in.interface;
  Json out;
  out["format"] = 1;
  out["byoc"] = BYOC_VERSION;
  out["model"] = utf8(m.name);
  out["prefix"] = m.prefix;
  out["target"] = {{"name", in.target.name},
                   {"triple", in.target.triple},
                   {"cpu", in.target.cpu},
                   {"float_abi", in.target.float_abi}};
  out["toolchain"] = in.toolchain;
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
  out["constants"] = Json::array();
  for (const ConstantArtifact& c : in.constants)
    out["constants"].push_back({{"symbol", c.symbol},
                                {"bytes", c.bytes.size()},
                                {"align", c.align},
                                {"region", c.region},
                                {"model_data", c.model_data},
                                {"xxh3_128", to_hex(identify(c.bytes.bytes()))}});
  out["members"] = in.members;
  out["shared_kernels"] = in.shared_kernels;
  return out.dump(2) + "\n";
}

}  // namespace byoc
