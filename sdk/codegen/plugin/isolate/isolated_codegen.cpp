#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"

#include <optional>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/target_message.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/isolate/wire.hpp"

namespace byoc::plugin {
namespace {

const char* name_of_call(Ask what) {
  switch (what) {
    case Ask::load: return "while it was loaded";
    case Ask::create: return "in create()";
    case Ask::verdicts:
    case Ask::groups: return "in verdicts()";
    case Ask::update: return "in update_constants()";
    case Ask::compile: return "in compile()";
    case Ask::destroy: return "in destroy()";
  }
  return "";
}

MessageWriter begin_message(Ask what) {
  MessageWriter out;
  out.put(what);
  return out;
}

}  // namespace

// The plug-in's worker, and what it is made from.
class IsolatedPlugin::Session {
 public:
  Session(PluginFile file, const TargetSpec& target, const WorkerLimits& limits, Diagnostics& told)
      : diags(told), where(file.name), file_(std::move(file)), target_(target), limits_(limits) {}

  // The regions of a call, and the receiver of the codegen's output while update_constants() or compile() runs.
  struct Call {
    std::span<const codegen::Region> regions;
    codegen::Host* host;
    codegen::ConstantUpdates* updates;

    void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
              std::string_view text) const {
      if (host != nullptr)
        host->diag(severity, region, node, text);
      else
        updates->diag(severity, region, node, text);
    }
    [[nodiscard]] bool takes_output() const { return host != nullptr || updates != nullptr; }
    [[nodiscard]] std::size_t errors() const { return host != nullptr ? host->errors() : updates->errors(); }
  };

  // `first`: the graph whose constants it has from the beginning; null: none.
  bool start(const codegen::Region* first) {
    // Whatever it keeps in files while it works is removed with it, however it ends.
    if (!folder_) {
      auto folder = TemporaryDirectory::create(diags);
      if (!folder) return false;
      folder_.emplace(std::move(*folder));
    }
    dead_ = false;
    ++started_;
    worker_.reset();
    if (first != nullptr && !known.add(*first, folder_->path() + "/constants", diags)) return false;
    MessageWriter arguments;
    arguments.put(folder_->path());
    arguments.put(file_.name);
    arguments.list(file_.folders);
    byoc::put(arguments, target_);
    arguments.list(known.files(), [&](const FileStamp& file) { put(arguments, file); });
    arguments.put(known.has(first == nullptr ? nullptr : first->source));
    limits_.mapped = 0;
    for (const FileStamp& file : known.files()) limits_.mapped += file.size;
    worker_ = std::make_unique<Worker>(file_.service, arguments.bytes(), limits_);
    return true;
  }

  // Asks for something and returns the result's own part; nothing after an error that has been told.
  std::optional<std::string> ask(Ask what, std::string_view message, Call* call = nullptr) {
    if (dead_ || !worker_) return std::nullopt;
    asked_ = what;
    worker_->begin_job();
    if (!worker_->send(message)) return die(worker_->end().text(), call);
    while (auto told = worker_->receive()) {
      MessageReader in(*told);
      const Tell kind = in.choice(Tell::replace);
      if (in.ok() && kind == Tell::result) {
        for (Diagnostic& d : in.list([&] { return in.diagnostic(); }))
          if (d.level == Level::error || !told_before(what)) diags.add(std::move(d));
        std::string own = in.text();
        if (!in.ended()) return garbled(call);
        return own;
      }
      MessageWriter answer;
      if (!take(kind, in, call, answer) || !in.ended()) return garbled(call);
      if (!worker_->send(answer.bytes())) break;
    }
    return die(worker_->end().text(), call);
  }

  // An answer that is none.
  std::nullopt_t garbled(Call* call) { return die("sent what is no answer", call); }

  bool load() {
    const auto bytes = ask(Ask::load, begin_message(Ask::load).bytes());
    if (!bytes) return false;
    MessageReader in(*bytes);
    if (!in.flag()) return false;
    for (std::string* text : {&id, &version, &where, &licence}) *text = in.text();
    if (!in.ended()) garbled(nullptr);
    return in.ended();
  }

