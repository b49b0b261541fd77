#include "sdk/app/check/probe.hpp"

#include <algorithm>
#include <exception>

#include "sdk/app/check/record.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/codegen/codegen/region_onnx.hpp"
#include "sdk/codegen/codegen/region_tflite.hpp"
#include "sdk/codegen/plugin/abi/abi_read.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::check {
namespace {

using plugin::make_struct;
using plugin::read_struct;
using plugin::size32;
using plugin::to_abi;
using plugin::to_text;

std::string field(std::string_view s) { return std::to_string(s.size()) + ":" + std::string(s); }
std::string field(const byoc_string_t& s) { return field(to_text(s)); }
std::string field(const char* s) { return s; }
template <class T>
  requires requires(const T& value) { record_of(value); }
std::string field(const T& value) {
  return record_of(value);
}

// Reads a verdict as the plug-in gave it, valid or not.
ToldVerdict read_verdict(const byoc_verdict_t* from) {
  ToldVerdict out{};
  if (!read_struct(from, out.verdict)) out.verdict.struct_size = 0;
  out.text = to_text(out.verdict.text);
  out.verdict.text = {};
  return out;
}

}  // namespace

const char* to_string(Function f) {
  static const char* const kNames[] = {"diag",
                                       "log",
                                       "progress",
                                       "cancelled",
                                       "extension",
                                       "scratch_directory",
                                       "identity",
                                       "region_as_onnx",
                                       "region_as_tflite",
                                       "node",
                                       "group",
                                       "replace",
                                       "claim",
                                       "artifact_begin",
                                       "artifact_write",
                                       "artifact_end",
                                       "artifact_from_constant",
                                       "private_value",
                                       "step",
                                       "alias",
                                       "stored_privately",
                                       "fused",
                                       "instance",
                                       "artifact_arranged"};
  return kNames[static_cast<std::size_t>(f)];
}

Probe::Probe(const plugin::Plugin& plugin, const TargetSpec& target, std::vector<plugin::OptionValue> options,
             const ProbeOptions& how, Stage& stage, Findings& findings, std::string check)
    : plugin_(plugin),
      target_(target),
      options_(std::move(options)),
      how_(how),
      stage_(stage),
      findings_(findings),
      check_(std::move(check)),
      version_("byoc " BYOC_VERSION) {}

Probe::~Probe() { destroy(); }

Arena& Probe::arena(const char* name) { return *arenas_.emplace_back(std::make_unique<Arena>(how_.showing, name)); }

template <class... Texts>
void Probe::write(const Texts&... texts) {
  ((record += field(texts) + " "), ...);
  record += "\n";
}

bool Probe::knows(const byoc_region_t* region) const {
  return std::find(regions_.begin(), regions_.end(), region) != regions_.end();
}

// Every function of the host begins here.
byoc_status_t Probe::enter(Function function) {
  const bool claims = function == Function::node || function == Function::group;
  const bool build = function >= Function::claim;
  if (phase_ == Phase::none)
    misplaced.push_back(std::string("called ") + to_string(function) + " when no call of the host was running");
  else if (std::this_thread::get_id() != thread_)
    misplaced.push_back(std::string("called ") + to_string(function) + " from another thread");
  else if ((claims && phase_ != Phase::verdicts) || (build && phase_ != Phase::compile) ||
           (function == Function::replace && phase_ != Phase::update))
    misplaced.push_back(std::string("called ") + to_string(function) + " in another call than " +
                        (claims  ? "verdicts"
                         : build ? "compile"
                                 : "update_constants"));
  const std::size_t n = ++calls_[static_cast<std::size_t>(function)];
  if (!how_.injection || how_.injection->function != function || how_.injection->call != n) return BYOC_OK;
  injected_ = true;
  return how_.injection->status;
}

