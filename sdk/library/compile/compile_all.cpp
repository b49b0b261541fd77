#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>

#include "sdk/base/support/cores.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/target_message.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/compile/jobs.hpp"
#include "sdk/library/compile/worker.hpp"

namespace byoc {
namespace {

bool is_foreign(const Source& source) { return source.isolate || !source.codegen.empty(); }

// The file that diagnostics name for a foreign source.
std::string who(const Source& source) {
  return source.label.empty() ? source.name + suffix_of(source.language) : source.label;
}

// All but the rules, which are behind a pointer.
void put(MessageWriter& out, const Source& s) {
  // A member that is added does not compile before it is named here. A worker has nothing to isolate.
  const auto& [name, text, opt_level, directory, standard, include_directories, language, flags, codegen, rules,
               isolate, label] = s;
  for (const std::string* t : {&name, &text, &opt_level, &directory, &standard, &language, &codegen, &label})
    out.put(*t);
  out.list(include_directories);
  out.list(flags);
}

Source get_source(MessageReader& in) {
  Source s;
  for (std::string* text :
       {&s.name, &s.text, &s.opt_level, &s.directory, &s.standard, &s.language, &s.codegen, &s.label})
    *text = in.text();
  s.include_directories = in.texts();
  s.flags = in.texts();
  return s;
}

void put(MessageWriter& out, const compile::SourceRules& rules) {
  out.put(rules.prototypes);
  out.put(rules.target);
  out.put(rules.no_float);
  out.put(rules.no_double);
}

compile::SourceRules get_rules(MessageReader& in) {
  compile::SourceRules out;
  out.prototypes = in.text_map();
  out.target = in.text();
  out.no_float = in.flag();
  out.no_double = in.flag();
  return out;
}

// The answer about one source.
std::string compile_source(Compiler& compiler, const Source& source, const HeaderMap& headers) {
  Diagnostics own;
  std::vector<compile::SourceFinding> findings;
  const auto object = source.rules != nullptr ? compiler.compile_checked(source, headers, *source.rules, findings, own)
                                              : compiler.compile(source, headers, own);
  MessageWriter out;
  out.put(compile::encode_outcome(object, own));
  out.list(findings, [&](const auto& f) { put(out, f); });
  out.list(compiler.files_read());
  return out.take();
}

// A number that no other call of compile_all() in this process has.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

// Foreign sources, shared out among workers; among threads in what is a worker itself, whose death is its own, and for
// a compiler that is a function of the caller's, of which only this process has the code.
class ForeignSources {
 public:
  struct Outcome {
    std::optional<CompiledSource> compiled;
    Diagnostics diags;
    std::vector<std::string> files_read = {};  // by a worker, this one's and those before it
  };

  ForeignSources(Compiler& compiler, std::span<const Source> sources, const HeaderMap& headers,
                 std::vector<Outcome>& outcomes, const WorkerLimits& limits)
      : compiler_(compiler), sources_(sources), headers_(headers), outcomes_(outcomes), limits_(limits) {}

  Result<void> start(std::size_t cores, Diagnostics& diags) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (is_foreign(sources_[i])) all.push_back(i);
    shares_.resize(std::min(cores, all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) shares_[i % shares_.size()].push_back(all[i]);
    if (all.empty() || is_worker() || !compiler_.recipe_) return {};
    // A compiler that is killed leaves its temporary files behind: here, where they go with this.
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return failure;
    folder_.emplace(std::move(*folder));
    MessageWriter recipe;
    recipe.put(next_number());
    put(recipe, compiler_.recipe_->target);
    recipe.put(compiler_.recipe_->toolchain);
    compile::put(recipe, compiler_.recipe_->options);
    recipe.put(headers_);
    recipe_ = recipe.take();
    return {};
  }

  // The number of shares; one thread runs each.
  [[nodiscard]] std::size_t shares() const { return shares_.size(); }
  void collect(std::size_t share) {
    std::optional<compile::JobWorker> worker;
    if (folder_) worker.emplace(limits_);
    for (std::size_t i : shares_[share]) {
      const auto answer = worker ? ask(*worker, i) : compile_source(compiler_, sources_[i], headers_);
      const Diagnostics::Origin origin(outcomes_[i].diags, sources_[i].codegen);
      if (!answer) {
        compile::report_death(who(sources_[i]), worker->end(), outcomes_[i].diags);
        return;
      }
      decode(sources_[i], *answer, outcomes_[i]);
    }
  }

  // Compiles the sources that a worker left behind which died of another, each in a worker of its own. Called after the
  // last thread ended.
  void finish() {
    for (const auto& share : shares_)
      for (const std::size_t i : share) {
        Outcome& outcome = outcomes_[i];
        if (outcome.compiled || !outcome.diags.all().empty()) continue;
        compile::JobWorker worker(limits_);
        const auto answer = ask(worker, i);
        const Diagnostics::Origin origin(outcome.diags, sources_[i].codegen);
        if (answer)
          decode(sources_[i], *answer, outcome);
        else
          compile::report_death(who(sources_[i]), worker.end(), outcome.diags);
      }
  }

