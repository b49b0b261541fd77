#include "sdk/codegen/plugin/record/replay.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sdk/base/support/name_table.hpp"
#include "sdk/codegen/plugin/record/recording_codegen.hpp"

namespace byoc::plugin {
namespace {

// Looks up the recorded answer for a message of the codegen, if the codegen sends the same message again.
class Answers {
 public:
  explicit Answers(const RecordedCall& call) : call_(call) {
    for (const RecordedSaying& s : call.said)
      if (s.kind == Tell::claim) claims_.emplace(s.message, s.answer);
  }

  // The name that was given for this stem, the first time for the first.
  [[nodiscard]] std::string claim(std::string_view stem) {
    MessageWriter m;
    m.put(stem);
    const auto at = claims_.find(m.bytes());
    std::string name = call_.prefix + "_" + std::string(stem);
    if (at != claims_.end()) {
      name = at->second;
      claims_.erase(at);
    }
    return names_.claim(name);
  }

 private:
  const RecordedCall& call_;
  std::multimap<std::string, std::string, std::less<>> claims_;
  NameTable names_;
};

// Reports the codegen's messages as diagnostics.
class Listener {
 public:
  Listener(std::string id, const std::string& file, Diagnostics& diags)
      : codegen_(std::move(id)), file_(file), diags_(diags) {}

  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node, std::string_view text) {
    Diagnostic d;
    d.level = severity == codegen::Severity::error     ? Level::error
              : severity == codegen::Severity::warning ? Level::warning
                                                       : Level::note;
    d.file = file_;
    if (node < region.nodes.size()) d.node = region.nodes[node].op + " '" + region.nodes[node].name + "'";
    d.message = std::string(text);
    d.codegen = codegen_;
    if (d.level == Level::error) ++errors_;
    diags_.add(std::move(d));
  }
  // Reports that byoc refused this message when it was recorded.
  void refuse(const std::string& label) {
    ++errors_;
    diags_.error({Level::error, file_, {}, "byoc refused this when it was recorded: " + label, {}, {}, codegen_});
  }
  [[nodiscard]] std::size_t errors() const { return errors_; }

 private:
  std::string codegen_;
  const std::string& file_;
  Diagnostics& diags_;
  std::size_t errors_ = 0;
};

// Discards artifacts: the recorder in front of this host writes them down.
class ReplayHost final : public codegen::PlainHost {
 public:
  ReplayHost(const RecordedCall& call, const RecordingCodegen& now, Listener& listener)
      : call_(call), now_(now), answers_(call), listener_(listener) {}

  std::string claim(std::string_view stem) override { return answers_.claim(stem); }
  void constant(const codegen::ConstantDecl&, std::span<const std::byte>) override { take(); }
  void constant_owned(const codegen::ConstantDecl&, std::vector<std::byte>) override { take(); }
  void constant_from_value(const codegen::ConstantDecl&, const codegen::Region&, codegen::ValueId, std::uint64_t,
                           std::uint64_t) override {
    take();
  }
  void constant_arranged(const codegen::ConstantDecl&, const codegen::Region&, codegen::ValueId,
                         const codegen::Arrangement&) override {
    take();
  }
  void source(const codegen::SourceDecl&, std::string_view) override { take(); }
  void header(std::string_view, std::string_view) override { take(); }
  void artifact(const codegen::ArtifactDecl&, std::vector<std::byte>) override { take(); }
  std::uint32_t private_value(const codegen::PrivateValue&) override {
    take();
    return privates_++;
  }
  void step(const codegen::Region&, const codegen::Step&) override { take(); }
  void alias(const codegen::Region&, codegen::ValueId, codegen::ValueId) override { take(); }
  void stored_privately(const codegen::Region&, codegen::ValueId, const codegen::PrivateLayout&) override { take(); }
  void fused(const codegen::Region&, codegen::ValueId, codegen::ValueId) override { take(); }
  void instance(const codegen::Instance&) override { take(); }
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    listener_.diag(severity, region, node, text);
  }
  [[nodiscard]] std::size_t errors() const override { return listener_.errors(); }

 private:
  // The current message has been recorded already.
  void take() {
    const RecordedSaying& said = now_.current().said.back();
    for (const RecordedSaying& then : call_.said)
      if (then.refused && then.kind == said.kind && then.message == said.message) return listener_.refuse(then.label);
  }

