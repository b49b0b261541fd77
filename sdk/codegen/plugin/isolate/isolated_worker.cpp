#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"

#include <unistd.h>

#include <concepts>
#include <cstdlib>
#include <memory>
#include <optional>

#include "sdk/base/support/target_message.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"
#include "sdk/codegen/plugin/isolate/wire.hpp"

namespace byoc::plugin {
namespace {

// A call to the host and its answer. A host that is gone ends the worker.
std::string call(Worker::Channel& channel, const MessageWriter& message) {
  if (channel.send(message.bytes()))
    if (auto answer = channel.receive()) return std::move(*answer);
  ::_exit(1);
}

MessageWriter begin(Tell what) {
  MessageWriter out;
  out.put(what);
  return out;
}

void put_bytes(MessageWriter& out, std::span<const std::byte> bytes) {
  out.put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::uint32_t index_of(std::span<const codegen::Region> regions, const codegen::Region& region) {
  return static_cast<std::uint32_t>(&region - regions.data());
}

void tell_diag(Worker::Channel& channel, codegen::Severity severity, std::uint32_t region, codegen::NodeId node,
               std::string_view text) {
  auto m = begin(Tell::diag);
  m.put(severity);
  m.put(region);
  m.put(node);
  m.put(text);
  call(channel, m);
}

std::size_t ask_errors(Worker::Channel& channel) {
  const std::string answer = call(channel, begin(Tell::errors));
  return MessageReader(answer).get<std::uint64_t>();
}

// The host of compile(), in the worker. The plug-in's requests for services are answered by a table of their own
// (Server::services).
class RemoteHost final : public codegen::PlainHost {
 public:
  RemoteHost(Worker::Channel& channel, std::span<const codegen::Region> regions)
      : channel_(channel), regions_(regions) {}

  std::string claim(std::string_view stem) override { return ask<std::string>(Tell::claim, stem); }
  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    tell(Tell::constant, decl, bytes);
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    constant(decl, bytes);
  }
  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId value,
                           std::uint64_t offset, std::uint64_t length) override {
    tell(Tell::constant_from_value, decl, region, value, offset, length);
  }
  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId value,
                         const codegen::Arrangement& how) override {
    tell(Tell::constant_arranged, decl, region, value, how);
  }
  void source(const codegen::SourceDecl& decl, std::string_view text) override { tell(Tell::source, decl, text); }
  void header(std::string_view name, std::string_view text) override { tell(Tell::header, name, text); }
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    tell(Tell::artifact, decl, std::span<const std::byte>(bytes));
  }
  std::uint32_t private_value(const codegen::PrivateValue& value) override {
    return ask<std::uint32_t>(Tell::private_value, value);
  }
  void step(const codegen::Region& region, const codegen::Step& step) override { tell(Tell::step, region, step); }
  void alias(const codegen::Region& region, codegen::ValueId value, codegen::ValueId of) override {
    tell(Tell::alias, region, value, of);
  }
  void stored_privately(const codegen::Region& region, codegen::ValueId value,
                        const codegen::PrivateLayout& layout) override {
    tell(Tell::stored_privately, region, value, layout);
  }
  void fused(const codegen::Region& region, codegen::ValueId value, codegen::ValueId into) override {
    tell(Tell::fused, region, value, into);
  }
  void instance(const codegen::Instance& instance) override { tell(Tell::instance, instance); }
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    tell_diag(channel_, severity, index(region), node, text);
  }
  std::size_t errors() const override { return ask_errors(channel_); }

 private:
  template <class... Parts>
  std::string send(Tell what, const Parts&... parts) {
    auto m = begin(what);
    (add(m, parts), ...);
    return call(channel_, m);
  }
  template <class... Parts>
  void tell(Tell what, const Parts&... parts) {
    (void)send(what, parts...);
  }
  template <class Answer, class... Parts>
  Answer ask(Tell what, const Parts&... parts) {
    const std::string answer = send(what, parts...);
    MessageReader in(answer);
    if constexpr (std::same_as<Answer, std::string>)
      return in.text();
    else
      return in.get<Answer>();
  }
  // A region is its index, bytes and numbers are what they are, and structs as put() has them.
  void add(MessageWriter& m, const codegen::Region& region) const { m.put(index(region)); }
  void add(MessageWriter& m, std::span<const std::byte> bytes) const { put_bytes(m, bytes); }
  template <class T>
  void add(MessageWriter& m, const T& part) const {
    if constexpr (requires { m.put(part); })
      m.put(part);
    else
      put(m, part);
  }
  std::uint32_t index(const codegen::Region& region) const { return index_of(regions_, region); }

  Worker::Channel& channel_;
  std::span<const codegen::Region> regions_;
};

