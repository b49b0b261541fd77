#include "sdk/codegen/plugin/record/recording_codegen.hpp"

#include <map>
#include <utility>

#include "byoc/forwarding_host.hpp"
#include "sdk/codegen/codegen/artifact_rules.hpp"

namespace byoc::plugin {
namespace {

std::string quoted(std::string_view kind, std::string_view name) {
  return std::string(kind) + " '" + std::string(name) + "'";
}

std::string name_of(const codegen::Region& region, codegen::ValueId v) {
  return v < region.values.size() ? region.values[v].name : std::to_string(v);
}

// The messages of one call, with regions as their indexes.
class Notes {
 public:
  Notes(RecordedCall& call, std::span<const codegen::Region> regions) : call_(call), regions_(regions) {}

  // The message is `parts`, one after the other: structs as they are on the wire.
  template <class... Parts>
  RecordedSaying& note(Tell kind, std::string label, const Parts&... parts) {
    MessageWriter m;
    (add(m, parts), ...);
    call_.said.push_back({kind, std::move(label), m.take(), {}, {}, false});
    return call_.said.back();
  }

 private:
  void add(MessageWriter& m, const codegen::Region& region) const {
    m.put(static_cast<std::uint32_t>(&region - regions_.data()));
  }
  template <class T>
  void add(MessageWriter& m, const T& part) const {
    if constexpr (requires { m.put(part); })
      m.put(part);
    else
      put(m, part);
  }

  RecordedCall& call_;
  std::span<const codegen::Region> regions_;
};

class RecordingHost final : public codegen::ForwardingHost {
 public:
  RecordingHost(codegen::Host& to, RecordedCall& call, std::span<const codegen::Region> regions)
      : ForwardingHost(to), call_(call), notes_(call, regions) {}

  std::string claim(std::string_view stem) override {
    notes_.note(Tell::claim, quoted("claim", stem), stem);
    std::string symbol = ForwardingHost::claim(stem);
    call_.said.back().answer = symbol;
    return symbol;
  }
  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    notes_.note(Tell::constant, quoted("constant", decl.symbol), decl).content = identify(bytes);
    watch([&] { ForwardingHost::constant(decl, bytes); });
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    notes_.note(Tell::constant, quoted("constant", decl.symbol), decl).content = identify(bytes);
    watch([&] { ForwardingHost::constant_owned(decl, std::move(bytes)); });
  }
  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId value,
                           std::uint64_t offset, std::uint64_t length) override {
    notes_.note(Tell::constant_from_value, quoted("constant", decl.symbol), decl, region, value, offset, length);
    watch([&] { ForwardingHost::constant_from_value(decl, region, value, offset, length); });
  }
  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId value,
                         const codegen::Arrangement& how) override {
    notes_.note(Tell::constant_arranged, quoted("constant", decl.symbol), decl, region, value, how);
    watch([&] { ForwardingHost::constant_arranged(decl, region, value, how); });
  }
  void source(const codegen::SourceDecl& decl, std::string_view text) override {
    notes_.note(Tell::source, quoted("C source", decl.name), decl, text);
    watch([&] { ForwardingHost::source(decl, text); });
  }
  void header(std::string_view name, std::string_view text) override {
    notes_.note(Tell::header, quoted("C header", name), name, text);
    watch([&] { ForwardingHost::header(name, text); });
  }
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    notes_.note(Tell::artifact, quoted(kind_name(static_cast<std::uint32_t>(decl.kind)), decl.name), decl).content =
        identify(bytes);
    watch([&] { ForwardingHost::artifact(decl, std::move(bytes)); });
  }
  std::uint32_t private_value(const codegen::PrivateValue& value) override {
    notes_.note(Tell::private_value, "private value", value);
    std::uint32_t id = 0;
    watch([&] { id = ForwardingHost::private_value(value); });
    call_.said.back().answer = std::to_string(id);
    return id;
  }
  void step(const codegen::Region& region, const codegen::Step& step) override {
    notes_.note(Tell::step, quoted("step", step.symbol), region, step);
    watch([&] { ForwardingHost::step(region, step); });
  }
  void alias(const codegen::Region& region, codegen::ValueId value, codegen::ValueId of) override {
    notes_.note(Tell::alias, quoted("alias", name_of(region, value)), region, value, of);
    watch([&] { ForwardingHost::alias(region, value, of); });
  }
  void stored_privately(const codegen::Region& region, codegen::ValueId value,
                        const codegen::PrivateLayout& layout) override {
    notes_.note(Tell::stored_privately, quoted("layout of", name_of(region, value)), region, value, layout);
    watch([&] { ForwardingHost::stored_privately(region, value, layout); });
  }
  void fused(const codegen::Region& region, codegen::ValueId value, codegen::ValueId into) override {
    notes_.note(Tell::fused, quoted("fused", name_of(region, value)), region, value, into);
    watch([&] { ForwardingHost::fused(region, value, into); });
  }
  void instance(const codegen::Instance& instance) override {
    notes_.note(Tell::instance, "instance", instance);
    watch([&] { ForwardingHost::instance(instance); });
  }
  // An error that the plug-in tells is no refusal of the host's.
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    notes_.note(Tell::diag, "said: " + std::string(text), static_cast<std::uint32_t>(severity), region, node, text);
    ForwardingHost::diag(severity, region, node, text);
  }

 private:
  template <class F>
  void watch(const F& function) {
    const std::size_t before = errors();
    function();
    call_.said.back().refused = errors() != before;
  }

  RecordedCall& call_;
  Notes notes_;
};