  const RecordedCall& call_;
  const RecordingCodegen& now_;
  Answers answers_;
  Listener& listener_;
  std::uint32_t privates_ = 0;
};

class ReplayUpdates final : public codegen::ConstantUpdates {
 public:
  explicit ReplayUpdates(Listener& listener) : listener_(listener) {}
  void replace(const codegen::Region&, codegen::ValueId, const codegen::Value&, std::vector<std::byte>) override {}
  void diag(codegen::Severity severity, const codegen::Region& region, codegen::NodeId node,
            std::string_view text) override {
    listener_.diag(severity, region, node, text);
  }
  [[nodiscard]] std::size_t errors() const override { return listener_.errors(); }

 private:
  Listener& listener_;
};

std::string verdict_text(const codegen::Verdict& v) { return v.claimed ? "claims it" : "refuses it (" + v.text + ")"; }

bool same(const codegen::Verdict& a, const codegen::Verdict& b) {
  MessageWriter x, y;
  put(x, a);
  put(y, b);
  return x.bytes() == y.bytes();
}

class Comparison {
 public:
  Comparison(const RecordedCall& then, const RecordedCall& now, bool withheld)
      : then_(then), now_(now), withheld_(withheld) {}

  std::vector<std::string> run(const codegen::Region& model) {
    compare_verdicts(model);
    compare_groups();
    compare_sayings();
    return std::move(out_);
  }

 private:
  void compare_verdicts(const codegen::Region& model) {
    for (std::size_t n = 0; n < std::min(then_.verdicts.size(), now_.verdicts.size()); ++n) {
      const codegen::Verdict &a = then_.verdicts[n], &b = now_.verdicts[n];
      if (same(a, b)) continue;
      const std::string node = model.nodes[n].op + " '" + model.nodes[n].name + "'";
      if (a.claimed && b.claimed)
        out_.push_back(node + ": is claimed with another exactness, cost or priority than was recorded");
      else
        out_.push_back(node + ": now it " + verdict_text(b) + ", recorded is that it " + verdict_text(a));
    }
  }

  void compare_groups() {
    const auto text = [](const std::vector<codegen::Group>& groups) {
      MessageWriter m;
      m.list(groups, [&](const codegen::Group& g) { put(m, g); });
      return m.take();
    };
    if (text(then_.groups) != text(now_.groups))
      out_.push_back("offers other groups (now " + std::to_string(now_.groups.size()) + ", recorded are " +
                     std::to_string(then_.groups.size()) + ")");
  }

  // Compares by kind and label, in the order of each, so that an added or missing message shifts no others.
  void compare_sayings() {
    using Key = std::pair<Tell, std::string>;
    std::map<Key, std::vector<const RecordedSaying*>> then, now;
    for (const RecordedSaying& s : then_.said) then[{s.kind, s.label}].push_back(&s);
    for (const RecordedSaying& s : now_.said) now[{s.kind, s.label}].push_back(&s);
    for (const RecordedSaying& s : then_.said) {
      const auto& list = now[{s.kind, s.label}];
      const auto& recorded = then[{s.kind, s.label}];
      if (recorded.front() != &s) continue;
      if (list.size() < recorded.size()) out_.push_back(s.label + ": is not handed over any more");
      for (std::size_t i = 0; i < std::min(list.size(), recorded.size()); ++i) compare(*recorded[i], *list[i]);
    }
    std::set<Key> told;
    for (const RecordedSaying& s : now_.said) {
      const Key key{s.kind, s.label};
      if (now[key].size() > then[key].size() && told.insert(key).second) out_.push_back(s.label + ": was not recorded");
    }
  }

  void compare(const RecordedSaying& a, const RecordedSaying& b) {
    if (a.message != b.message)
      out_.push_back(a.label + ": is not what was recorded");
    else if (a.content != b.content && (a.content.size != b.content.size || !withheld_))
      out_.push_back(a.label + ": has other bytes than recorded (now " + std::to_string(b.content.size) +
                     ", recorded are " + std::to_string(a.content.size) + ")");
  }

  const RecordedCall& then_;
  const RecordedCall& now_;
  const bool withheld_;  // what is made of constants cannot be compared
  std::vector<std::string> out_;
};

// A region's form, whoever asks.
class RecordedSource final : public codegen::ModelSource {
 public:
  explicit RecordedSource(codegen::TfliteForm form) : form_(std::move(form)) {}
  [[nodiscard]] codegen::TfliteForm as_tflite(const codegen::Region&) const override { return form_; }