  // The worker's side of ask().
  static std::string answer(MessageReader& in) {
    // The parts of the last call: its headers are the same, and a compiler knows which files it has read.
    static std::string recipe;
    static HeaderMap headers;
    static std::unique_ptr<Compiler> compiler;
    const std::string_view asked = in.view();
    Diagnostics diags;
    if (recipe != asked || compiler == nullptr) {
      recipe = asked;
      MessageReader of_recipe(recipe);
      (void)of_recipe.get<std::uint64_t>();
      const TargetSpec target = get_target_spec(of_recipe);
      const std::string toolchain = of_recipe.text();
      const CompileOptions options = compile::get_options(of_recipe);
      headers = of_recipe.text_map();
      auto made = Compiler::create(target, toolchain, options, diags);
      compiler = made ? std::move(*made) : nullptr;
    }
    Source source = get_source(in);
    compile::SourceRules rules;
    if (in.flag()) {
      rules = get_rules(in);
      source.rules = &rules;
    }
    if (compiler != nullptr) return compile_source(*compiler, source, headers);
    MessageWriter out;
    out.put(compile::encode_outcome(failure, diags));
    out.list(std::vector<std::string>());
    out.list(std::vector<std::string>());
    return out.take();
  }

 private:
  std::optional<std::string> ask(compile::JobWorker& worker, std::size_t i) const {
    MessageWriter message;
    message.put(recipe_);
    put(message, sources_[i]);
    message.put(sources_[i].rules != nullptr);
    if (sources_[i].rules != nullptr) put(message, *sources_[i].rules);
    return worker.ask(compile::Ask::source, message.bytes(), folder_->path());
  }

  static void decode(const Source& source, const std::string& answer, Outcome& outcome) {
    MessageReader in(answer);
    const std::string_view object_bytes = in.view();
    auto findings = in.list([&] { return compile::get_finding(in); });
    outcome.files_read = in.texts();
    const std::string file = source.codegen.empty() ? who(source) : source.name + ".c";
    auto object = compile::decode_outcome(file, object_bytes, outcome.diags);
    if (object && in.ended()) outcome.compiled = CompiledSource{std::move(*object), std::move(findings)};
  }

  Compiler& compiler_;
  std::span<const Source> sources_;
  const HeaderMap& headers_;
  std::vector<Outcome>& outcomes_;
  const WorkerLimits& limits_;
  std::string recipe_;  // what workers make the compiler from, and the headers
  std::optional<TemporaryDirectory> folder_;
  std::vector<std::vector<std::size_t>> shares_;
};

std::string compile::do_source(MessageReader& in) { return ForeignSources::answer(in); }

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// The number of workers besides the first.
unsigned others_beside(std::size_t sources, unsigned jobs) {
  const std::size_t most = jobs != 0 ? jobs : usable_cores();
  return static_cast<unsigned>(std::max<std::size_t>(std::min(most, sources), 1) - 1);
}

}  // namespace

Result<std::vector<CompiledSource>> Compiler::compile_all(std::span<const Source> sources, const HeaderMap& headers,
                                                          Diagnostics& diags, const WorkerLimits& limits,
                                                          unsigned jobs) {
  std::vector<ForeignSources::Outcome> outcomes(sources.size());
  const JobSlots others_may(others_beside(sources.size(), jobs), jobs == 0 ? environment("MAKEFLAGS") : "");
  const std::size_t cores = others_may.count() + 1;
  ForeignSources foreign(*this, sources, headers, outcomes, limits);
  if (!foreign.start(cores, diags)) return failure;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      if (is_foreign(sources[i])) continue;
      auto object = compile(sources[i], headers, outcomes[i].diags);
      if (object) outcomes[i].compiled = CompiledSource{std::move(*object)};
    }
  };
  std::vector<std::jthread> others;  // waited for on every way out of here
  for (std::size_t i = 0; i < foreign.shares(); ++i) others.emplace_back([&foreign, i] { foreign.collect(i); });
  for (std::size_t i = 1; i < std::min(cores, sources.size()); ++i) others.emplace_back(work);
  work();
  others.clear();
  foreign.finish();

  std::vector<CompiledSource> compiled;
  for (ForeignSources::Outcome& o : outcomes) {
    read_by_workers_.insert(o.files_read.begin(), o.files_read.end());
    for (const Diagnostic& d : o.diags.all()) diags.add(d);
    if (o.compiled) compiled.push_back(std::move(*o.compiled));
  }
  if (compiled.size() == sources.size()) return compiled;
  if (!diags.has_errors()) diags.error({}, {}, "a source cannot be compiled");
  return failure;
}

std::vector<std::string> Compiler::all_files_read() const {
  std::set<std::string> all = read_by_workers_;
  for (std::string& file : files_read()) all.insert(std::move(file));
  return {all.begin(), all.end()};
}

}  // namespace byoc
