#include "sdk/library/pack/manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/file_hash.hpp"

namespace byoc {
namespace {

Json io_json(const IoTensor& t) {
  Json out = {
      {"name", utf8(t.name)}, {"field", t.field}, {"dtype", to_string(t.dtype)}, {"dims", t.dims}, {"bytes", t.bytes}};
  if (!t.quantisation.scales.empty()) {
    out["scales"] = t.quantisation.scales;
    out["zero_points"] = t.quantisation.zero_points;
    if (t.quantisation.per_axis()) out["axis"] = t.quantisation.axis;
  }
  for (const CountedLength& c : t.counted) out["counted"].push_back({{"dim", c.dim}, {"output", c.output}});
  if (t.overwritten) out["overwritten"] = true;
  if (t.align != 0) out["align"] = t.align;
  return out;
}

Json bounded_json(const BoundedValue& b) {
  Json out = {{"name", utf8(b.name)}, {"dtype", to_string(b.dtype)}, {"first", b.first}, {"tensors", b.elements}};
  if (b.is_sequence) out["sequence"] = true;
  if (b.is_optional) out["optional"] = true;
  if (b.count) out["count"] = *b.count;
  if (b.given) out["given"] = *b.given;
  return out;
}

Json step_json(const StepInfo& s) {
  Json nodes = Json::array();
  for (const std::string& n : s.nodes) nodes.push_back(utf8(n));
  Json out = {{"symbol", s.symbol},
              {"kernel", s.kernel},
              {"codegen", s.codegen},
              {"nodes", nodes},
              {"macs", s.macs},
              {"constant_bytes", s.constant_bytes},
              {"live_bytes", s.live_bytes},
              {"workspace_bytes", s.workspace_bytes}};
  if (s.estimated_instructions != 0) out["estimated_instructions"] = s.estimated_instructions;
  if (s.kernel_bytes != 0) out["kernel_bytes"] = s.kernel_bytes;
  if (!s.remark.empty()) out["remark"] = utf8(s.remark);
  if (!s.failure.empty()) out["failure"] = utf8(s.failure);
  return out;
}

// The plug-in's identity without its path, so that exports on two machines are equal.
Json origin_json(const CodegenOrigin& origin) {
  Json out = {{"id", origin.id}, {"version", utf8(origin.version)}};
  if (!origin.licence.empty()) out["licence"] = utf8(origin.licence);
  if (!origin.xxh3_128.empty()) out["xxh3_128"] = origin.xxh3_128;
  if (!origin.sha256.empty()) out["sha256"] = origin.sha256;
  for (const auto& [name, value] : origin.options) out["options"][name] = utf8(value);
  return out;
}

Json target_name_json(const TargetName& t) {
  return {{"name", t.name}, {"triple", t.triple}, {"cpu", t.cpu}, {"float_abi", t.float_abi}};
}

// A file is read in pieces, so that its pages are not this process's memory. One that cannot be read is an error when
// its constants are written.
Identity identity_of(const ConstantArtifact& c) {
  Identity out;
  (void)identify_blob(c.bytes, out);
  return out;
}

Json constants_json(const std::vector<ExpectedConstant>& constants) {
  Json out = Json::array();
  for (const ExpectedConstant& c : constants) {
    out.push_back({{"symbol", c.symbol},
                   {"bytes", c.size},
                   {"align", c.align},
                   {"region", c.region},
                   {"model_data", c.model_data},
                   {"xxh3_128", c.xxh3_128}});
    if (c.may_be_dropped) out.back()["may_be_dropped"] = true;
  }
  return out;
}

Json failures_json(const std::vector<RunFailure>& failures) {
  Json out = Json::array();
  for (const RunFailure& f : failures)
    out.push_back({{"code", f.code}, {"name", f.name}, {"symbol", f.symbol}, {"text", utf8(f.text)}});
  return out;
}

Json rewrites_json(const std::vector<RewriteSummary>& rewrites) {
  Json out = Json::array();
  for (const RewriteSummary& r : rewrites)
    out.push_back({{"name", r.name},
                   {"count", r.count},
                   {"macs", r.macs},
                   {"constant_bytes", r.constant_bytes},
                   {"tensor_bytes", r.tensor_bytes}});
  return out;
}

Json workspaces_json(const std::vector<PoolWorkspace>& workspaces) {
  Json out = Json::array();
  for (const PoolWorkspace& w : workspaces)
    out.push_back({{"pool", utf8(w.pool)},
                   {"field", w.field},
                   {"section", w.section},
                   {"bytes", w.bytes},
                   {"align", w.align},
                   {"lower_bound", w.lower_bound}});
  return out;
}

Json regions_json(const std::vector<RegionInUse>& regions) {
  Json out = Json::array();
  for (const RegionInUse& r : regions) out.push_back({{"name", r.name}, {"section", r.section}});
  return out;
}

// The fields that every manifest begins with.
Json begin_manifest(const std::string& byoc, const std::string& library) {
  Json out = {{"format", kManifestFormat}, {"byoc", byoc.empty() ? BYOC_VERSION : byoc}};
  if (!library.empty()) out["library"] = utf8(library);
  return out;
}

// The bound of the stack, or why there is none. An empty object for a target whose code nobody reads.
Json stack_json(const StackBound& stack) {
  if (!stack.unknown.empty()) return {{"how", "not bounded"}, {"why", utf8(stack.unknown)}};
  if (stack.bytes == 0) return Json::object();
  Json out = {{"bytes", stack.bytes}, {"how", "bounded by the call graph"}};
  if (stack.allowance != 0) out["allowance"] = stack.allowance;
  if (!stack.allowed_for.empty()) out["allowed_for"] = stack.allowed_for;
  return out;
}

void add_fields(const LibraryDescription& d, Json& out) {
  const ModelInterface& m = d.interface;
  out["model"] = utf8(m.name);
  if (!d.model_sha256.empty()) out["model_sha256"] = d.model_sha256;
  out["prefix"] = m.prefix;
  out["target"] = target_name_json(d.target);
  out["toolchain"] = d.toolchain;
  if (d.executor != "aot") out["executor"] = d.executor;
  for (const CodegenOrigin& o : d.origins) out["codegens"].push_back(origin_json(o));
  out["workspace"] = {
      {"bytes", m.workspace_bytes}, {"align", m.workspace_align}, {"lower_bound", m.workspace_lower_bound}};
  if (!m.further_workspaces.empty()) out["further_workspaces"] = workspaces_json(m.further_workspaces);
  out["instance"] = {{"bytes", m.instance_bytes}, {"align", m.instance_align}};
  if (const std::optional<PoolPlace>& at = m.instance_place)
    out["instance"].update({{"pool", utf8(at->pool)}, {"field", at->field}, {"section", at->section}});
  if (!m.devices.empty()) out["devices"] = m.devices;
  out["inputs"] = Json::array();
  for (const IoTensor& t : m.inputs) out["inputs"].push_back(io_json(t));
  out["outputs"] = Json::array();
  for (const IoTensor& t : m.outputs) out["outputs"].push_back(io_json(t));
  for (const BoundedValue& b : m.bounded)
    out[b.is_output ? "bounded_outputs" : "bounded_inputs"].push_back(bounded_json(b));
  out["weight_bytes"] = m.weight_bytes;
  if (m.bound_bytes != 0) out["bound_weights"] = {{"bytes", m.bound_bytes}, {"layout", d.weights_layout}};
  out["steps"] = Json::array();
  for (const StepInfo& s : m.steps) out["steps"].push_back(step_json(s));
  if (!m.failures.empty()) out["failures"] = failures_json(m.failures);
  if (!m.rewrites.empty()) out["rewrites"] = rewrites_json(m.rewrites);
  out["regions"] = regions_json(d.regions);
  out["constants"] = constants_json(d.constants);
  if (d.flash.total() != 0) out["flash"] = {{"code", d.flash.code}, {"constants", d.flash.constants}};
  if (const Json stack = stack_json(d.stack); !stack.empty()) out["stack"] = stack;
  if (!d.undefined.empty()) out["undefined"] = d.undefined;
  out["members"] = d.members;
  out["shared_kernels"] = d.shared_kernels;
  if (!d.link_libraries.empty()) out["link_libraries"] = d.link_libraries;
  for (const Licence& l : d.licences)
    out["licences"].push_back({{"codegen", l.codegen}, {"spdx", utf8(l.spdx)}, {"text", utf8(l.text)}});
}

}  // namespace

Result<void> identify_origins(std::vector<CodegenOrigin>& origins, Diagnostics& diags) {
  for (CodegenOrigin& o : origins) {
    if (o.file.empty()) continue;
    const auto file = MappedFile::open(o.file, diags);
    if (!file) return failure;
    o.xxh3_128 = to_hex(identify((*file)->bytes()));
    o.sha256 = sha256_of_file(o.file);
    if (o.sha256.empty()) return diags.error(o.file, {}, "cannot be read to its end");
  }
  return {};
}

std::vector<ExpectedConstant> state_constants(const std::vector<ConstantArtifact>& constants,
                                              const ConstantObject* object) {
  std::vector<ExpectedConstant> out;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const ConstantArtifact& c = constants[i];
    const auto known = object == nullptr ? std::nullopt : object->identity(object->places()[i].content);
    out.push_back({.symbol = c.symbol,
                   .size = c.bytes.size(),
                   .align = c.align,
                   .region = c.region,
                   .xxh3_128 = to_hex(known ? *known : identity_of(c)),
                   .model_data = c.model_data});
  }
  return out;
}