 private:
  codegen::TfliteForm form_;
};

}  // namespace

std::string call_name(const RecordedCall& c, const SessionRecord& record) {
  const std::string regions = std::to_string(c.regions.size()) + (c.regions.size() == 1 ? " region" : " regions");
  const std::string nodes = std::to_string(record.regions[c.regions[0]].region.nodes.size()) + " nodes";
  switch (c.what) {
    case Ask::verdicts: return "verdicts() on " + nodes;
    case Ask::groups: return "groups() on " + nodes;
    case Ask::update: return "update_constants() of " + regions;
    default: return "compile() of " + regions + (c.attempt == 0 ? "" : ", attempt " + std::to_string(c.attempt));
  }
}

Result<ReplayedRegions> ReplayedRegions::create(const SessionRecord& record, const std::string& file,
                                                Diagnostics& diags) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  std::uint64_t largest = 0;
  for (const RecordedRegion& r : record.regions)
    for (const RecordedRegion::Constant& c : r.constants)
      if (!c.kept) largest = std::max(largest, c.identity.size);
  if (largest > kMost)
    return diags.error(file, {}, "has a constant that is too large to be stood in for", std::to_string(largest),
                       "at most 4 GiB");
  ReplayedRegions out;
  out.zeros_ = std::make_shared<const std::vector<std::byte>>(static_cast<std::size_t>(largest));
  for (const RecordedRegion& r : record.regions) {
    out.regions_.push_back(r.region);
    auto constant = r.constants.begin();
    for (codegen::Value& v : out.regions_.back().values) {
      if (!v.is_constant) continue;
      v.data = constant->kept ? std::span<const std::byte>(constant->bytes)
                              : std::span(*out.zeros_).first(static_cast<std::size_t>(constant->identity.size));
      ++constant;
    }
    if (r.tflite) out.regions_.back().source = std::make_shared<const RecordedSource>(*r.tflite);
  }
  return out;
}

std::vector<ReplayedCall> replay(const SessionRecord& record, const ReplayedRegions& regions,
                                 std::unique_ptr<codegen::Codegen> codegen, const std::string& file,
                                 Diagnostics& diags) {
  SessionRecord again;
  const std::string id(codegen->id());
  auto recording = record_codegen(std::move(codegen), record.target, record.options, record.kept,
                                  [&](SessionRecord made) { again = std::move(made); });
  std::vector<ReplayedCall> out;
  std::vector<bool> withheld;  // of each call, contents of constants
  for (const RecordedCall& call : record.calls) {
    std::vector<codegen::Region> given;
    bool zeros = false;
    for (const std::uint32_t r : call.regions) {
      given.push_back(regions.at(r));
      zeros = zeros || withholds(record.regions[r]);
    }
    withheld.push_back(zeros);
    const auto is_open = [](const codegen::Region& r) { return !r.symbols.empty(); };
    if (std::any_of(given.begin(), given.end(), is_open) && !recording->takes_open_dims()) {
      diags.error(
          {Level::error, file, {}, "takes no dims that only a run knows, and took some when recorded", {}, {}, id});
      out.push_back({call_name(call, record), false, call.ok, {}});
      break;
    }
    Listener listener(id, file, diags);
    const std::size_t before = diags.errors();
    bool ok = true;
    switch (call.what) {
      case Ask::verdicts: ok = recording->verdicts(given[0], record.target).size() == given[0].nodes.size(); break;
      case Ask::groups: (void)recording->groups(given[0], record.target, call.matches); break;
      case Ask::update: {
        ReplayUpdates updates(listener);
        ok = recording->update_constants(given, updates);
        break;
      }
      default: {
        ReplayHost host(call, *recording, listener);
        ok = recording->compile(
            {record.target, call.objective, call.internal_header, given, call.prefix, call.memory_budget, call.attempt},
            host);
        break;
      }
    }
    out.push_back({call_name(call, record), ok && diags.errors() == before, call.ok, {}});
    if (!ok) break;
  }
  recording.reset();
  for (std::size_t i = 0; i < std::min(out.size(), again.calls.size()); ++i)
    out[i].differences =
        Comparison(record.calls[i], again.calls[i], withheld[i]).run(regions.at(record.calls[i].regions[0]));
  return out;
}

}  // namespace byoc::plugin