template <class F>
byoc_status_t Probe::run(Phase phase, const char* name, const F& call) {
  stage_.enter(check_, doing.empty() ? name : std::string(name) + " of " + doing);
  phase_ = phase;
  thread_ = std::this_thread::get_id();
  record.clear();
  errors.clear();
  byoc_status_t status = BYOC_INTERNAL;
  bool returned = false;
  try {
    status = call();
    returned = true;
  } catch (const std::exception& e) {
    findings_.add({check_, "C1", std::string("an exception left ") + name, e.what(), "a status"});
  } catch (...) {
    findings_.add({check_, "C1", std::string("an exception left ") + name, {}, "a status"});
  }
  phase_ = Phase::none;
  if (returned && status != BYOC_OK && errors.empty() && !injected_ && status != BYOC_CANCELLED)
    findings_.add({check_, "C4", std::string(name) + " failed without saying why", "status " + std::to_string(status),
                   "an error through diag first"});
  regions_.clear();
  sources_ = {};
  return status;
}

// Refuses a call like a host that has reported the reason.
byoc_status_t Probe::refuse(byoc_status_t status, const char* why) {
  errors.emplace_back(why);
  return status;
}

byoc_status_t Probe::create() {
  life_ = &arena("create");
  Arena& call = arena("create");
  auto host = make_struct<byoc_host_t>();
  fill_host(host);
  host_ = life_->put(host);
  target_table_ = life_->copy(plugin::TargetTable(target_).table);
  life_->seal();
  std::vector<const byoc_option_value_t*> list;
  for (const plugin::OptionValue& o : options_) {
    auto v = make_struct<byoc_option_value_t>();
    v.type = o.type;
    v.name = call.text(to_abi(o.name));
    v.text = call.text(to_abi(o.text));
    v.integer = o.integer;
    v.real = o.real;
    list.push_back(call.put(v));
  }
  auto info = make_struct<byoc_create_info_t>();
  info.host = host_;
  info.target = target_table_;
  info.options = call.list(list.data(), list.size());
  info.option_count = size32(list);
  const auto* shown = call.put(info);
  call.seal();
  byoc_codegen_t* made = nullptr;
  const byoc_status_t status = run(Phase::create, "create", [&] { return plugin_.table.create(shown, &made); });
  call.retire();
  if (status == BYOC_OK && made == nullptr)
    findings_.add({check_, "C4", "create reported success and created nothing", {}, {}});
  if (status == BYOC_OK) codegen_ = made;
  return status == BYOC_OK && made == nullptr ? BYOC_INTERNAL : status;
}

void Probe::destroy() {
  if (codegen_ != nullptr) {
    byoc_codegen_t* gone = codegen_;
    codegen_ = nullptr;
    run(Phase::destroy, "destroy", [&] {
      plugin_.table.destroy(gone);
      return BYOC_OK;
    });
  }
  if (life_ != nullptr) life_->retire();
  scratch_.reset();
}

byoc_status_t Probe::verdicts(const codegen::Region& model, std::span<const codegen::Match> matches) {
  told.clear();
  groups.clear();
  Arena& call = arena("verdicts");
  const plugin::RegionTable table(model);
  const byoc_region_t* region = call.copy(table.table);
  std::vector<const byoc_match_t*> list;
  for (const codegen::Match& m : matches) {
    auto out = make_struct<byoc_match_t>();
    out.pattern = m.pattern;
    out.nodes = call.list(m.nodes.data(), m.nodes.size());
    out.node_count = size32(m.nodes);
    list.push_back(call.put(out));
  }
  auto claims = make_struct<byoc_claims_t>();
  claims.context = this;
  fill_claims(claims);
  auto request = make_struct<byoc_verdict_request_t>();
  request.model = region;
  request.target = target_table_;
  request.matches = call.list(list.data(), list.size());
  request.match_count = size32(list);
  request.claims = call.put(claims);
  const auto* shown = call.put(request);
  call.seal();
  regions_ = {region};
  sources_ = {&model, 1};
  const byoc_status_t status =
      run(Phase::verdicts, "verdicts", [&] { return plugin_.table.verdicts(codegen_, shown); });
  call.retire();
  return status;
}