std::vector<RegionInUse> regions_of(const TargetSpec& target, const std::vector<ConstantArtifact>& constants) {
  std::vector<RegionInUse> out;
  std::set<std::string> known;
  for (const ConstantArtifact& c : constants) {
    if (!known.insert(c.region).second) continue;
    const auto pool =
        std::find_if(target.pools.begin(), target.pools.end(), [&](const MemoryPool& p) { return p.name == c.region; });
    const bool named = pool != target.pools.end() && !pool->section.empty();
    out.push_back({c.region, named ? pool->section : ".rodata"});
  }
  return out;
}

Json manifest_json(const LibraryDescription& description) {
  Json out = begin_manifest(description.byoc, {});
  add_fields(description, out);
  return out;
}

std::string write_manifest(const LibraryDescription& description, const std::string& library) {
  Json out = begin_manifest(description.byoc, library);
  add_fields(description, out);
  return json_text(out, 2) + "\n";
}

std::string write_constants_manifest(const TargetSpec& target, const std::vector<ConstantArtifact>& constants,
                                     const ConstantObject* object, const std::string& library,
                                     const std::vector<ConstantArtifact>& tables) {
  std::vector<ExpectedConstant> all = state_constants(constants, object);
  for (ExpectedConstant& table : state_constants(tables, nullptr)) {
    table.may_be_dropped = true;
    all.push_back(std::move(table));
  }
  Json out = begin_manifest({}, library);
  out["target"] = target_name_json(name_of(target));
  out["regions"] = regions_json(regions_of(target, constants.empty() ? tables : constants));
  out["constants"] = constants_json(all);
  return json_text(out, 2) + "\n";
}

}  // namespace byoc
