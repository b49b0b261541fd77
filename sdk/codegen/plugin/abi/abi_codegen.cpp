#include "sdk/codegen/plugin/abi/abi_codegen.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "byoc/abi/ext/moving_constants.h"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/codegen/codegen/region_onnx.hpp"
#include "sdk/codegen/codegen/region_tflite.hpp"
#include "sdk/codegen/codegen/running.hpp"
#include "sdk/codegen/plugin/abi/abi_build.hpp"
#include "sdk/codegen/plugin/abi/abi_claims.hpp"
#include "sdk/codegen/plugin/abi/abi_phase.hpp"
#include "sdk/codegen/plugin/abi/abi_read.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

std::string join_message(const std::string& message, const std::string& found, const std::string& expected,
                         const std::string& hint = {}) {
  std::string out = message;
  if (!found.empty()) out += " (found " + found + (expected.empty() ? ")" : ", expected " + expected + ")");
  if (found.empty() && !expected.empty()) out += " (expected " + expected + ")";
  if (!hint.empty()) out += "; " + hint;
  return out;
}

std::vector<codegen::Pattern> patterns_of(const byoc_plugin_t& plugin) {
  std::vector<codegen::Pattern> out;
  for (std::uint32_t i = 0; i < plugin.pattern_count; ++i) {
    byoc_pattern_t p;
    if (!read_struct(plugin.patterns[i], p)) continue;  // negotiate() has refused that, and what follows
    codegen::Pattern pattern{to_text(p.name), {}};
    for (std::uint32_t n = 0; n < p.node_count; ++n) {
      byoc_pattern_node_t node;
      if (!read_struct(p.nodes[n], node)) continue;
      pattern.nodes.push_back({to_text(node.domain), to_text(node.op),
                               std::vector<std::int32_t>(node.inputs, node.inputs + node.input_count),
                               (node.flags & BYOC_PATTERN_OPTIONAL) != 0,
                               (node.flags & BYOC_PATTERN_COMMUTATIVE) != 0});
    }
    out.push_back(std::move(pattern));
  }
  return out;
}

// One codegen of a plug-in. The host table that the plug-in holds points here, so it never moves.
class AbiCodegen final : public codegen::Codegen {
 public:
  AbiCodegen(const Plugin& plugin, const TargetSpec& target, std::vector<OptionValue> options, const Services& services,
             Diagnostics& diags)
      : plugin_(plugin),
        target_(target),
        target_table_(target_),
        options_(std::move(options)),
        services_(services),
        diags_(diags),
        patterns_(patterns_of(plugin.table)),
        claims_(plugin_, patterns_.size(), [this](const auto& m, const auto& f, const auto& e) { refuse(m, f, e); }),
        build_(phase_, [this](const auto& m, const auto& f, const auto& e) { refuse(m, f, e); }) {
    fill_host_table();
    updates_.context = this;
    updates_.replace = [](const byoc_updates_t* u, std::uint32_t region, std::uint32_t value,
                          const byoc_constant_t* c) { return of(u).take_update(region, value, c); };
  }
  AbiCodegen(const AbiCodegen&) = delete;
  AbiCodegen& operator=(const AbiCodegen&) = delete;
  ~AbiCodegen() override {
    if (codegen_ == nullptr) return;
    const RunningCall running(plugin_.where, name_, "in destroy()");
    plugin_.table.destroy(codegen_);
  }