// Errors in a constant are found by the check that exports: it asks the host itself.
byoc_status_t Probe::replace(std::uint32_t region, std::uint32_t value, const byoc_constant_t* constant) {
  if (const byoc_status_t s = enter(Function::replace); s != BYOC_OK) return s;
  byoc_constant_t c;
  if (!read_struct(constant, c) || region >= sources_.size() || value >= sources_[region].values.size() ||
      (c.rank != 0 && c.dims == nullptr) || (c.data_size != 0 && c.data == nullptr))
    return refuse(BYOC_INVALID_ARGUMENT, "replaced what is no constant");
  Replacement out{region, value, {}, {}, false};
  out.type.dtype = static_cast<DType>(c.dtype);
  out.type.dims.assign(c.dims, c.dims + c.rank);
  if (byoc_quantisation_t q; c.quantisation != nullptr && read_struct(c.quantisation, q))
    out.type.quantisation = {{q.scales, q.scales + q.count}, {q.zero_points, q.zero_points + q.count}, q.axis};
  const auto* bytes = static_cast<const std::byte*>(c.data);
  out.bytes.assign(bytes, bytes + c.data_size);
  if (!sources_[region].values[value].is_constant || out.type.bytes() != out.bytes.size())
    return refuse(BYOC_INVALID_ARGUMENT, "replaced a constant with something else");
  const codegen::Value& was = sources_[region].values[value];
  out.retyped = was.dtype != out.type.dtype || was.dims != out.type.dims;
  write("replace", region, value, c.dtype, std::string_view(static_cast<const char*>(c.data), out.bytes.size()));
  for (const std::int64_t d : out.type.dims) write("dim", d);
  for (const float s : out.type.quantisation.scales) write("scale", s);
  for (const std::int64_t z : out.type.quantisation.zero_points) write("zero point", z);
  replaced_.push_back(std::move(out));
  return BYOC_OK;
}

// Puts what it replaces into the regions, which hold it then.
byoc_status_t Probe::update(std::vector<codegen::Region>& regions) {
  replaced_.clear();
  record.clear();
  if (plugin_.table.update_constants == nullptr) return BYOC_OK;
  Arena& call = arena("update_constants");
  for (const codegen::Region& r : regions) regions_.push_back(call.copy(plugin::RegionTable(r).table));
  sources_ = regions;
  auto updates = make_struct<byoc_updates_t>();
  updates.context = this;
  updates.replace = [](const byoc_updates_t* u, std::uint32_t region, std::uint32_t value, const byoc_constant_t* c) {
    return of(u).replace(region, value, c);
  };
  auto request = make_struct<byoc_update_request_t>();
  request.target = target_table_;
  request.regions = call.list(regions_.data(), regions_.size());
  request.region_count = size32(regions_);
  request.updates = call.put(updates);
  const auto* shown = call.put(request);
  call.seal();
  const byoc_status_t status =
      run(Phase::update, "update_constants", [&] { return plugin_.table.update_constants(codegen_, shown); });
  call.retire();
  for (const Replacement& r : replaced_) {
    codegen::Value& v = regions[r.region].values[r.value];
    v.dtype = r.type.dtype;
    v.dims = r.type.dims;
    v.quantisation = r.type.quantisation;
    v.data = r.bytes;
  }
  return status;
}

