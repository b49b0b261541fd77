#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <span>

#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/pack/format_version.hpp"
#include "sdk/library/pack/manifest.hpp"

namespace byoc {
namespace {

std::uint32_t small_number(const Json& json) {
  const std::uint64_t value = whole_number(json);
  return value >> 32 == 0 ? static_cast<std::uint32_t>(value) : 0;  // no size or alignment that there is
}

RewriteSummary rewrite_of(const Json& json) {
  return {json.at("name"), whole_number(json.at("count")), whole_number(json.at("macs")),
          whole_number(json.at("constant_bytes")), whole_number(json.at("tensor_bytes"))};
}

IoTensor io_of(const Json& json) {
  IoTensor t;
  t.name = json.at("name");
  t.field = json.at("field");
  t.dtype = read_dtype(json.at("dtype").get<std::string>()).value_or(DType::undefined);
  for (const Json& d : json.at("dims")) t.dims.push_back(static_cast<std::int64_t>(whole_number(d)));
  t.bytes = whole_number(json.at("bytes"));
  t.quantisation.scales = json.value("scales", std::vector<float>());
  for (const Json& z : json.value("zero_points", Json::array())) t.quantisation.zero_points.push_back(integer(z));
  if (json.contains("axis")) t.quantisation.axis = static_cast<int>(small_number(json.at("axis")));
  if (json.contains("counted"))
    for (const Json& c : json.at("counted"))
      t.counted.push_back({small_number(c.at("dim")), small_number(c.at("output"))});
  t.overwritten = json.value("overwritten", false);
  if (json.contains("align")) t.align = small_number(json.at("align"));
  return t;
}

BoundedValue bounded_of(const Json& json, bool is_output) {
  BoundedValue b{json.at("name"), is_output};
  b.is_sequence = json.value("sequence", false);
  b.is_optional = json.value("optional", false);
  const std::string dtype = json.at("dtype");
  b.dtype = dtype == to_string(DType::string) ? DType::string : read_dtype(dtype).value_or(DType::undefined);
  b.first = small_number(json.at("first"));
  b.elements = small_number(json.at("tensors"));
  if (json.contains("count")) b.count = small_number(json.at("count"));
  if (json.contains("given")) b.given = small_number(json.at("given"));
  return b;
}

StepInfo step_of(const Json& json) {
  StepInfo s;
  s.symbol = json.at("symbol");
  s.kernel = json.value("kernel", "");
  s.codegen = json.value("codegen", "");
  s.nodes = json.value("nodes", std::vector<std::string>());
  s.macs = number_or_0(json, "macs");
  s.constant_bytes = number_or_0(json, "constant_bytes");
  s.live_bytes = number_or_0(json, "live_bytes");
  s.workspace_bytes = number_or_0(json, "workspace_bytes");
  s.estimated_instructions = number_or_0(json, "estimated_instructions");
  s.kernel_bytes = number_or_0(json, "kernel_bytes");
  s.remark = json.value("remark", "");
  s.failure = json.value("failure", "");
  return s;
}

PoolWorkspace workspace_of(const Json& json) {
  return {json.at("pool"),
          json.at("field"),
          json.at("section"),
          whole_number(json.at("bytes")),
          small_number(json.at("align")),
          number_or_0(json, "lower_bound")};
}

std::optional<PoolPlace> instance_place_of(const Json& instance) {
  if (!instance.contains("pool")) return std::nullopt;
  return PoolPlace{instance.at("pool"), instance.at("field"), instance.at("section")};
}

std::vector<ExpectedConstant> stated_constants(const Json& manifest) {
  std::vector<ExpectedConstant> out;
  for (const Json& c : manifest.at("constants"))
    out.push_back({c.at("symbol"), whole_number(c.at("bytes")), small_number(c.at("align")), c.at("region"),
                   c.at("xxh3_128"), c.value("may_be_dropped", false), c.value("model_data", true)});
  return out;
}

RunFailure failure_of(const Json& json) {
  return {json.at("code").get<std::int32_t>(), json.at("name"), json.at("symbol"), json.at("text")};
}

// Throws what nlohmann throws where a field is missing or of another type.
ModelInterface stated_interface(const Json& json) {
  ModelInterface m;
  m.prefix = json.at("prefix");
  m.name = json.at("model");
  for (const Json& t : json.at("inputs")) m.inputs.push_back(io_of(t));
  for (const Json& t : json.at("outputs")) m.outputs.push_back(io_of(t));
  for (const bool is_output : {false, true})
    if (const char* key = is_output ? "bounded_outputs" : "bounded_inputs"; json.contains(key))
      for (const Json& b : json.at(key)) m.bounded.push_back(bounded_of(b, is_output));
  m.workspace_bytes = whole_number(json.at("workspace").at("bytes"));
  m.workspace_align = small_number(json.at("workspace").at("align"));
  m.workspace_lower_bound = number_or_0(json.at("workspace"), "lower_bound");
  for (const Json& w : json.value("further_workspaces", Json::array())) m.further_workspaces.push_back(workspace_of(w));
  m.instance_bytes = whole_number(json.at("instance").at("bytes"));
  m.instance_align = small_number(json.at("instance").at("align"));
  m.instance_place = instance_place_of(json.at("instance"));
  m.devices = json.value("devices", std::vector<std::string>());
  if (json.contains("bound_weights")) m.bound_bytes = whole_number(json.at("bound_weights").at("bytes"));
  m.weight_bytes = number_or_0(json, "weight_bytes");
  for (const Json& s : json.at("steps")) m.steps.push_back(step_of(s));
  for (const Json& f : json.value("failures", Json::array())) m.failures.push_back(failure_of(f));
  for (const Json& r : json.value("rewrites", Json::array())) m.rewrites.push_back(rewrite_of(r));
  return m;
}

CodegenOrigin stated_origin(const Json& json) {
  return {.id = json.at("id"),
          .version = json.value("version", ""),
          .options = json.value("options", std::map<std::string, std::string>()),
          .licence = json.value("licence", ""),
          .xxh3_128 = json.value("xxh3_128", ""),
          .sha256 = json.value("sha256", "")};
}

StackBound stated_stack(const Json& json) {
  return {.bytes = number_or_0(json, "bytes"),
          .allowance = number_or_0(json, "allowance"),
          .allowed_for = json.value("allowed_for", std::vector<std::string>()),
          .unknown = json.value("why", "")};
}

// Throws as stated_interface().
LibraryDescription description_of(const Json& json) {
  LibraryDescription out;
  out.byoc = json.value("byoc", "");
  out.interface = stated_interface(json);
  out.model_sha256 = json.value("model_sha256", "");
  const Json& target = json.at("target");
  out.target = {target.at("name"), target.value("triple", ""), target.value("cpu", ""), target.value("float_abi", "")};
  out.toolchain = json.value("toolchain", "");
  out.executor = json.value("executor", "aot");
  if (json.contains("bound_weights")) out.weights_layout = json.at("bound_weights").value("layout", "");
  for (const Json& o : json.value("codegens", Json::array())) out.origins.push_back(stated_origin(o));
  for (const Json& r : json.at("regions")) out.regions.push_back({r.at("name"), r.at("section")});
  out.constants = stated_constants(json);
  if (json.contains("flash"))
    out.flash = {number_or_0(json.at("flash"), "code"), number_or_0(json.at("flash"), "constants")};
  if (json.contains("stack")) out.stack = stated_stack(json.at("stack"));
  out.undefined = json.value("undefined", std::vector<std::string>());
  out.members = json.value("members", std::vector<std::string>());
  out.shared_kernels = json.value("shared_kernels", std::vector<std::string>());
  out.link_libraries = json.value("link_libraries", std::vector<std::string>());
  for (const Json& l : json.value("licences", Json::array()))
    out.licences.push_back({l.at("codegen"), l.value("spdx", ""), l.value("text", "")});
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
auto parse_manifest(std::string_view text, const std::string& file, Diagnostics& diags, const F& read)
    -> Result<decltype(read(Json()))> {
  try {
    Json manifest = parse_ordered_json(text);
    if (!bring_up_to_date(manifest, kFormat, file, diags)) return failure;
    fill_in(manifest);
    return read(manifest);
  } catch (const Json::exception& error) {
    const FileKind kind = kind_of_start(std::as_bytes(std::span(text)));
    return diags.error(file, {}, "is no manifest of byoc", kind == FileKind::json ? problem(error) : found_kind(kind),
                       "the .json that byoc export wrote");
  }
}

// The tensors that bounded values refer to must be among the inputs and outputs.
void check_bounded(const ModelInterface& m, const std::string& file, Diagnostics& diags) {
  for (const BoundedValue& b : m.bounded) {
    const std::vector<IoTensor>& side = b.is_output ? m.outputs : m.inputs;
    const auto flag = [&](const std::optional<std::uint32_t>& at, DType dtype) {
      return !at || (*at < side.size() && side[*at].dtype == dtype && side[*at].dims.empty());
    };
    bool good = b.dtype != DType::undefined && b.first <= side.size() && b.elements <= side.size() - b.first &&
                (b.is_sequence || b.elements == 1) && flag(b.count, DType::i32) && flag(b.given, DType::boolean);
    for (std::uint32_t i = 0; good && b.is_text() && i < b.elements; ++i)
      good =
          side[b.first + i].dtype == DType::u8 && !side[b.first + i].dims.empty() && side[b.first + i].dims.back() > 0;
    if (!good) diags.error(file, b.name, "the manifest says of a bounded value what is not so");
  }
}

// True for at most one scale and zero point, or one of each for every index of an existing dim.
bool is_consistent(const Quantisation& q, const std::vector<std::int64_t>& dims) {
  if (q.zero_points.size() != q.scales.size()) return false;
  if (!q.per_axis()) return q.scales.size() <= 1;
  const auto axis = static_cast<std::size_t>(q.axis);
  return axis < dims.size() && static_cast<std::int64_t>(q.scales.size()) == dims[axis];
}

// Values that become C again must be those that the export wrote.
Result<void> check_model(const ModelInterface& m, const std::string& file, Diagnostics& diags) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  const std::size_t before = diags.count();
  const auto identifier = [&](const std::string& name) {
    if (!is_identifier(name)) diags.error(file, name, "a name of the manifest is no C identifier");
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
    (void)bool(check_text(w.section, kSectionName, file, "section", diags));
  }
  size("instance", m.instance_bytes, m.instance_align);
  if (m.instance_place) {
    identifier(m.instance_place->field);
    (void)bool(check_text(m.instance_place->section, kSectionName, file, "section", diags));
  }
  for (const std::string& d : m.devices) identifier(d);
  for (const StepInfo& s : m.steps) (void)bool(check_text(s.symbol, kSymbolName, file, "symbol", diags));
  for (const auto* tensors : {&m.inputs, &m.outputs})
    for (const IoTensor& t : *tensors) {
      identifier(t.field);
      size(t.field, t.bytes, t.align == 0 ? 1 : t.align);
      for (const CountedLength& c : t.counted)
        if (tensors != &m.outputs || c.dim >= t.dims.size() || c.output >= m.outputs.size() ||
            &m.outputs[c.output] <= &t || m.outputs[c.output].bytes != sizeof(std::int32_t))
          diags.error(file, t.name, "the manifest counts a dim by what is no count", std::to_string(c.output));
      if (t.dtype == DType::undefined) diags.error(file, t.name, "an element type of the manifest is not known");
      if (!is_consistent(t.quantisation, t.dims))
        diags.error(file, t.name, "the manifest has scales and zero points that are not those of the tensor's dims");
    }
  check_bounded(m, file, diags);
  return diags.count() == before ? Result<void>() : failure;
}

}  // namespace

Result<std::vector<ExpectedConstant>> read_manifest_constants(std::string_view text, const std::string& file,
                                                              Diagnostics& diags) {
  return parse_manifest(text, file, diags, stated_constants);
}

Result<ManifestSections> read_manifest_sections(std::string_view text, const std::string& file, Diagnostics& diags) {
  return parse_manifest(text, file, diags, [](const Json& manifest) {
    ManifestSections out;
    out.prefix = manifest.value("prefix", "");
    for (const Json& r : manifest.at("regions")) out.regions[r.at("name")] = r.at("section");
    if (const Json w = manifest.value("workspace", Json::object()); !w.empty())
      out.workspace = PoolWorkspace{{}, {}, {}, whole_number(w.at("bytes")), small_number(w.at("align"))};
    for (const Json& w : manifest.value("further_workspaces", Json::array())) out.workspaces.push_back(workspace_of(w));
    const Json instance = manifest.value("instance", Json::object());
    if (const auto at = instance_place_of(instance))
      out.instance = PoolWorkspace{at->pool, at->field, at->section, whole_number(instance.at("bytes")),
                                   small_number(instance.at("align"))};
    return out;
  });
}

Result<LibraryDescription> read_manifest(std::string_view text, const std::string& file, Diagnostics& diags) {
  auto out = parse_manifest(text, file, diags, description_of);
  if (!out || !check_model(out->interface, file, diags)) return failure;
  const std::size_t before = diags.count();
  (void)bool(check_text(out->target.name, kPlainName, file, "target", diags));
  for (const std::string& l : out->link_libraries) (void)bool(check_text(l, kPlainName, file, "link_libraries", diags));
  if (diags.count() != before) return failure;
  return out;
}

std::string manifest_library(std::string_view text) {
  const SortedJson manifest = try_parse_json(text);
  if (!manifest.is_object() || !manifest.contains("byoc")) return {};
  const auto library = manifest.find("library");
  return library != manifest.end() && library->is_string() ? library->get<std::string>() : std::string();
}

Result<LibraryDescription> read_manifest_of(std::string_view text, const std::string& prefix, const std::string& file,
                                            Diagnostics& diags) {
  auto out = read_manifest(text, file, diags);
  if (!out) return failure;
  if (out->interface.prefix != prefix)
    return diags.error(file, "prefix", "the manifest is of another model", out->interface.prefix, prefix);
  const std::size_t before = diags.count();
  for (const ExpectedConstant& c : out->constants) {
    (void)bool(check_text(c.symbol, kIdentifier, file, "symbol", diags));
    (void)bool(check_text(c.region, kOneLine, file, "region", diags));
  }
  if (diags.count() != before) return failure;
  return out;
}

std::optional<DType> read_dtype(std::string_view name) {
  for (std::uint32_t i = 0; i < kNumericTypeCount; ++i)
    if (to_string(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace byoc