  bool create() {
    MessageWriter m = begin_message(Ask::create);
    m.put(options);
    const auto bytes = ask(Ask::create, m.bytes());
    if (!bytes) return false;
    MessageReader in(*bytes);
    if (!in.flag()) return false;
    role = in.choice(codegen::Role::reference);
    saves_memory = in.flag();
    accepts_rewrites = in.flag();
    takes_open_dims = in.flag();
    patterns = in.list([&] { return get<codegen::Pattern>(in); });
    if (!in.ended()) garbled(nullptr);
    return in.ended();
  }

  void destroy() {
    (void)ask(Ask::destroy, begin_message(Ask::destroy).bytes());
    worker_.reset();
    dead_ = true;
  }

  Diagnostics& diags;
  KnownConstants known;
  std::string id;
  std::string version;
  std::string where, licence;
  OptionTexts options;
  Services services;
  std::vector<codegen::Pattern> patterns;
  codegen::Role role = codegen::Role::vendor;
  bool saves_memory = false;
  bool accepts_rewrites = false;
  bool takes_open_dims = false;

 private:
  // Every worker is asked to load and to create; what the first one had to say of that has been told.
  bool told_before(Ask what) const { return started_ > 1 && (what == Ask::load || what == Ask::create); }

  std::nullopt_t die(const std::string& how, Call* call) {
    dead_ = true;
    const std::string message = how + "; " + name_of_call(asked_) + ", isolated";
    if (call != nullptr && call->takes_output() && !call->regions.empty())
      call->diag(codegen::Severity::error, call->regions[0], codegen::kNoNode, message);
    else
      diags.error({Level::error, where, {}, (id.empty() ? "the plug-in " : "") + message, {}, {}, id});
    worker_.reset();
    return std::nullopt;
  }

  // Handles one call of the host. False if such a call may not come now.
  bool take(Tell kind, MessageReader& in, Call* call, MessageWriter& answer) {
    switch (kind) {
      case Tell::log: {
        const std::string line = in.text();
        if (in.ok() && services.log) services.log(id, line);
        return in.ok();
      }
      case Tell::progress: {
        const auto done = in.get<std::uint64_t>();
        const auto total = in.get<std::uint64_t>();
        const std::string what = in.text();
        if (in.ok() && services.progress) services.progress(id, done, total, what);
        return in.ok();
      }
      case Tell::cancelled: answer.put(services.cancelled && services.cancelled()); return in.ok();
      case Tell::diag: return in.ok() && call != nullptr && call->takes_output() && take_diag(in, *call);
      case Tell::errors:
        if (call == nullptr || !call->takes_output() || !in.ended()) return false;
        answer.put<std::uint64_t>(call->errors());
        return true;
      case Tell::tflite: {
        const codegen::Region* const r = call == nullptr ? nullptr : region(in, *call);
        if (r == nullptr || r->source == nullptr || !in.ended()) return false;
        put_form(answer, r->source->as_tflite(*r));
        return true;
      }
      case Tell::replace: return in.ok() && call != nullptr && call->updates != nullptr && take_update(in, *call);
      default: return in.ok() && call != nullptr && call->host != nullptr && hand_over(kind, in, *call, answer);
    }
  }

  static const codegen::Region* region(MessageReader& in, const Call& call) {
    const auto index = in.get<std::uint32_t>();
    if (index < call.regions.size()) return &call.regions[index];
    in.fail();
    return nullptr;
  }

  // Here and below, a message is read completely before anything is handed on.
  static bool take_diag(MessageReader& in, const Call& c) {
    const auto severity = in.choice(codegen::Severity::error);
    const codegen::Region* r = region(in, c);
    const auto node = in.get<codegen::NodeId>();
    const std::string text = in.text();
    if (in.ended()) c.diag(severity, *r, node, text);
    return in.ended();
  }

  static bool take_update(MessageReader& in, const Call& c) {
    const codegen::Region* r = region(in, c);
    const auto value = in.get<codegen::ValueId>();
    codegen::Value type;
    get_type(in, type);
    auto bytes = in.blob();
    if (in.ended()) c.updates->replace(*r, value, type, std::move(bytes));
    return in.ended();
  }