byoc_status_t Probe::compile(std::span<const codegen::Region> as_in_the_model, std::uint32_t attempt) {
  std::vector<codegen::Region> regions(as_in_the_model.begin(), as_in_the_model.end());
  if (const byoc_status_t s = update(regions); s != BYOC_OK) return s;
  const std::string updates = record;
  names_ = NameTable();
  artifacts_ = 0;
  private_values_ = 0;
  Arena& call = arena("compile");
  replies_ = &arena("compile");
  for (const codegen::Region& r : regions) regions_.push_back(call.copy(plugin::RegionTable(r).table));
  sources_ = regions;
  auto build = make_struct<byoc_build_t>();
  build.context = this;
  fill_build(build);
  auto request = make_struct<byoc_compile_request_t>();
  request.target = target_table_;
  request.regions = call.list(regions_.data(), regions_.size());
  request.region_count = size32(regions_);
  request.attempt = attempt;
  request.prefix = call.text(to_abi("model"));
  request.internal_header = call.text(to_abi("model_internal.h"));
  request.build = call.put(build);
  const auto* shown = call.put(request);
  call.seal();
  const byoc_status_t status = run(Phase::compile, "compile", [&] { return plugin_.table.compile(codegen_, shown); });
  record = updates + record;
  call.retire();
  replies_->retire();
  return status;
}

byoc_status_t Probe::in_form(const byoc_region_t* region, const codegen::Region*& source) {
  const auto at = std::find(regions_.begin(), regions_.end(), region);
  if (at == regions_.end()) return refuse(BYOC_INVALID_ARGUMENT, "asked for a region of another call as a model");
  const auto index = static_cast<std::size_t>(at - regions_.begin());
  source = &sources_[index];
  for (const Replacement& r : replaced_)
    if (phase_ == Phase::compile && r.region == index && r.retyped)
      return refuse(BYOC_UNSUPPORTED, "constants of the region have got another type");
  return BYOC_OK;
}

byoc_status_t Probe::as_tflite(const byoc_region_t* region, byoc_write_fn to, void* user) {
  if (const byoc_status_t s = enter(Function::region_as_tflite); s != BYOC_OK) return s;
  const codegen::Region* asked = nullptr;
  if (const byoc_status_t s = in_form(region, asked); s != BYOC_OK) return s;
  const codegen::TfliteForm model = plugin::tflite_model(*asked);
  if (!model.refusal.empty()) return refuse(BYOC_UNSUPPORTED, model.refusal.c_str());
  return to(user, model.bytes.data(), model.bytes.size());
}

byoc_status_t Probe::as_onnx(const byoc_region_t* region, byoc_write_fn to, void* user) {
  if (const byoc_status_t s = enter(Function::region_as_onnx); s != BYOC_OK) return s;
  const codegen::Region* asked = nullptr;
  if (const byoc_status_t s = in_form(region, asked); s != BYOC_OK) return s;
  const codegen::Region& source = *asked;
  if (plugin::rounds_as_tflite(source) && (plugin_.table.caps & BYOC_CAP_OTHER_ROUNDING) == 0)
    return refuse(BYOC_UNSUPPORTED, "the region rounds otherwise than ONNX");
  const auto model = plugin::onnx_model(source);
  const auto* made = std::get_if<plugin::OnnxModel>(&model);
  if (made == nullptr) return refuse(BYOC_UNSUPPORTED, std::get<plugin::OnnxRefusal>(model).text.c_str());
  for (const std::span<const std::byte> piece : made->pieces)
    if (const byoc_status_t s = to(user, piece.data(), piece.size()); s != BYOC_OK) return s;
  return BYOC_OK;
}