  Result<void> create() {
    std::vector<byoc_option_value_t> values;
    for (const OptionValue& o : options_) {
      auto v = make_struct<byoc_option_value_t>();
      v.type = o.type;
      v.name = to_abi(o.name);
      v.text = to_abi(o.text);
      v.integer = o.integer;
      v.real = o.real;
      values.push_back(v);
    }
    std::vector<const byoc_option_value_t*> list;
    for (const auto& v : values) list.push_back(&v);
    auto info = make_struct<byoc_create_info_t>();
    info.host = &host_;
    info.target = &target_table_.table;
    info.options = list.data();
    info.option_count = size32(list);
    told_ = 0;
    const byoc_status_t status = called("in create()", [&] { return plugin_.table.create(&info, &codegen_); });
    if (status != BYOC_OK) codegen_ = nullptr;
    if (status == BYOC_OK && codegen_ == nullptr) refuse("reported success and created nothing", {}, {});
    if (status != BYOC_OK && told_ == 0) refuse("could not be created and did not say why", status_text(status), {});
    tell_repeats();
    if (told_ != 0) return failure;
    called("in extension()", [&] {
      moving_ = moving_constants();
      return BYOC_OK;
    });
    return {};
  }

  std::string_view id() const override { return plugin_.id; }
  std::string_view version() const override { return plugin_.version; }
  // A role of a later minor is one of a vendor's here.
  codegen::Role role() const override {
    return plugin_.table.role == BYOC_ROLE_REFERENCE ? codegen::Role::reference : codegen::Role::vendor;
  }
  bool built_in() const override { return plugin_.built_in; }
  std::span<const codegen::Pattern> patterns() const override { return patterns_; }
  bool saves_memory() const override { return (plugin_.table.caps & BYOC_CAP_MEMORY_BUDGET) != 0; }
  bool moves_constants() const override { return moving_ != nullptr; }
  bool takes_open_dims() const override { return (plugin_.table.caps & BYOC_CAP_OPEN_DIMS) != 0; }
  bool accepts_rewrites() const override { return (plugin_.table.caps & BYOC_CAP_REWRITES) != 0; }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec&) override {
    ask(model, {});
    return claims_.take_verdicts();
  }

  // A plug-in tells verdicts and groups in one go, so it is asked once more, now with the matches, if it has patterns.
  std::vector<codegen::Group> groups(const codegen::Region& model, const TargetSpec&,
                                     std::span<const codegen::Match> matches) override {
    if (!matches.empty()) ask(model, matches);
    return claims_.take_groups();
  }

  bool update_constants(std::span<const codegen::Region> regions, codegen::ConstantUpdates& updates) override {
    retyped_.clear();
    if (plugin_.table.update_constants == nullptr) return true;
    std::vector<std::unique_ptr<RegionTable>> tables;
    const auto list = show(regions, tables);
    phase_ = {regions, tables, nullptr, &updates};
    cancelled_ = false;
    const std::size_t before = updates.errors();
    auto r = make_struct<byoc_update_request_t>();
    r.target = &target_table_.table;
    r.regions = list.data();
    r.region_count = size32(list);
    r.updates = &updates_;
    const byoc_status_t status =
        called("in update_constants()", [&] { return plugin_.table.update_constants(codegen_, &r); });
    if (status != BYOC_OK && updates.errors() == before)
      refuse_silent("could not update its constants and did not say why", status);
    phase_ = {};
    return status == BYOC_OK && updates.errors() == before;
  }

  bool compile(const codegen::Request& request, codegen::Host& host) override {
    std::vector<std::unique_ptr<RegionTable>> tables;
    const auto list = show(request.regions, tables);
    phase_ = {request.regions, tables, &host, nullptr};
    cancelled_ = false;
    auto r = make_struct<byoc_compile_request_t>();
    r.objective = static_cast<std::uint32_t>(request.objective);
    r.target = &target_table_.table;
    r.regions = list.data();
    r.region_count = size32(list);
    r.attempt = request.attempt;
    r.memory_budget = request.memory_budget;
    r.prefix = to_abi(request.prefix);
    r.internal_header = to_abi(request.internal_header);
    r.build = &build_.table;
    const std::size_t before = host.errors();
    const byoc_status_t status = called("in compile()", [&] {
      const byoc_status_t told = moving_ == nullptr ? BYOC_OK : moving_->move(codegen_, request.constants_move ? 1 : 0);
      return told == BYOC_OK ? plugin_.table.compile(codegen_, &r) : told;
    });
    build_.finish(host.errors() != before);
    if (status != BYOC_OK && host.errors() == before) refuse_silent("failed without saying why", status);
    phase_ = {};
    return status == BYOC_OK && host.errors() == before;
  }

 private:
  // Null: it does not have the extension.
  const byoc_moving_constants_t* moving_constants() const {
    const byoc_string_t id = to_abi(BYOC_MOVING_CONSTANTS);
    if (plugin_.table.extension == nullptr) return nullptr;
    const auto* table = static_cast<const byoc_moving_constants_t*>(plugin_.table.extension(&id));
    return table != nullptr && table->struct_size >= sizeof *table && table->move != nullptr ? table : nullptr;
  }
  static AbiCodegen& of(const byoc_host_t* h) { return *static_cast<AbiCodegen*>(h->context); }
  static AbiCodegen& of(const byoc_updates_t* u) { return *static_cast<AbiCodegen*>(u->context); }

  // The regions of a call as tables, which live in `tables`.
  std::vector<const byoc_region_t*> show(std::span<const codegen::Region> regions,
                                         std::vector<std::unique_ptr<RegionTable>>& tables) const {
    std::vector<const byoc_region_t*> list;
    for (const codegen::Region& r : regions)
      list.push_back(&tables.emplace_back(std::make_unique<RegionTable>(r))->table);
    return list;
  }

  static std::string status_text(byoc_status_t status) { return "status " + std::to_string(status); }

  // A call that failed without an error. Who was told that the user wants to stop need not say why.
  void refuse_silent(const std::string& message, byoc_status_t status) {
    if (cancelled_)
      refuse("stopped, for the export was cancelled", {}, {});
    else
      refuse(message, status_text(status), {});
  }

  // An error of the plug-in.
  void refuse(const std::string& message, const std::string& found, const std::string& expected) {
    ++told_;
    if (!phase_.diag(codegen::Severity::error, nullptr, codegen::kNoNode, join_message(message, found, expected)))
      repeats_.error_of(plugin_.id, plugin_.where, {}, message, found, expected);
  }
  void tell_repeats() {
    repeats_.tell(diags_);
    repeats_ = {};
  }

  // Calls the plug-in: whatever ends the process meanwhile can be told whose fault it is.
  template <class F>
  byoc_status_t called(const char* what, const F& function) {
    const RunningCall running(plugin_.where, name_, what);
    const Untold untold(repeats_);
    return function();
  }

  void ask(const codegen::Region& model, std::span<const codegen::Match> matches) {
    std::vector<std::unique_ptr<RegionTable>> tables;
    tables.push_back(std::make_unique<RegionTable>(model));
    phase_ = {std::span(&model, 1), tables, nullptr, nullptr};
    cancelled_ = false;
    told_ = 0;
    claims_.begin(model.nodes.size());
    std::vector<byoc_match_t> items;
    for (const codegen::Match& m : matches) {
      auto out = make_struct<byoc_match_t>();
      out.pattern = m.pattern;
      out.nodes = m.nodes.data();
      out.node_count = size32(m.nodes);
      items.push_back(out);
    }
    std::vector<const byoc_match_t*> list;
    for (const auto& m : items) list.push_back(&m);
    auto request = make_struct<byoc_verdict_request_t>();
    request.model = &tables[0]->table;
    request.target = &target_table_.table;
    request.matches = list.data();
    request.match_count = size32(list);
    request.claims = &claims_.table;
    const byoc_status_t status = called("in verdicts()", [&] { return plugin_.table.verdicts(codegen_, &request); });
    claims_.end();
    if (status != BYOC_OK && told_ == 0) refuse_silent("gave no verdicts and did not say why", status);
    claims_.drop_newer(model);
    if (told_ == 0) claims_.expect_all(model);
    phase_ = {};
    tell_repeats();
    if (told_ != 0) claims_.clear();
  }

  byoc_status_t refuse_argument(const std::string& message, const std::string& found = {},
                                const std::string& expected = {}) {
    refuse(message, found, expected);
    return BYOC_INVALID_ARGUMENT;
  }
  // Checks an update as far as possible without the constant that it replaces; the caller checks the rest.
  byoc_status_t take_update(std::uint32_t region, std::uint32_t value, const byoc_constant_t* from) {
    if (phase_.updates == nullptr) return BYOC_WRONG_STATE;
    byoc_constant_t c;
    if (!read_struct(from, c) || c.dtype == BYOC_UNDEFINED || c.dtype >= kNumericTypeCount || c.rank > 64 ||
        (c.rank != 0 && c.dims == nullptr) || (c.data_size != 0 && c.data == nullptr))
      return refuse_argument("replaces a constant with one that is none");
    if (region >= phase_.regions.size() || value >= phase_.regions[region].values.size())
      return refuse_argument("replaces a constant that does not exist",
                             "value " + std::to_string(value) + " of region " + std::to_string(region));
    codegen::Value type;
    type.dtype = static_cast<DType>(c.dtype);
    type.dims.assign(c.dims, c.dims + c.rank);
    if (c.quantisation != nullptr) {
      byoc_quantisation_t q;
      if (!read_struct(c.quantisation, q) || q.count == 0 || q.count > kLongestList || q.scales == nullptr ||
          q.zero_points == nullptr)
        return refuse_argument("replaces a constant with one whose quantisation is none");
      type.quantisation = {{q.scales, q.scales + q.count}, {q.zero_points, q.zero_points + q.count}, q.axis};
    }
    const codegen::Value& was = phase_.regions[region].values[value];
    if (was.dtype != type.dtype || was.dims != type.dims) retyped_.insert({region, value});
    const std::size_t before = phase_.updates->errors();
    try {
      const auto* bytes = static_cast<const std::byte*>(c.data);
      phase_.updates->replace(phase_.regions[region], value, type, {bytes, bytes + c.data_size});
    } catch (const std::exception&) {
      refuse("there is no memory for the constants that it puts in", {}, {});
      return BYOC_OUT_OF_MEMORY;
    }
    return phase_.updates->errors() == before ? BYOC_OK : BYOC_INVALID_ARGUMENT;
  }

  void take_diagnostic(const byoc_diagnostic_t* from) {
    byoc_diagnostic_t d;
    if (!read_struct(from, d) || d.severity > BYOC_ERROR || d.message.size == 0)
      return refuse("told a diagnostic that is none", {}, {});
    const std::string message = to_text(d.message);
    const codegen::Region* region = d.region != nullptr ? phase_.find(d.region) : nullptr;
    const bool at_node = region != nullptr && d.node < region->nodes.size();
    if (d.region != nullptr && region == nullptr)
      refuse("told a diagnostic about a region that is none of this call", {}, {});
    else if (region != nullptr && !at_node && d.node != BYOC_NONE)
      refuse("told a diagnostic about a node that does not exist", std::to_string(d.node),
             "less than " + std::to_string(region->nodes.size()));
    if (d.severity == BYOC_ERROR) ++told_;
    if (phase_.diag(static_cast<codegen::Severity>(d.severity), region, at_node ? d.node : codegen::kNoNode,
                    join_message(message, to_text(d.found), to_text(d.expected), to_text(d.hint))))
      return;
    Diagnostic out;
    out.level = d.severity == BYOC_ERROR ? Level::error : d.severity == BYOC_WARNING ? Level::warning : Level::note;
    out.file = d.file.size != 0 ? to_text(d.file) : plugin_.where;
    if (at_node) out.node = region->nodes[d.node].op + " '" + region->nodes[d.node].name + "'";
    out.message = message + (d.hint.size != 0 ? "; " + to_text(d.hint) : "");
    out.codegen = plugin_.id;
    out.found = to_text(d.found);
    out.expected = to_text(d.expected);
    repeats_.add_as_said(std::move(out));
  }

  byoc_status_t scratch(byoc_string_t* path) {
    if (path == nullptr) return refuse_argument("asked for its scratch folder without a place for the path");
    if (!scratch_) {
      auto made = TemporaryDirectory::create(diags_);
      if (!made) {
        ++told_;
        return BYOC_FAILED;
      }
      scratch_.emplace(std::move(*made));
    }
    *path = to_abi(scratch_->path());
    return BYOC_OK;
  }

  byoc_status_t identity(const byoc_region_t* from, std::uint32_t value, byoc_identity_t* out) {
    const codegen::Region* region = phase_.find(from);
    if (region == nullptr) return refuse_argument("asked for an identity in a region that is none of this call");
    if (value >= region->values.size())
      return refuse_argument("asked for the identity of a value that does not exist", std::to_string(value),
                             "less than " + std::to_string(region->values.size()));
    if (!region->values[value].is_constant || out == nullptr)
      return refuse_argument("asked for the identity of something that is no constant");
    const Identity i = identify(region->values[value].data);
    *out = {i.size, i.high, i.low};
    return BYOC_OK;
  }

  // The region of this call that it asks for in another form; null after an error, which `status` is.
  const codegen::Region* region_for(const byoc_region_t* from, const char* form, byoc_status_t& status) {
    const codegen::Region* region = phase_.find(from);
    if (region == nullptr) {
      status = refuse_argument("asked for a region that is none of this call");
      return nullptr;
    }
    const auto index = static_cast<std::uint32_t>(region - phase_.regions.data());
    for (codegen::ValueId v = 0; v < region->values.size(); ++v)
      if (phase_.host != nullptr && retyped_.contains({index, v})) {
        refuse("asked for region '" + region->name + "' as " + form + ", in which it has given '" +
                   region->values[v].name + "' another type",
               {}, {});
        status = BYOC_UNSUPPORTED;
        return nullptr;
      }
    return region;
  }

  byoc_status_t tflite(const byoc_region_t* from, byoc_write_fn write, void* user) {
    byoc_status_t status = BYOC_OK;
    const codegen::Region* region = region_for(from, "TFLite", status);
    if (region == nullptr) return status;
    if (write == nullptr)
      return refuse_argument("asked for region '" + region->name + "' as TFLite, and takes nothing");
    const codegen::TfliteForm model = tflite_model(*region);
    if (!model.refusal.empty()) {
      refuse("asked for region '" + region->name + "' as TFLite: " + model.refusal, {}, {});
      return BYOC_UNSUPPORTED;
    }
    return write(user, model.bytes.data(), model.bytes.size());
  }

  byoc_status_t onnx(const byoc_region_t* from, byoc_write_fn write, void* user) {
    byoc_status_t status = BYOC_OK;
    const codegen::Region* region = region_for(from, "ONNX", status);
    if (region == nullptr) return status;
    if (rounds_as_tflite(*region) && (plugin_.table.caps & BYOC_CAP_OTHER_ROUNDING) == 0) {
      refuse("asked for region '" + region->name + "' as ONNX, which rounds otherwise than TensorFlow Lite",
             "no BYOC_CAP_OTHER_ROUNDING", "a plug-in that accepts the difference");
      return BYOC_UNSUPPORTED;
    }
    if (write == nullptr) return refuse_argument("asked for region '" + region->name + "' as ONNX, and takes nothing");
    const auto model = onnx_model(*region);
    if (const auto* no = std::get_if<OnnxRefusal>(&model)) {
      refuse("asked for region '" + region->name + "' as ONNX: " + region->nodes[no->node].op + " '" +
                 region->nodes[no->node].name + "': " + no->text,
             {}, {});
      return BYOC_UNSUPPORTED;
    }
    for (const std::span<const std::byte> piece : std::get<OnnxModel>(model).pieces)
      if (const byoc_status_t s = write(user, piece.data(), piece.size()); s != BYOC_OK) return s;
    return BYOC_OK;
  }

  void fill_host_table() {
    version_ = "byoc " BYOC_VERSION;
    host_.abi_minor = plugin_.abi_minor;
    host_.context = this;
    host_.version = to_abi(version_);
    host_.diag = [](const byoc_host_t* h, const byoc_diagnostic_t* d) { of(h).take_diagnostic(d); };
    host_.log = [](const byoc_host_t* h, std::uint32_t, const byoc_string_t* text) {
      if (of(h).services_.log && text != nullptr) of(h).services_.log(of(h).plugin_.id, to_text(*text));
    };
    host_.progress = [](const byoc_host_t* h, std::uint64_t done, std::uint64_t total, const byoc_string_t* what) {
      if (of(h).services_.progress)
        of(h).services_.progress(of(h).plugin_.id, done, total, what != nullptr ? to_text(*what) : std::string());
    };
    host_.cancelled = [](const byoc_host_t* h) -> std::uint32_t {
      AbiCodegen& self = of(h);
      self.cancelled_ = self.cancelled_ || (self.services_.cancelled && self.services_.cancelled());
      return self.cancelled_ ? 1 : 0;
    };
    host_.scratch_directory = [](const byoc_host_t* h, byoc_string_t* path) { return of(h).scratch(path); };
    host_.identity = [](const byoc_host_t* h, const byoc_region_t* region, std::uint32_t value, byoc_identity_t* out) {
      return of(h).identity(region, value, out);
    };
    host_.region_as_onnx = [](const byoc_host_t* h, const byoc_region_t* region, byoc_write_fn write, void* user) {
      return of(h).onnx(region, write, user);
    };
    host_.region_as_tflite = [](const byoc_host_t* h, const byoc_region_t* region, byoc_write_fn write, void* user) {
      return of(h).tflite(region, write, user);
    };
    host_.extension = [](const byoc_host_t*, const byoc_string_t* id) -> const void* {
      return is_sane(*id) && to_text(*id) == BYOC_DEBUG_NAMES ? &BuildTable::kDebugNames : nullptr;
    };
  }

  Plugin plugin_;
  TargetSpec target_;
  TargetTable target_table_;
  std::vector<OptionValue> options_;
  Services services_;
  Diagnostics& diags_;
  std::vector<codegen::Pattern> patterns_;
  const std::string name_ = "codegen '" + plugin_.id + "'";
  std::string version_;
  byoc_host_t host_ = make_struct<byoc_host_t>();
  byoc_updates_t updates_ = make_struct<byoc_updates_t>();
  Phase phase_;
  ClaimsTable claims_;
  BuildTable build_;
  std::optional<TemporaryDirectory> scratch_;
  byoc_codegen_t* codegen_ = nullptr;
  const byoc_moving_constants_t* moving_ = nullptr;  // its extension, if it has it
  std::size_t told_ = 0;                             // errors in the current call
  Repeats repeats_;                                  // what was told in it and has nobody who made it
  bool cancelled_ = false;                           // what the plug-in was told in it
  // {region, value} of the next compile(): constants that it has given another dtype or other dims.
  std::set<std::pair<std::uint32_t, codegen::ValueId>> retyped_;
};

}  // namespace

Result<std::unique_ptr<codegen::Codegen>> create_codegen(const Plugin& plugin, const TargetSpec& target,
                                                         const OptionTexts& options, const Services& services,
                                                         Diagnostics& diags) {
  auto values = resolve_options(plugin, options, diags);
  if (!values) return failure;
  auto codegen = std::make_unique<AbiCodegen>(plugin, target, std::move(*values), services, diags);
  if (!codegen->create()) return failure;
  return std::unique_ptr<codegen::Codegen>(std::move(codegen));
}

}  // namespace byoc::plugin