  static bool hand_over(Tell kind, MessageReader& in, const Call& c, MessageWriter& answer) {
    codegen::Host& host = *c.host;
    switch (kind) {
      case Tell::claim: {
        const std::string stem = in.text();
        if (in.ended()) answer.put(host.claim(stem));
        return in.ended();
      }
      case Tell::constant: {
        const auto decl = get<codegen::ConstantDecl>(in);
        auto bytes = in.blob();
        if (in.ended()) host.constant_owned(decl, std::move(bytes));
        return in.ended();
      }
      case Tell::source: {
        const auto decl = get<codegen::SourceDecl>(in);
        const std::string text = in.text();
        if (in.ended()) host.source(decl, text);
        return in.ended();
      }
      case Tell::header: {
        const std::string name = in.text();
        const std::string text = in.text();
        if (!in.ended() || !is_plain_path(name)) return false;
        host.header(name, text);
        return true;
      }
      case Tell::artifact: {
        const auto decl = get<codegen::ArtifactDecl>(in);
        auto bytes = in.blob();
        if (in.ended()) host.artifact(decl, std::move(bytes));
        return in.ended();
      }
      case Tell::private_value: {
        const auto value = get<codegen::PrivateValue>(in);
        if (in.ended()) answer.put(host.private_value(value));
        return in.ended();
      }
      case Tell::instance: {
        const auto instance = get<codegen::Instance>(in);
        if (in.ended()) host.instance(instance);
        return in.ended();
      }
      case Tell::constant_from_value:
      case Tell::constant_arranged: return take_constant(kind, in, c);
      default: return take_of_region(kind, in, c);
    }
  }

  // A constant of a region by reference: nothing of it comes over the connection.
  static bool take_constant(Tell kind, MessageReader& in, const Call& c) {
    const auto decl = get<codegen::ConstantDecl>(in);
    const codegen::Region* r = region(in, c);
    const auto value = in.get<codegen::ValueId>();
    if (!in.ok() || value >= r->values.size()) return false;
    if (kind == Tell::constant_arranged) {
      const auto how = get<codegen::Arrangement>(in);
      if (in.ended()) c.host->constant_arranged(decl, *r, value, how);
      return in.ended();
    }
    const auto offset = in.get<std::uint64_t>();
    const auto length = in.get<std::uint64_t>();
    if (in.ended()) c.host->constant_from_value(decl, *r, value, offset, length);
    return in.ended();
  }

  static bool take_of_region(Tell kind, MessageReader& in, const Call& c) {
    const codegen::Region* r = region(in, c);
    if (kind == Tell::step) {
      const auto step = get<codegen::Step>(in);
      if (in.ended()) c.host->step(*r, step);
      return in.ended();
    }
    const auto value = in.get<codegen::ValueId>();
    if (kind == Tell::stored_privately) {
      const auto layout = get<codegen::PrivateLayout>(in);
      if (in.ended()) c.host->stored_privately(*r, value, layout);
      return in.ended();
    }
    const auto other = in.get<codegen::ValueId>();
    if (!in.ended() || (kind != Tell::alias && kind != Tell::fused)) return false;
    if (kind == Tell::alias)
      c.host->alias(*r, value, other);
    else
      c.host->fused(*r, value, other);
    return true;
  }

  PluginFile file_;
  TargetSpec target_;
  WorkerLimits limits_;
  std::optional<TemporaryDirectory> folder_;
  std::unique_ptr<Worker> worker_;
  Ask asked_ = Ask::load;
  unsigned started_ = 0;
  bool dead_ = false;
};

class IsolatedPlugin::Codegen final : public codegen::Codegen {
 public:
  explicit Codegen(std::unique_ptr<Session> session) : session_(std::move(session)) {}
  Codegen(const Codegen&) = delete;
  Codegen& operator=(const Codegen&) = delete;
  ~Codegen() override { session_->destroy(); }

