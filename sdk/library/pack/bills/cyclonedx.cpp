// CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/
#include "sdk/base/support/json.hpp"
#include "sdk/library/pack/bills/bill_parts.hpp"

namespace byoc::bills {
namespace {

Json sha256(const std::string& digits) { return {{{"alg", "SHA-256"}, {"content", digits}}}; }

Json tensors(const std::vector<std::string>& types) {
  Json out = Json::array();
  for (const std::string& t : types) out.push_back({{"format", t}});
  return out;
}

Json model_component(const Bill& bill) {
  Json out{{"type", "machine-learning-model"}, {"bom-ref", "model"}, {"name", bill.model}};
  if (!bill.model_sha256.empty()) out["hashes"] = sha256(bill.model_sha256);
  if (!bill.model_licence.empty()) out["licenses"] = {{{"expression", bill.model_licence}}};
  out["modelCard"] = {{"modelParameters", {{"inputs", tensors(bill.inputs)}, {"outputs", tensors(bill.outputs)}}}};
  return out;
}

Json origin_component(const Origin& o) {
  Json out{{"type", "library"}, {"bom-ref", "codegen:" + o.id}, {"name", "codegen " + o.id}, {"version", o.version}};
  if (!o.sha256.empty()) out["hashes"] = sha256(o.sha256);
  if (!o.licence.empty())
    out["licenses"] = {{{"expression", o.licence}}};
  else if (!o.text.empty())
    out["licenses"] = {{{"license", {{"name", "licence of " + o.id}, {"text", {{"content", o.text}}}}}}};
  return out;
}

Json tools(const Bill& bill) {
  Json out = Json::array();
  out.push_back({{"type", "application"}, {"name", "byoc"}, {"version", bill.byoc}});
  if (!bill.toolchain.empty()) out.push_back({{"type", "application"}, {"name", bill.toolchain}});
  return out;
}

}  // namespace

Json cyclonedx(const Bill& bill) {
  Json metadata = Json::object();
  if (bill.dated) metadata["timestamp"] = time_text(bill.time);
  metadata["tools"] = {{"components", tools(bill)}};
  metadata["component"] = {
      {"type", "library"},
      {"bom-ref", "library"},
      {"name", bill.library},
      {"description", "Neural network " + bill.library + " for " + bill.target},
      {"properties",
       {{{"name", "byoc:target"}, {"value", bill.target}}, {{"name", "byoc:executor"}, {"value", bill.executor}}}}};
  Json components = Json::array({model_component(bill)}), depends = Json::array({"model"});
  for (const Origin& o : bill.origins) {
    components.push_back(origin_component(o));
    depends.push_back("codegen:" + o.id);
  }
  for (const std::string& l : bill.link_libraries) {
    components.push_back({{"type", "library"}, {"bom-ref", "link:" + l}, {"name", l}});
    depends.push_back("link:" + l);
  }
  for (const File& f : bill.files)
    components.push_back(
        {{"type", "file"},
         {"bom-ref", "file:" + f.name},
         {"name", f.name},
         {"hashes",
          {{{"alg", "SHA-1"}, {"content", f.hashes.sha1}}, {{"alg", "SHA-256"}, {"content", f.hashes.sha256}}}}});
  const Json dependencies = Json::array({{{"ref", "library"}, {"dependsOn", depends}}});
  const std::string uuid = uuid_of(json_text(metadata) + json_text(components) + json_text(dependencies));
  return {{"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
          {"bomFormat", "CycloneDX"},
          {"specVersion", "1.6"},
          {"serialNumber", "urn:uuid:" + uuid},
          {"version", 1},
          {"metadata", metadata},
          {"components", components},
          {"dependencies", dependencies}};
}

}  // namespace byoc::bills