class RecordingUpdates final : public codegen::ConstantUpdates {
 public:
  RecordingUpdates(codegen::ConstantUpdates& to, RecordedCall& call, std::span<const codegen::Region> regions)
      : to_(to), call_(call), notes_(call, regions) {}

  void replace(const codegen::Region& region, codegen::ValueId value, const codegen::Value& type,
               std::vector<std::byte> bytes) override {
    MessageWriter of_type;
    put_type(of_type, type);
    notes_.note(Tell::replace, quoted("replacement of", name_of(region, value)), region, value, of_type.bytes())
        .content = identify(bytes);
    const std::size_t before = to_.errors();
    to_.replace(region, value, type, std::move(bytes));
    call_.said.back().refused = to_.errors() != before;
  }
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    notes_.note(Tell::diag, "said: " + std::string(text), static_cast<std::uint32_t>(severity), region, node, text);
    to_.diag(severity, region, node, text);
  }
  [[nodiscard]] std::size_t errors() const override { return to_.errors(); }

 private:
  codegen::ConstantUpdates& to_;
  RecordedCall& call_;
  Notes notes_;
};

class Recorder final : public RecordingCodegen {
 public:
  Recorder(std::unique_ptr<codegen::Codegen> inner, const TargetSpec& target, const OptionTexts& options,
           std::uint64_t kept, TakeRecord take)
      : inner_(std::move(inner)), take_(std::move(take)) {
    record_.host = "byoc " BYOC_VERSION;
    record_.id = inner_->id();
    record_.version = inner_->version();
    record_.target = target;
    record_.options = options;
    record_.kept = kept;
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override {
    inner_.reset();
    take_(std::move(record_));
  }

  const RecordedCall& current() const override { return record_.calls.back(); }

  std::string_view id() const override { return inner_->id(); }
  std::string_view version() const override { return inner_->version(); }
  codegen::Role role() const override { return inner_->role(); }
  bool built_in() const override { return inner_->built_in(); }
  std::span<const codegen::Pattern> patterns() const override { return inner_->patterns(); }
  bool saves_memory() const override { return inner_->saves_memory(); }
  // The record does not store this.
  bool moves_constants() const override { return false; }
  bool accepts_rewrites() const override { return inner_->accepts_rewrites(); }
  bool takes_open_dims() const override { return inner_->takes_open_dims(); }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec& target) override {
    RecordedCall& call = begin(Ask::verdicts, {&model, 1});
    call.verdicts = inner_->verdicts(model, target);
    call.ok = call.verdicts.size() == model.nodes.size();
    return call.verdicts;
  }
  std::vector<codegen::Group> groups(const codegen::Region& model, const TargetSpec& target,
                                     std::span<const codegen::Match> matches) override {
    RecordedCall& call = begin(Ask::groups, {&model, 1});
    call.matches.assign(matches.begin(), matches.end());
    call.groups = inner_->groups(model, target, matches);
    call.ok = true;
    return call.groups;
  }
  bool update_constants(std::span<const codegen::Region> regions, codegen::ConstantUpdates& updates) override {
    RecordedCall& call = begin(Ask::update, regions);
    RecordingUpdates recording(updates, call, regions);
    return call.ok = inner_->update_constants(regions, recording);
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    RecordedCall& call = begin(Ask::compile, request.regions);
    call.objective = request.objective;
    call.internal_header = request.internal_header;
    call.prefix = request.prefix;
    call.memory_budget = request.memory_budget;
    call.attempt = request.attempt;
    RecordingHost recording(host, call, request.regions);
    return call.ok = inner_->compile(request, recording);
  }

 private:
  RecordedCall& begin(Ask what, std::span<const codegen::Region> regions) {
    RecordedCall call;
    call.what = what;
    for (const codegen::Region& r : regions) call.regions.push_back(index_of(r));
    record_.calls.push_back(std::move(call));
    return record_.calls.back();
  }

  // A region that is given again is there once.
  std::uint32_t index_of(const codegen::Region& region) {
    RecordedRegion recorded = record_region(region, record_.kept);
    MessageWriter text;
    put(text, recorded.region, KnownConstants());
    for (const RecordedRegion::Constant& c : recorded.constants)
      for (const std::uint64_t part : {c.identity.size, c.identity.high, c.identity.low}) text.put(part);
    const auto [at, fresh] = known_.emplace(text.take(), static_cast<std::uint32_t>(record_.regions.size()));
    if (fresh) record_.regions.push_back(std::move(recorded));
    return at->second;
  }

  std::unique_ptr<codegen::Codegen> inner_;
  TakeRecord take_;
  SessionRecord record_;
  std::map<std::string, std::uint32_t> known_;  // a region's text -> its index
};

}  // namespace

std::unique_ptr<RecordingCodegen> record_codegen(std::unique_ptr<codegen::Codegen> inner, const TargetSpec& target,
                                                 const OptionTexts& options, std::uint64_t kept, TakeRecord take) {
  return std::make_unique<Recorder>(std::move(inner), target, options, kept, std::move(take));
}

}  // namespace byoc::plugin
