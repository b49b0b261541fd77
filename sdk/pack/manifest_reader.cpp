#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "sdk/pack/format_version.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/support/name_table.hpp"

namespace byoc {
namespace {

using Json = nlohmann::ordered_json;

RewriteSummary rewrite_of(const Json& json) {
  return {json.at("name"), json.at("count"), json.at("macs"), json.at("constant_bytes"), json.at("tensor_bytes")};
}

IoTensor io_of(const Json& json) {
  IoTensor t;
  t.name = json.at("name");
  t.field = json.at("field");
  t.dtype = read_dtype(json.at("dtype").get<std::string>()).value_or(DType::undefined);
  t.dims = json.at("dims").get<std::vector<std::int64_t>>();
  t.bytes = json.at("bytes");
  t.quantisation.scales = json.value("scales", std::vector<float>());
  t.quantisation.zero_points = json.value("zero_points", std::vector<std::int64_t>());
  t.quantisation.axis = json.value("axis", -1);
  t.overwritten = json.value("overwritten", false);
  t.align = json.value("align", 0u);
  return t;
}

StepInfo step_of(const Json& json) {
  StepInfo s;
  s.symbol = json.at("symbol");
  s.kernel = json.value("kernel", "");
  s.codegen = json.value("codegen", "");
  s.nodes = json.value("nodes", std::vector<std::string>());
  s.macs = json.value("macs", std::uint64_t{0});
  s.constant_bytes = json.value("constant_bytes", std::uint64_t{0});
  s.live_bytes = json.value("live_bytes", std::uint64_t{0});
  s.workspace_bytes = json.value("workspace_bytes", std::uint64_t{0});
  s.estimated_instructions = json.value("estimated_instructions", std::uint64_t{0});
  s.kernel_bytes = json.value("kernel_bytes", std::uint64_t{0});
  s.remark = json.value("remark", "");
  return s;
}

PoolWorkspace workspace_of(const Json& json) {
  return {json.at("pool"),  json.at("field"), json.at("section"),
          json.at("bytes"), json.at("align"), json.value("lower_bound", std::uint64_t{0})};
}

// Throws what nlohmann throws where a field is missing or of another type.
ManifestModel model_of(const Json& json) {
  ManifestModel out;
  ModelInterface& m = out.interface;
  m.prefix = json.at("prefix");
  m.name = json.at("model");
  for (const Json& t : json.at("inputs")) m.inputs.push_back(io_of(t));
  for (const Json& t : json.at("outputs")) m.outputs.push_back(io_of(t));
  m.workspace_bytes = json.at("workspace").at("bytes");
  m.workspace_align = json.at("workspace").at("align");
  m.workspace_lower_bound = json.at("workspace").value("lower_bound", std::uint64_t{0});
  for (const Json& w : json.value("further_workspaces", Json::array())) m.further_workspaces.push_back(workspace_of(w));
  m.instance_bytes = json.at("instance").at("bytes");
  m.instance_align = json.at("instance").at("align");
  m.weight_bytes = json.value("weight_bytes", std::uint64_t{0});
  for (const Json& s : json.at("steps")) m.steps.push_back(step_of(s));
  for (const Json& r : json.value("rewrites", Json::array())) m.rewrites.push_back(rewrite_of(r));
  out.target = json.at("target").at("name");
  out.link_libraries = json.value("link_libraries", std::vector<std::string>());
  return out;
}

constexpr JsonFormat kFormat{"manifest", {}};
static_assert(kFormat.newest() == kManifestFormat);

// Fields that were added to version 1 after its first files; the others that may be missing have defaults where they
// are read. Sections of constants were all called .rodata, but for those of memories that no known target has.
void fill_in(Json& manifest) {
  if (!manifest.contains("regions")) manifest["regions"] = {{{"name", "flash"}, {"section", ".rodata"}}};
}

template <class F>
auto read_manifest(std::string_view text, const std::string& file, Diagnostics& diags, const F& read)
    -> Result<decltype(read(Json()))> {
  try {
    Json manifest = Json::parse(text);
    if (!bring_up_to_date(manifest, kFormat, file, diags)) return failure;
    fill_in(manifest);
    return read(manifest);
  } catch (const Json::exception& error) {
    return diags.error(file, {}, "is no manifest of byoc", error.what(), "the .json that byoc export wrote");
  }
}

// What becomes C again must be what the export wrote.
Result<void> check_model(const ModelInterface& m, const std::string& file, Diagnostics& diags) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  const std::size_t before = diags.all().size();
  const auto identifier = [&](const std::string& name) {
    if (to_identifier(name) != name) diags.error(file, name, "a name of the manifest is no C identifier");
  };
  const auto size = [&](const std::string& what, std::uint64_t bytes, std::uint64_t align) {
    if (bytes > kMost) diags.error(file, what, "a size of the manifest is out of reach", std::to_string(bytes));
    if (!std::has_single_bit(align))
      diags.error(file, what, "an alignment of the manifest is no power of two", std::to_string(align));
  };
  identifier(m.prefix);
  size("workspace", m.workspace_bytes, m.workspace_align);
  for (const PoolWorkspace& w : m.further_workspaces) {
    identifier(w.field);
    size("workspace in '" + w.pool + "'", w.bytes, w.align);
    if (!is_section_name(w.section))
      diags.error(file, w.pool, "a section of the manifest is no name of one", "'" + w.section + "'", ".bss.dtcm");
  }
  size("instance", m.instance_bytes, m.instance_align);
  for (const auto* tensors : {&m.inputs, &m.outputs})
    for (const IoTensor& t : *tensors) {
      identifier(t.field);
      size(t.field, t.bytes, t.align == 0 ? 1 : t.align);
      if (t.dtype == DType::undefined) diags.error(file, t.name, "an element type of the manifest is not known");
    }
  return diags.all().size() == before ? Result<void>() : failure;
}

}  // namespace

Result<std::vector<ExpectedConstant>> read_manifest_constants(std::string_view text, const std::string& file,
                                                              Diagnostics& diags) {
  return read_manifest(text, file, diags, [](const Json& manifest) {
    std::vector<ExpectedConstant> out;
    for (const Json& c : manifest.at("constants")) {
      const auto align = c.at("align").get<std::uint32_t>();
      out.push_back({c.at("symbol"), c.at("bytes").get<std::uint64_t>(), align, c.at("region"), c.at("xxh3_128")});
    }
    return out;
  });
}

Result<ManifestSections> read_manifest_sections(std::string_view text, const std::string& file, Diagnostics& diags) {
  return read_manifest(text, file, diags, [](const Json& manifest) {
    ManifestSections out;
    out.prefix = manifest.value("prefix", "");
    for (const Json& r : manifest.at("regions")) out.regions[r.at("name")] = r.at("section");
    for (const Json& w : manifest.value("further_workspaces", Json::array())) out.workspaces.push_back(workspace_of(w));
    return out;
  });
}

Result<ManifestModel> read_manifest_model(std::string_view text, const std::string& file, Diagnostics& diags) {
  auto model = read_manifest(text, file, diags, model_of);
  if (!model || !check_model(model->interface, file, diags)) return failure;
  return model;
}

std::optional<DType> read_dtype(std::string_view name) {
  for (std::uint32_t i = 0; i < 64; ++i)
    if (to_string(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace byoc
