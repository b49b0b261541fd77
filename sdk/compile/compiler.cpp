#include "sdk/compile/compiler.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>

#include "sdk/compile/clang_driver.hpp"
#include "sdk/compile/compilers.hpp"
#include "sdk/compile/worker.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/process.hpp"

namespace byoc {

std::vector<std::string> language_flags(const CompileOptions& options) {
  // One section per function and object lets --gc-sections drop what a firmware does not call.
  std::vector<std::string> flags{"-std=" + options.standard, "-ffunction-sections", "-fdata-sections",
                                 "-ffp-contract=off", "-fno-math-errno"};
  if (options.warnings)
    for (const char* f : {"-Wall", "-Wextra", "-Wpedantic"}) flags.emplace_back(f);
  else
    flags.emplace_back("-w");
  if (options.warnings_as_errors) flags.emplace_back("-Werror");
  if (!options.sanitize.empty()) {
    flags.push_back("-fsanitize=" + options.sanitize);
    flags.emplace_back("-fno-sanitize-recover=all");
  }
  return flags;
}

namespace compile {

std::string package_hint(const TargetSpec& target, const char* which) {
  const bool compiler = std::string(which) == "compiler";
  if (target.gnu_command.starts_with("arm-none-eabi"))
    return compiler ? "the package gcc-arm-none-eabi" : "the package libnewlib-arm-none-eabi";
  if (target.gnu_command.starts_with("riscv64-unknown-elf"))
    return compiler ? "the package gcc-riscv64-unknown-elf" : "the package picolibc-riscv64-unknown-elf";
  if (target.gnu_command.starts_with("aarch64-linux-gnu"))
    return compiler ? "the package gcc-aarch64-linux-gnu" : "the package libc6-dev-arm64-cross";
  if (target.gnu_command == "gcc") return compiler ? "the package gcc" : "the package libc6-dev";
  return compiler ? target.gnu_command + " on the PATH" : "C library headers in include_dirs of the target";
}

}  // namespace compile

Result<std::unique_ptr<Compiler>> Compiler::create(const TargetSpec& target, const std::string& toolchain,
                                                   const CompileOptions& options, Diagnostics& diags) {
  const std::string name = toolchain.empty() ? target.default_toolchain : toolchain;
  if (name == "clang" && !options.launcher.empty())
    return diags.error({}, "--compiler-launcher", "Clang is part of byoc and no command that could be launched",
                       options.launcher, "--toolchain gnu or a description");
  if (name != "clang" && options.bitcode)
    return diags.error({}, "--lto", "link-time optimisation is for C that Clang compiles", name, "--toolchain clang");
  auto cache = compile::ObjectCache::open(options.cache, diags);
  if (!cache) return failure;
  const auto cached = [&](auto compiler, const std::string& program) -> Result<std::unique_ptr<Compiler>> {
    if (!compiler) return failure;
    return compile::make_caching_compiler(std::move(*compiler), std::move(*cache), target, options, program);
  };
  const auto external = [&](Toolchain described) {
    const std::string program = find_program(described.compile[0]);
    return cached(compile::make_external_compiler(target, options, std::move(described), diags), program);
  };
  if (name == "clang")
    return cached(compile::make_clang_compiler(target, options, diags),
                  compile::resource_directory() + "/include/stddef.h");
  if (name == "gnu") return external(gnu_toolchain(target, options));
  if (!name.ends_with(".json"))
    return diags.error({}, target.name, "unknown toolchain", name, "clang | gnu | a description (.json)");
  auto text = read_text(name, diags);
  if (!text) return failure;
  auto parsed = parse_toolchain(*text, name, diags);
  if (!parsed) return failure;
  return external(std::move(*parsed));
}

namespace {

class FunctionCompiler : public Compiler {
 public:
  FunctionCompiler(std::string name, CompileFunction function)
      : name_(std::move(name)), function_(std::move(function)) {}

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    return function_(source, headers, diags);
  }
  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const compile::SourceRules&,
                                      std::vector<compile::SourceFinding>&, Diagnostics& diags) override {
    return function_(source, headers, diags);
  }
  [[nodiscard]] std::string identity() const override { return name_; }
  [[nodiscard]] std::string flags() const override { return {}; }
  [[nodiscard]] std::vector<std::string> files_read() const override { return {}; }