// The host of update_constants(), on the other side of the connection.
class RemoteUpdates final : public codegen::ConstantUpdates {
 public:
  RemoteUpdates(Worker::Channel& channel, std::span<const codegen::Region> regions)
      : channel_(channel), regions_(regions) {}

  void replace(const codegen::Region& region, codegen::ValueId value, const codegen::Value& type,
               std::vector<std::byte> bytes) override {
    auto m = begin(Tell::replace);
    m.put(index_of(regions_, region));
    m.put(value);
    put_type(m, type);
    put_bytes(m, bytes);
    call(channel_, m);
  }
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    tell_diag(channel_, severity, index_of(regions_, region), node, text);
  }
  std::size_t errors() const override { return ask_errors(channel_); }

 private:
  Worker::Channel& channel_;
  std::span<const codegen::Region> regions_;
};

// The model's file, of which the host knows the parts.
class RemoteSource final : public codegen::ModelSource {
 public:
  explicit RemoteSource(Worker::Channel& channel) : channel_(channel) {}
  std::span<const codegen::Region> regions;  // of the call that runs

  [[nodiscard]] codegen::TfliteForm as_tflite(const codegen::Region& region) const override {
    auto m = begin(Tell::tflite);
    m.put(index_of(regions, region));
    const std::string answer = call(channel_, m);
    MessageReader in(answer);
    return get_form(in);
  }

 private:
  Worker::Channel& channel_;
};

class Server {
 public:
  // `source`: the one of `known`.
  Server(Worker::Channel& channel, const LoadPlugin& load, const TargetSpec& target, KnownFiles known,
         RemoteSource* source)
      : channel_(channel), load_(load), target_(target), known_(std::move(known)), source_(source) {}

  void run() {
    while (auto message = channel_.receive()) {
      MessageReader in(*message);
      MessageWriter out = answer(in.choice(Ask::destroy), in);
      auto result = begin(Tell::result);
      result.put(diags_);
      diags_ = {};
      result.put(out.bytes());
      if (!channel_.send(result.bytes())) return;
    }
  }

 private:
  MessageWriter answer(Ask what, MessageReader& in) {
    switch (what) {
      case Ask::load: return load();
      case Ask::create: return create(in);
      case Ask::verdicts: return verdicts(in);
      case Ask::groups: return groups(in);
      case Ask::update: return update(in);
      case Ask::compile: return compile(in);
      case Ask::destroy: codegen_.reset(); return {};
    }
    return {};
  }

  MessageWriter load() {
    MessageWriter out;
    auto loaded = load_(diags_);
    out.put(bool(loaded));
    if (!loaded) return out;
    plugin_.emplace(std::move(*loaded));
    for (const std::string* text : {&plugin_->id, &plugin_->version, &plugin_->where}) out.put(*text);
    out.put(to_text(plugin_->table.license));
    return out;
  }

  MessageWriter create(MessageReader& in) {
    const OptionTexts options = in.text_map();
    MessageWriter out;
    auto created = create_codegen(*plugin_, target_, options, services(), diags_);
    out.put(bool(created));
    if (!created) return out;
    codegen_ = std::move(*created);
    out.put(codegen_->role());
    out.put(codegen_->saves_memory());
    out.put(codegen_->accepts_rewrites());
    out.put(codegen_->takes_open_dims());
    out.list(codegen_->patterns(), [&](const codegen::Pattern& p) { put(out, p); });
    return out;
  }