void Probe::fill_host(byoc_host_t& table) {
  table.abi_minor = how_.abi_minor.value_or(plugin_.abi_minor);
  table.context = this;
  table.version = life_->text(to_abi(version_));
  table.diag = [](const byoc_host_t* h, const byoc_diagnostic_t* d) {
    Probe& p = of(h);
    (void)p.enter(Function::diag);
    byoc_diagnostic_t read;
    if (!read_struct(d, read) || read.severity > BYOC_ERROR)
      return p.findings_.add({p.check_, "C4", "a diagnostic that is none", {}, {}});
    if (read.region != nullptr && !p.knows(read.region))
      p.findings_.add({p.check_, "C3", "a diagnostic is about a region that is none of the running call", {}, {}});
    if (read.severity == BYOC_ERROR) p.errors.push_back(to_text(read.message));
    p.write("diag", read.severity, read.message, read.found, read.expected, read.node);
  };
  table.log = [](const byoc_host_t* h, std::uint32_t, const byoc_string_t*) { (void)of(h).enter(Function::log); };
  table.progress = [](const byoc_host_t* h, std::uint64_t, std::uint64_t, const byoc_string_t*) {
    (void)of(h).enter(Function::progress);
  };
  table.cancelled = [](const byoc_host_t* h) -> std::uint32_t {
    Probe& p = of(h);
    (void)p.enter(Function::cancelled);
    return p.how_.cancel_from != 0 && p.calls(Function::cancelled) >= p.how_.cancel_from ? 1 : 0;
  };
  table.scratch_directory = [](const byoc_host_t* h, byoc_string_t* path) {
    Probe& p = of(h);
    *path = {};
    if (const byoc_status_t s = p.enter(Function::scratch_directory); s != BYOC_OK) return s;
    if (!p.scratch_) {
      Diagnostics diags;
      auto made = TemporaryDirectory::create(diags);
      if (!made) return BYOC_FAILED;
      p.scratch_.emplace(std::move(*made));
    }
    *path = to_abi(p.scratch_->path());
    return BYOC_OK;
  };
  table.identity = [](const byoc_host_t* h, const byoc_region_t* region, std::uint32_t value, byoc_identity_t* out) {
    Probe& p = of(h);
    *out = {};
    if (const byoc_status_t s = p.enter(Function::identity); s != BYOC_OK) return s;
    if (!p.knows(region) || value >= region->value_count || region->values[value]->data == nullptr)
      return BYOC_INVALID_ARGUMENT;
    const byoc_value_t& v = *region->values[value];
    const Identity i = identify({static_cast<const std::byte*>(v.data), static_cast<std::size_t>(v.data_size)});
    *out = {i.size, i.high, i.low};
    return BYOC_OK;
  };
  table.region_as_tflite = [](const byoc_host_t* h, const byoc_region_t* region, byoc_write_fn to, void* user) {
    return of(h).as_tflite(region, to, user);
  };
  table.region_as_onnx = [](const byoc_host_t* h, const byoc_region_t* region, byoc_write_fn to, void* user) {
    return of(h).as_onnx(region, to, user);
  };
  table.extension = [](const byoc_host_t* h, const byoc_string_t*) -> const void* {
    (void)of(h).enter(Function::extension);
    return nullptr;
  };
}

// Records the fault, too, because it may differ between runs.
template <class Told, class From>
byoc_status_t Probe::write_struct(const char* what, const From* from) {
  Told out;
  const plugin::Fault fault = plugin::read(from, out);
  write(what, out, fault ? fault->what + fault->found : std::string());
  return fault ? BYOC_INVALID_ARGUMENT : BYOC_OK;
}

void Probe::fill_claims(byoc_claims_t& table) {
  table.node = [](const byoc_claims_t* c, const byoc_verdict_t* v) {
    Probe& p = of(c);
    if (const byoc_status_t s = p.enter(Function::node); s != BYOC_OK) return s;
    p.told.push_back(read_verdict(v));
    (void)p.write_struct<plugin::NodeVerdict>("verdict", v);
    return BYOC_OK;
  };
  table.group = [](const byoc_claims_t* c, const std::uint32_t* nodes, std::uint32_t count, std::uint32_t pattern,
                   const byoc_verdict_t* v) {
    Probe& p = of(c);
    if (const byoc_status_t s = p.enter(Function::group); s != BYOC_OK) return s;
    ToldGroup g{{}, pattern, read_verdict(v)};
    if (nodes != nullptr) g.nodes.assign(nodes, nodes + count);
    p.write("group", pattern, g.nodes);
    (void)p.write_struct<plugin::NodeVerdict>("verdict", v);
    p.groups.push_back(std::move(g));
    return BYOC_OK;
  };
}

