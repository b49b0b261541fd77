#include "sdk/app/check/check.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/worker.hpp"
#include "sdk/base/support/nearest.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"

namespace byoc::check {

std::vector<Unit> all_units() {
  std::vector<Unit> out;
  for (auto part : {library_units, verdict_units, call_units, code_units, mixed_units, open_units})
    for (Unit& u : part()) out.push_back(std::move(u));
  return out;
}

namespace {

CheckInfo claims_info() { return {"claims", "verdicts", "C1", "it says of thousands of nodes whether it claims them"}; }

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The path of the plug-in.
struct Place {
  std::string library;
  std::string manifest;  // "" if there is none
};

Result<Place> find(const CheckOptions& options, Diagnostics& diags) {
  namespace fs = std::filesystem;
  const std::string& what = options.plugin;
  if (what.ends_with(".so") || (!what.ends_with(".json") && what.find('/') != std::string::npos)) {
    std::error_code error;
    if (!fs::is_regular_file(what, error)) return diags.error(what, {}, "there is no such file");
    const std::string beside = fs::path(what).replace_extension(".byoc.json").string();
    return Place{what, fs::exists(beside, error) ? beside : ""};
  }
  if (what.ends_with(".json")) {
    auto manifest = plugin::read_manifest(what, diags);
    if (!manifest) return failure;
    return Place{manifest->library, what};
  }
  for (const std::string& folder : options.folders) {
    Diagnostics others;
    for (const plugin::Manifest& m : plugin::find_manifests(folder, others))
      if (m.id == what) return Place{m.library, m.path};
  }
  return diags.error({}, what, "there is no such plug-in", {},
                     "a path, or the id of an installed plug-in ('byoc plugins' lists them)");
}

class Kit {
 public:
  Kit(const CheckOptions& options, Place place) : options_(options), place_(std::move(place)) {}

  Result<Report> run(Diagnostics& diags) {
    report_.plugin = place_.library;
    report_.target = options_.target.name;
    if (!identify(diags)) return failure;
    const std::vector<Unit> units = all_units();
    for (std::size_t i = 0; i < units.size(); ++i) make(units[i], i);
    return std::move(report_);
  }

 private:
  bool wanted(const CheckInfo& info) const {
    return (options_.only.empty() || has(options_.only, info.name)) && !has(options_.skip, info.name);
  }

  // Runs in a process of its own; false if it died, which is told in `findings` then.
  bool apart(const Unit& unit, std::size_t number, Findings& findings) {
    const std::string& check = unit.checks[0].name;
    stage_.clear();
    stage_.enter(check, "");
    const JobResult job = ask(Ask::unit, {options_, place_.library, place_.manifest, &corpus_, number}, &stage_);
    if (job.bytes && findings.decode(*job.bytes)) return true;
    findings = Findings();
    const std::string doing = stage_.doing().empty() ? "" : stage_.doing() + ": ";
    if (!stage_.requirement().empty())
      findings.add({stage_.check(), stage_.requirement(), doing + stage_.what(), {}, {}});
    else
      findings.add({stage_.check(), unit.death, doing + "the process " + job.end.text(), {}, {}});
    return false;
  }

  // The plug-in's id and version, if that goes well. Error: options of the user's that it does not have.
  Result<void> identify(Diagnostics& diags) {
    const JobResult job = ask(Ask::identify, {options_, place_.library, place_.manifest}, nullptr);
    if (!job.bytes) return {};
    Unpacker in(*job.bytes);
    report_.id = in.text();
    report_.version = in.text();
    for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
      Diagnostic d;
      for (std::string* s : {&d.file, &d.node, &d.message, &d.found, &d.expected, &d.codegen}) *s = in.text();
      diags.error(std::move(d));
    }
    if (diags.has_errors()) return failure;
    return {};
  }