  MessageWriter verdicts(MessageReader& in) {
    const codegen::Region model = get_region(in, known_);
    begin_call({&model, 1});
    MessageWriter out;
    out.list(codegen_->verdicts(model, target_), [&](const codegen::Verdict& v) { put(out, v); });
    return out;
  }

  MessageWriter groups(MessageReader& in) {
    const codegen::Region model = get_region(in, known_);
    begin_call({&model, 1});
    const auto matches = in.list([&] { return get<codegen::Match>(in); });
    MessageWriter out;
    out.list(codegen_->groups(model, target_, matches), [&](const codegen::Group& g) { put(out, g); });
    return out;
  }

  MessageWriter update(MessageReader& in) {
    const std::vector<codegen::Region> regions = in.list([&] { return get_region(in, known_); });
    begin_call(regions);
    RemoteUpdates updates(channel_, regions);
    MessageWriter out;
    out.put(codegen_->update_constants(regions, updates));
    return out;
  }

  MessageWriter compile(MessageReader& in) {
    const auto objective = static_cast<Objective>(in.get<std::uint32_t>());
    const std::string internal_header = in.text();
    const std::string prefix = in.text();
    const auto budget = in.get<std::uint64_t>();
    const auto attempt = in.get<std::uint32_t>();
    const std::vector<codegen::Region> regions = in.list([&] { return get_region(in, known_); });
    begin_call(regions);
    RemoteHost host(channel_, regions);
    MessageWriter out;
    out.put(codegen_->compile({target_, objective, internal_header, regions, prefix, budget, attempt}, host));
    return out;
  }

  void begin_call(std::span<const codegen::Region> regions) {
    if (source_ != nullptr) source_->regions = regions;
  }

  Services services() {
    Services out;
    out.log = [this](std::string_view, std::string_view line) {
      auto m = begin(Tell::log);
      m.put(line);
      call(channel_, m);
    };
    out.progress = [this](std::string_view, std::uint64_t done, std::uint64_t total, std::string_view what) {
      auto m = begin(Tell::progress);
      m.put(done);
      m.put(total);
      m.put(what);
      call(channel_, m);
    };
    out.cancelled = [this] {
      const std::string answer = call(channel_, begin(Tell::cancelled));
      return MessageReader(answer).flag();
    };
    return out;
  }

  Worker::Channel& channel_;
  const LoadPlugin& load_;
  const TargetSpec& target_;
  KnownFiles known_;
  RemoteSource* source_ = nullptr;
  Diagnostics diags_;  // of what is asked for now; outlives the codegen
  std::optional<Plugin> plugin_;
  std::unique_ptr<codegen::Codegen> codegen_;
};

void serve(Worker::Channel& channel, std::string_view arguments) {
  MessageReader in(arguments);
  (void)in.text();
  const std::string name = in.text();
  const std::vector<std::string> folders = in.texts();
  serve_plugin(channel, arguments, [&](Diagnostics& diags) { return load_plugin(name, folders, diags); });
}

}  // namespace

extern const Service kService{"plugin", serve};

void serve_plugin(Worker::Channel& channel, std::string_view arguments, const LoadPlugin& load) {
  MessageReader in(arguments);
  ::setenv("TMPDIR", in.text().c_str(), 1);
  (void)in.text();
  (void)in.texts();
  const TargetSpec target = get_target_spec(in);
  Diagnostics diags;
  auto known = KnownFiles::open(in, diags);
  RemoteSource* source = nullptr;
  if (known && in.flag()) {
    auto made = std::make_shared<RemoteSource>(channel);
    source = made.get();
    known->source = std::move(made);
  }
  const LoadPlugin refuse = [&](Diagnostics& told) -> Result<Plugin> {
    for (const Diagnostic& d : diags.all()) told.add(d);
    return failure;
  };
  if (known)
    Server(channel, load, target, std::move(*known), source).run();
  else
    Server(channel, refuse, target, {}, nullptr).run();
}

}  // namespace byoc::plugin