 private:
  std::string name_;
  CompileFunction function_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> Compiler::from_function(const TargetSpec& target, const std::string& name,
                                                          CompileFunction function, Diagnostics& diags) {
  auto compiler = std::make_unique<FunctionCompiler>(name, std::move(function));
  if (!compile::probe(*compiler, name, target, diags)) return failure;
  return std::unique_ptr<Compiler>(std::move(compiler));
}

namespace {

struct Outcome {
  std::optional<CompiledSource> compiled;
  Diagnostics diags;
};

bool is_foreign(const Source& source) { return source.isolate || !source.codegen.empty(); }

// How diagnostics name a foreign source.
std::string who(const Source& source) {
  const std::string name = source.label.empty() ? source.name + ".c" : source.label;
  return source.codegen.empty() ? name : name + " of codegen '" + source.codegen + "'";
}

// Foreign sources, shared out among forked workers.
class ForeignSources {
 public:
  ForeignSources(Compiler& compiler, std::span<const Source> sources, const HeaderMap& headers,
                 std::vector<Outcome>& outcomes)
      : compiler_(compiler), sources_(sources), headers_(headers), outcomes_(outcomes) {}

  Result<void> start(std::size_t cores, const WorkerLimits& limits, Diagnostics& diags) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (is_foreign(sources_[i])) all.push_back(i);
    if (all.empty()) return {};
    // A compiler that is killed leaves its temporary files behind: here, where they go with this.
    auto folder = TemporaryDirectory::create(diags);
    if (!folder) return failure;
    folder_.emplace(std::move(*folder));
    compiler_.prepare(sources_, headers_);
    shares_.resize(std::min(cores, all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) shares_[i % shares_.size()].push_back(all[i]);
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

  // One thread for each.
  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  void collect(std::size_t worker) {
    for (std::size_t i : shares_[worker]) {
      workers_[worker]->begin_job();
      const auto answer = workers_[worker]->receive();
      if (!answer) {
        compile::report_death(who(sources_[i]), workers_[worker]->end(), outcomes_[i].diags);
        return;
      }
      decode(sources_[i], *answer, outcomes_[i]);
    }
  }

  // What workers left when they died, each by itself. After the last thread.
  void finish(const WorkerLimits& limits) {
    for (const auto& share : shares_)
      for (const std::size_t i : share) {
        Outcome& outcome = outcomes_[i];
        if (outcome.compiled || !outcome.diags.all().empty()) continue;
        const JobResult result = run_job([&] { return compile(sources_[i]); }, limits);
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
    return out.take();
  }

  static void decode(const Source& source, const std::string& answer, Outcome& outcome) {
    MessageReader in(answer);
    Diagnostics own;
    const std::string_view object_bytes = in.view();
    auto findings = in.list([&] { return compile::get_finding(in); });
    auto object = compile::decode_outcome(source.codegen.empty() ? who(source) : source.name + ".c", object_bytes, own);
    for (Diagnostic d : own.all()) {
      if (!source.codegen.empty()) d.message = "codegen '" + source.codegen + "': " + d.message;
      outcome.diags.add(std::move(d));
    }
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

}  // namespace

Result<std::vector<CompiledSource>> Compiler::compile_all(std::span<const Source> sources, const HeaderMap& headers,
                                                          Diagnostics& diags, const WorkerLimits& limits) {
  std::vector<Outcome> outcomes(sources.size());
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
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
  std::vector<std::thread> others;
  for (std::size_t i = 0; i < foreign.workers(); ++i) others.emplace_back([&foreign, i] { foreign.collect(i); });
  for (std::size_t i = 1; i < std::min(cores, sources.size()); ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  foreign.finish(limits);

  std::vector<CompiledSource> compiled;
  for (Outcome& o : outcomes) {
    for (const Diagnostic& d : o.diags.all()) diags.add(d);
    if (o.compiled) compiled.push_back(std::move(*o.compiled));
  }
  if (compiled.size() == sources.size()) return compiled;
  if (!diags.has_errors()) diags.error({}, {}, "a source cannot be compiled");
  return failure;
}

}  // namespace byoc
