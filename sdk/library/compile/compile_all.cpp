#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>

#include "sdk/base/support/cores.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/compile/worker.hpp"

namespace byoc {
namespace {

struct Outcome {
  std::optional<CompiledSource> compiled;
  Diagnostics diags;
  std::vector<std::string> files_read = {};  // by a worker, this one's and those before it
};

bool is_foreign(const Source& source) { return source.isolate || !source.codegen.empty(); }

// The file that diagnostics name for a foreign source.
std::string who(const Source& source) {
  return source.label.empty() ? source.name + suffix_of(source.language) : source.label;
}

// Foreign sources, shared out among forked workers; among threads in what is a worker itself, whose death is its own.
class ForeignSources {
 public:
  ForeignSources(Compiler& compiler, std::span<const Source> sources, const HeaderMap& headers,
                 std::vector<Outcome>& outcomes)
      : compiler_(compiler), sources_(sources), headers_(headers), outcomes_(outcomes) {}

  Result<void> start(std::size_t cores, const WorkerLimits& limits, Diagnostics& diags) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (is_foreign(sources_[i])) all.push_back(i);
    shares_.resize(std::min(cores, all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) shares_[i % shares_.size()].push_back(all[i]);
    if (all.empty() || is_worker()) return {};
    // A compiler that is killed leaves its temporary files behind: here, where they go with this.
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return failure;
    folder_.emplace(std::move(*folder));
    compiler_.prepare(sources_, headers_);
    for (const auto& share : shares_)
      workers_.push_back(std::make_unique<Worker>(
          [&](Worker::Channel& channel) {
            ::setenv("TMPDIR", folder_->path().c_str(), 1);
            for (std::size_t i : share)
              if (!channel.send(compile(sources_[i]))) return;
          },
          limits));
    return {};
  }

  // The number of shares; one thread runs each.
  [[nodiscard]] std::size_t shares() const { return shares_.size(); }
  void collect(std::size_t share) {
    Worker* const worker = workers_.empty() ? nullptr : workers_[share].get();
    for (std::size_t i : shares_[share]) {
      if (worker != nullptr) worker->begin_job();
      const auto answer = worker != nullptr ? worker->receive() : compile(sources_[i]);
      const Diagnostics::Origin origin(outcomes_[i].diags, sources_[i].codegen);
      if (!answer) {
        compile::report_death(who(sources_[i]), worker->end(), outcomes_[i].diags);
        return;
      }
      decode(sources_[i], *answer, outcomes_[i]);
    }
  }

  // Reports the sources whose workers died without a diagnostic, after retrying each by itself. Called after the last
  // thread ended.
  void finish(const WorkerLimits& limits) {
    for (const auto& share : shares_)
      for (const std::size_t i : share) {
        Outcome& outcome = outcomes_[i];
        if (outcome.compiled || !outcome.diags.all().empty()) continue;
        const JobResult result = run_job([&] { return compile(sources_[i]); }, limits);
        const Diagnostics::Origin origin(outcome.diags, sources_[i].codegen);
        if (result.bytes)
          decode(sources_[i], *result.bytes, outcome);
        else
          compile::report_death(who(sources_[i]), result.end, outcome.diags);
      }
  }

 private:
  std::string compile(const Source& source) {
    Diagnostics own;
    std::vector<compile::SourceFinding> findings;
    const auto object = source.rules != nullptr
                            ? compiler_.compile_checked(source, headers_, *source.rules, findings, own)
                            : compiler_.compile(source, headers_, own);
    MessageWriter out;
    out.put(compile::encode_outcome(object, own));
    out.list(findings, [&](const auto& f) { put(out, f); });
    out.list(compiler_.files_read(), [&](const std::string& f) { out.put(f); });
    return out.take();
  }

  static void decode(const Source& source, const std::string& answer, Outcome& outcome) {
    MessageReader in(answer);
    const std::string_view object_bytes = in.view();
    auto findings = in.list([&] { return compile::get_finding(in); });
    outcome.files_read = in.list([&] { return std::string(in.view()); });
    const std::string file = source.codegen.empty() ? who(source) : source.name + ".c";
    auto object = compile::decode_outcome(file, object_bytes, outcome.diags);
    if (object && in.ended()) outcome.compiled = CompiledSource{std::move(*object), std::move(findings)};
  }

  Compiler& compiler_;
  std::span<const Source> sources_;
  const HeaderMap& headers_;
  std::vector<Outcome>& outcomes_;
  std::optional<TemporaryDirectory> folder_;
  std::vector<std::vector<std::size_t>> shares_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

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
  std::vector<Outcome> outcomes(sources.size());
  const JobSlots others_may(others_beside(sources.size(), jobs), jobs == 0 ? environment("MAKEFLAGS") : "");
  const std::size_t cores = others_may.count() + 1;
  ForeignSources foreign(*this, sources, headers, outcomes);
  if (!foreign.start(cores, limits, diags)) return failure;  // before the first thread
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
  foreign.finish(limits);

  std::vector<CompiledSource> compiled;
  for (Outcome& o : outcomes) {
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