  std::string_view id() const override { return session_->id; }
  std::string_view version() const override { return session_->version; }
  codegen::Role role() const override { return session_->role; }
  std::span<const codegen::Pattern> patterns() const override { return session_->patterns; }
  bool saves_memory() const override { return session_->saves_memory; }
  bool accepts_rewrites() const override { return session_->accepts_rewrites; }
  bool takes_open_dims() const override { return session_->takes_open_dims; }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec&) override {
    if (!ready(model)) return {};
    MessageWriter m = begin_message(Ask::verdicts);
    put(m, model, session_->known);
    Session::Call call{{&model, 1}, nullptr, nullptr};
    const auto bytes = session_->ask(Ask::verdicts, m.bytes(), &call);
    if (!bytes) return {};
    MessageReader in(*bytes);
    auto out = in.list([&] { return get<codegen::Verdict>(in); });
    if (in.ended()) return out;
    session_->garbled(nullptr);
    return {};
  }

  std::vector<codegen::Group> groups(const codegen::Region& model, const TargetSpec&,
                                     std::span<const codegen::Match> matches) override {
    if (!ready(model)) return {};
    MessageWriter m = begin_message(Ask::groups);
    put(m, model, session_->known);
    m.list(matches, [&](const codegen::Match& match) { put(m, match); });
    Session::Call call{{&model, 1}, nullptr, nullptr};
    const auto bytes = session_->ask(Ask::groups, m.bytes(), &call);
    if (!bytes) return {};
    MessageReader in(*bytes);
    auto out = in.list([&] { return get_group(in, model.nodes.size(), session_->patterns.size()); });
    if (in.ended()) return out;
    session_->garbled(nullptr);
    return {};
  }

  bool update_constants(std::span<const codegen::Region> regions, codegen::ConstantUpdates& updates) override {
    if (regions.empty() || !ready(regions[0])) return false;
    MessageWriter m = begin_message(Ask::update);
    m.list(regions, [&](const codegen::Region& r) { put(m, r, session_->known); });
    Session::Call call{regions, nullptr, &updates};
    const auto bytes = session_->ask(Ask::update, m.bytes(), &call);
    return bytes && MessageReader(*bytes).flag();
  }

  bool compile(const codegen::Request& request, codegen::Host& host) override {
    if (request.regions.empty() || !ready(request.regions[0])) return false;
    MessageWriter m = begin_message(Ask::compile);
    m.put(static_cast<std::uint32_t>(request.objective));
    m.put(request.internal_header);
    m.put(request.prefix);
    m.put(request.memory_budget);
    m.put(request.attempt);
    m.list(request.regions, [&](const codegen::Region& r) { put(m, r, session_->known); });
    Session::Call call{request.regions, &host, nullptr};
    const auto bytes = session_->ask(Ask::compile, m.bytes(), &call);
    return bytes && MessageReader(*bytes).flag();
  }

 private:
  // The worker that works, started when the first graph is there.
  bool ready(const codegen::Region& first) {
    if (started_) return true;
    started_ = true;
    return session_->start(&first) && session_->load() && session_->create();
  }

  std::unique_ptr<Session> session_;
  bool started_ = false;
};

IsolatedPlugin::IsolatedPlugin(std::unique_ptr<Session> session) : session_(std::move(session)) {}
IsolatedPlugin::~IsolatedPlugin() = default;
const std::string& IsolatedPlugin::id() const { return session_->id; }
const std::string& IsolatedPlugin::version() const { return session_->version; }
const std::string& IsolatedPlugin::where() const { return session_->where; }
const std::string& IsolatedPlugin::licence() const { return session_->licence; }

Result<std::unique_ptr<IsolatedPlugin>> IsolatedPlugin::load(const PluginFile& file, const TargetSpec& target,
                                                             const WorkerLimits& limits, Diagnostics& diags) {
  auto session = std::make_unique<Session>(file, target, limits, diags);
  if (!session->start(nullptr) || !session->load()) return failure;
  return std::unique_ptr<IsolatedPlugin>(new IsolatedPlugin(std::move(session)));
}

Result<std::unique_ptr<codegen::Codegen>> IsolatedPlugin::create_codegen(const OptionTexts& options,
                                                                         const Services& services) {
  session_->options = options;
  session_->services = services;
  if (!session_->create()) return failure;
  const std::size_t before = session_->diags.errors();
  session_->destroy();
  if (session_->diags.errors() != before) return failure;
  return std::unique_ptr<codegen::Codegen>(std::make_unique<Codegen>(std::move(session_)));
}

}  // namespace byoc::plugin