void Probe::fill_build(byoc_build_t& table) {
  table.claim = [](const byoc_build_t* b, const byoc_string_t* stem, byoc_string_t* symbol) {
    Probe& p = of(b);
    *symbol = {};
    if (const byoc_status_t s = p.enter(Function::claim); s != BYOC_OK) return s;
    *symbol = p.replies_->text(to_abi(p.names_.claim("model_" + to_text(*stem))));
    p.write("claim", *symbol);
    return BYOC_OK;
  };
  table.artifact_begin = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t* handle) {
    Probe& p = of(b);
    *handle = BYOC_NONE;
    if (const byoc_status_t s = p.enter(Function::artifact_begin); s != BYOC_OK) return s;
    *handle = p.artifacts_++;
    p.write("begin", *handle);
    (void)p.write_struct<plugin::Artifact>("artifact", artifact);
    return BYOC_OK;
  };
  table.artifact_write = [](const byoc_build_t* b, std::uint32_t handle, const void* bytes, std::uint64_t size) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::artifact_write); s != BYOC_OK) return s;
    if (handle >= p.artifacts_ || (size != 0 && bytes == nullptr)) return BYOC_INVALID_ARGUMENT;
    p.write("bytes", handle,
            std::string_view(size == 0 ? "" : static_cast<const char*>(bytes), static_cast<std::size_t>(size)));
    return BYOC_OK;
  };
  table.artifact_end = [](const byoc_build_t* b, std::uint32_t handle) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::artifact_end); s != BYOC_OK) return s;
    p.write("end", handle);
    return BYOC_OK;
  };
  table.artifact_from_constant = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t region,
                                    std::uint32_t value, std::uint64_t offset, std::uint64_t length) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::artifact_from_constant); s != BYOC_OK) return s;
    p.write("constant", region, value, offset, length);
    (void)p.write_struct<plugin::Artifact>("artifact", artifact);
    return BYOC_OK;
  };
  table.artifact_arranged = [](const byoc_build_t* b, const byoc_artifact_t* artifact, std::uint32_t region,
                               std::uint32_t value, const byoc_arrangement_t* arrangement) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::artifact_arranged); s != BYOC_OK) return s;
    p.write("arranged", region, value);
    (void)p.write_struct<plugin::Artifact>("artifact", artifact);
    return p.write_struct<codegen::Arrangement>("arrangement", arrangement);
  };
  table.private_value = [](const byoc_build_t* b, const byoc_private_value_t* value, std::uint32_t* id) {
    Probe& p = of(b);
    *id = BYOC_NONE;
    if (const byoc_status_t s = p.enter(Function::private_value); s != BYOC_OK) return s;
    if (const byoc_status_t s = p.write_struct<codegen::PrivateValue>("private value", value); s != BYOC_OK) return s;
    *id = p.private_values_++;
    return BYOC_OK;
  };
  table.step = [](const byoc_build_t* b, std::uint32_t region, const byoc_step_t* step) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::step); s != BYOC_OK) return s;
    p.write("of", region);
    (void)p.write_struct<codegen::Step>("step", step);
    return BYOC_OK;
  };
  table.alias = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t to) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::alias); s != BYOC_OK) return s;
    p.write("alias", region, value, to);
    return BYOC_OK;
  };
  table.stored_privately = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value,
                              const byoc_private_layout_t* layout) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::stored_privately); s != BYOC_OK) return s;
    p.write("stored privately", region, value);
    return p.write_struct<codegen::PrivateLayout>("layout", layout);
  };
  table.fused = [](const byoc_build_t* b, std::uint32_t region, std::uint32_t value, std::uint32_t into) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::fused); s != BYOC_OK) return s;
    p.write("fused", region, value, into);
    return BYOC_OK;
  };
  table.instance = [](const byoc_build_t* b, const byoc_instance_t* instance) {
    Probe& p = of(b);
    if (const byoc_status_t s = p.enter(Function::instance); s != BYOC_OK) return s;
    return p.write_struct<codegen::Instance>("instance", instance);
  };
}

}  // namespace byoc::check