  // Asking for what it claims is a check of its own.
  void make_corpus_once() {
    if (corpus_made_) return;
    corpus_made_ = true;
    if (options_.progress) options_.progress(claims_info());
    const auto start = std::chrono::steady_clock::now();
    CheckResult result{claims_info(), {}, {}, 0, {}, {}, 0};
    stage_.clear();
    const JobResult job = ask(Ask::corpus, {options_, place_.library, place_.manifest}, &stage_);
    if (!job.bytes) {
      result.state = CheckResult::State::failed;
      result.findings.push_back(
          {result.info.name, "C1", "asked for verdicts on random graphs, the process " + job.end.text(), {}, {}});
    } else if (!corpus_.decode(*job.bytes)) {
      result.state = CheckResult::State::failed;
      result.findings.push_back({result.info.name, "O2", "it creates no codegen", {}, {}});
    } else {
      result.note = std::to_string(corpus_.operators.size()) + " operators, " + std::to_string(corpus_.claimed.size()) +
                    " graphs claimed as a whole";
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    result.seconds = seconds.count();
    if (result.state == CheckResult::State::failed) blocked_ = "needs '" + result.info.name + "', which failed";
    if (wanted(result.info) || result.state == CheckResult::State::failed) report_.results.push_back(std::move(result));
  }

  void make(const Unit& unit, std::size_t number) {
    const bool any = std::any_of(unit.checks.begin(), unit.checks.end(), [&](const CheckInfo& c) { return wanted(c); });
    // A gate is kept even where nobody asked for it.
    if (!any && unit.gate == Unit::Gate::none) return skip(unit, "");
    if (!blocked_.empty()) return skip(unit, blocked_);
    if (options_.progress) options_.progress(unit.checks[0]);
    const auto start = std::chrono::steady_clock::now();
    if (unit.needs_corpus) make_corpus_once();
    if (!blocked_.empty()) return skip(unit, blocked_);
    Findings findings;
    const bool lived = apart(unit, number, findings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    report_.coverage.insert(report_.coverage.end(), findings.table.begin(), findings.table.end());
    bool shown = false;
    for (const CheckInfo& info : unit.checks) {
      CheckResult result{info, {}, {}, 0, {}, {}, seconds.count()};
      for (const Finding& f : findings.list)
        if (f.check == info.name) result.findings.push_back(f);
      if (findings.more.contains(info.name)) result.more = findings.more[info.name];
      if (findings.notes.contains(info.name)) result.note = findings.notes[info.name];
      if (findings.skipped.contains(info.name)) result.why = findings.skipped[info.name];
      const bool none = result.findings.empty();
      result.state = !none                 ? CheckResult::State::failed
                     : !result.why.empty() ? CheckResult::State::skipped
                                           : CheckResult::State::passed;
      if (none && !lived) {
        result.state = CheckResult::State::skipped;
        result.why = "the process died before it";
      }
      if (info.warns && !options_.strict && !none) {
        result.warnings = std::exchange(result.findings, {});
        result.state = CheckResult::State::passed;
      }
      if (!wanted(info) && none) continue;
      shown = shown || !none;
      report_.results.push_back(std::move(result));
    }
    if (findings.blocks || (unit.gate == Unit::Gate::passes && !findings.list.empty()))
      blocked_ = "needs '" + unit.checks[0].name + "', which failed";
    if (unit.gate == Unit::Gate::lives && !lived) blocked_ = "needs '" + unit.checks[0].name + "', which failed";
  }

  void skip(const Unit& unit, const std::string& why) {
    for (const CheckInfo& info : unit.checks)
      if (wanted(info)) report_.results.push_back({info, CheckResult::State::skipped, {}, 0, why, {}, 0});
  }

  const CheckOptions& options_;
  Place place_;
  Stage stage_;
  Corpus corpus_;
  bool corpus_made_ = false;
  std::string blocked_;  // why nothing more is made
  Report report_;
};

}  // namespace

std::optional<plugin::Plugin> Context::load() {
  stage.enter(check, "loading it");
  Diagnostics diags;
  auto loaded = plugin::load_plugin(library, {}, diags);
  if (loaded) return std::move(*loaded);
  for (const Diagnostic& d : diags.all()) add("E5", message_with_origin(d), d.found, d.expected);
  return std::nullopt;
}

std::vector<plugin::OptionValue> Context::option_values(const plugin::Plugin& loaded) {
  Diagnostics diags;
  auto values = plugin::resolve_options(loaded, options.options, diags);
  if (values) return std::move(*values);
  for (const Diagnostic& d : diags.all()) add("O1", message_with_origin(d) + " " + d.node, d.found, d.expected);
  return {};
}

std::size_t Report::count(CheckResult::State state) const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const CheckResult& r) { return r.state == state; }));
}

std::vector<CheckInfo> list_checks() {
  std::vector<CheckInfo> out;
  bool claims = false;
  for (const Unit& u : all_units()) {
    if (u.needs_corpus && !std::exchange(claims, true)) out.push_back(claims_info());
    out.insert(out.end(), u.checks.begin(), u.checks.end());
  }
  return out;
}

Result<TargetSpec> choose_target(const CheckOptions& options, std::span<const TargetSpec> targets, Diagnostics& diags) {
  const auto place = find(options, diags);
  if (!place) return failure;
  Asked asked{options, place->library, place->manifest};
  asked.targets = targets;
  const JobResult job = ask(Ask::choose, asked, nullptr);
  if (!job.bytes || job.bytes->empty()) return targets.front();
  const std::uint64_t taken = Unpacker(*job.bytes).number();
  return targets[taken < targets.size() ? static_cast<std::size_t>(taken) : 0];
}

Result<Report> check_plugin(const CheckOptions& options, Diagnostics& diags) {
  std::vector<std::string> known;
  for (const CheckInfo& c : list_checks()) known.push_back(c.name);
  for (const auto* names : {&options.only, &options.skip})
    for (const std::string& name : *names)
      if (!has(known, name)) {
        std::string all;
        for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
        return diags.error({}, name, "there is no such check" + did_you_mean(name, known), {}, all);
      }
  auto place = find(options, diags);
  if (!place) return failure;
  return Kit(options, std::move(*place)).run(diags);
}

}  // namespace byoc::check
