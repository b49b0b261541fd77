// Random graphs through the C backend against the evaluator, value by value: compiled by Clang into this process, and
// many in one program that is compiled with sanitizers or for a simulated board. Each graph is compiled and compared in
// a process of its own.
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "backends/reference.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/fuzz/graphs/kernel_store.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using check::GraphCoverage;
using check::RandomGraph;

namespace fs = std::filesystem;

struct Options {
  std::uint64_t graphs = 1000;
  std::uint64_t seed = 1;
  std::size_t jobs = 2;
  std::string keep = "fuzz-graphs";
  std::string target;
  std::string toolchain;
  bool sanitize = false;
  bool print = false;
  bool report = false;
  bool reduce = true;
};

constexpr unsigned kTimeout = 120;
constexpr std::size_t kSlice = 300;  // graphs that are compiled before their programs run

RandomGraph generated(std::uint64_t seed, GraphCoverage* coverage = nullptr) {
  const auto backend = reference::find("c")->create({});
  Diagnostics diags;
  return check::random_graph(seed, *backend, *resolve_target("host", diags), coverage);
}

Objective objective_of(std::uint64_t seed) {
  return seed % 8 == 1 ? Objective::size : seed % 8 == 2 ? Objective::speed : Objective::balanced;
}

std::unique_ptr<codegen::Codegen> backend_of(std::uint64_t seed) {
  const reference::Option layout{"layout", seed % 3 == 0 ? "channels-last" : "best"};
  return reference::find("c")->create({&layout, 1});
}

bool is_lifted(std::uint64_t seed) { return seed % 4 == 3; }

// One way of running graphs in programs of many.
struct Batch {
  TargetSpec target;
  DeviceMemory memory;
  bool sanitized = false;
};

class Fuzz {
 public:
  Fuzz(const Options& options, std::string folder, std::optional<Batch> batch)
      : options_(options), folder_(std::move(folder)), batch_(std::move(batch)), kernels_(folder_ + "/kernels") {}

  int run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t done = 0; done < options_.graphs;) {
      const std::uint64_t n = std::min<std::uint64_t>(kSlice, options_.graphs - done);
      run_slice(options_.seed + done, n);
      done += n;
      std::cerr << done << " graphs, " << differ_ << " differ" << std::endl;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const std::set<std::string> known = check::generated_operators();
    std::cout << options_.graphs << " graphs from seed " << options_.seed << ", " << nodes_ << " nodes, "
              << operators_.size() << " of " << known.size() << " operators, " << differ_ << " differ, "
              << static_cast<long>(seconds.count()) << " s\n";
    return differ_ == 0 ? 0 : 1;
  }

 private:
  [[nodiscard]] bool in_process() const { return options_.target.empty(); }

  void run_slice(std::uint64_t first, std::uint64_t count) {
    std::map<std::uint64_t, std::string> failed;
    std::vector<std::uint64_t> seeds;
    std::vector<DeviceModel> models;
    // Many graphs in one process share the kernels that they have compiled.
    run_in_children(
        count, {.jobs = options_.jobs, .chunk = 50, .timeout_seconds = kTimeout},
        [&](std::size_t i) { return first_part(first + i); },
        [&](std::size_t i, const ChildResult& child) {
          std::istringstream text(child.text);
          std::string verdict, operators;
          std::size_t nodes = 0;
          std::getline(text, verdict);
          if (verdict != "same") {
            failed[first + i] = child.crash.empty() ? child.text : child.crash;
            return;
          }
          text >> nodes >> operators;
          nodes_ += nodes;
          std::istringstream names(operators);
          for (std::string op; std::getline(names, op, ',');) operators_.insert(op);
          if (!batch_) return;
          seeds.push_back(first + i);
          models.push_back(DeviceModel::parse(child.text.substr(child.text.find('\n', verdict.size() + 1) + 1)));
        });
    kernels_.take_new();
    if (batch_) {
      const auto outcomes = run_batches(batch_->target, batch_->memory, folder_, models);
      run_in_children(
          models.size(), {.jobs = options_.jobs, .chunk = 100, .timeout_seconds = kTimeout},
          [&](std::size_t i) {
            RandomGraph g = generated(seeds[i]);
            return compare(g.graph, g.inputs, seeds[i], models[i], outcomes[i]);
          },
          [&](std::size_t i, const ChildResult& child) {
            if (!child.text.empty() || !child.crash.empty()) failed[seeds[i]] = child.crash + child.text;
          });
      for (const DeviceModel& m : models)
        for (const char* suffix : {".a", ".h", ".in", ".json", "_example_main.c", "_constants.c"})
          fs::remove(folder_ + "/" + m.prefix + suffix);
    }
    differ_ += failed.size();
    for (const auto& [seed, what] : failed) keep(seed, what);
  }

  // "same", nodes and operators, and the text of the batch's model; or what differs.
  std::string first_part(std::uint64_t seed) {
    kernels_.take_new();
    const RandomGraph g = generated(seed);
    std::string said = in_process() ? on_host(g.graph, g.inputs, seed) : "";
    if (!said.empty()) return said;
    std::string operators;
    for (const ir::Node& n : g.graph.nodes) operators += (n.domain.empty() ? "" : n.domain + ".") + n.op + ",";
    said = "same\n" + std::to_string(g.graph.nodes.size()) + " " + operators + "\n";
    if (!batch_) return said;
    DeviceModel model;
    const std::string problem = compile(g.graph, g.inputs, seed, model);
    return problem.empty() ? said + model.text() : problem;
  }

  std::string on_host(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs, std::uint64_t seed) {
    const auto backend = backend_of(seed);
    DifferentialOptions options;
    options.objective = objective_of(seed);
    options.lift = is_lifted(seed);
    options.kernel_objects = kernels_.objects();
    const std::string text = check_on_host(graph, inputs, *backend, options);
    kernels_.keep_new();
    return text;
  }

  std::string compile(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs, std::uint64_t seed,
                      DeviceModel& model) {
    ir::Graph prepared;
    if (std::string text = prepare_checked(graph, inputs, prepared, is_lifted(seed)); !text.empty()) return text;
    const auto backend = backend_of(seed);
    codegen::Codegen* codegens[] = {backend.get()};
    Job job;
    job.target = batch_->target;
    job.request.compiler.toolchain = options_.toolchain;
    job.name = "g" + std::to_string(seed);
    job.request.objective = objective_of(seed);
    job.request.trace = true;
    if (batch_->sanitized) job.sanitize = kSanitizers;
    job.codegens = codegens;
    job.kernel_objects = kernels_.objects();
    Diagnostics diags;
    auto library = compile_model(prepared, job, diags);
    if (!library) return "export for " + batch_->target.name + ": " + error_text(diags);
    kernels_.keep_new();
    const DeviceBuild build{.traced = true, .constants_in_c = batch_->sanitized};
    auto added = add_to_batch(std::move(*library), folder_, build, inputs, diags);
    if (!added) return error_text(diags);
    model = std::move(*added);
    return "";
  }

  std::string compare(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs, std::uint64_t seed,
                      const DeviceModel& model, const DeviceOutcome& outcome) const {
    const std::string where = batch_->target.name + ": ";
    if (!outcome.problem.empty()) return where + outcome.problem;
    ir::Graph prepared;
    if (std::string text = prepare_checked(graph, inputs, prepared, is_lifted(seed)); !text.empty()) return text;
    const auto backend = backend_of(seed);
    prepared = as_placed(*backend, prepared, batch_->target);
    std::map<ir::ValueId, evaluate::Tensor> values;
    for (const auto& [index, bytes] : outcome.watched) {
      const StoredTensor& t = model.watched.at(index).tensor;
      values[t.value] = {{t.dtype, t.dims, std::nullopt}, Blob::own(gather(bytes, t))};
    }
    std::vector<evaluate::Tensor> outputs;
    std::span<const std::byte> rest = outcome.outputs;
    for (const ir::ValueId v : prepared.outputs) {
      ir::TensorType type = prepared.values[v].type;
      type.quantisation = std::nullopt;
      const std::uint64_t bytes = type.bytes();
      if (rest.size() < bytes) return where + "the outputs are cut";
      outputs.push_back({type, Blob::own({rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes)})});
      rest = rest.subspan(bytes);
    }
    const std::string text =
        compare_values(prepared, inputs, values, outputs, stated_by(*backend, prepared, batch_->target),
                       evaluate::agreement_on(batch_->target).flushes);
    return text.empty() ? "" : where + text;
  }

  // All of it, for one graph, in a process of its own.
  std::string checked_apart(const Reduced& r, std::uint64_t seed) {
    std::string out;
    run_in_children(
        1, {.timeout_seconds = kTimeout},
        [&](std::size_t) {
          std::string text = in_process() ? on_host(r.graph, r.inputs, seed) : "";
          if (!text.empty() || !batch_) return text;
          DeviceModel model;
          if (text = compile(r.graph, r.inputs, seed, model); !text.empty()) return text;
          const auto outcomes = run_batches(batch_->target, batch_->memory, folder_, {&model, 1});
          return compare(r.graph, r.inputs, seed, model, outcomes[0]);
        },
        [&](std::size_t, const ChildResult& child) { out = child.crash.empty() ? child.text : child.crash; });
    return out;
  }

  void keep(std::uint64_t seed, const std::string& what) {
    RandomGraph g = generated(seed);
    Reduced smallest{std::move(g.graph), std::move(g.inputs)};
    if (options_.reduce)
      smallest =
          reduce(smallest.graph, smallest.inputs, [&](const Reduced& r) { return !checked_apart(r, seed).empty(); });
    fs::create_directories(options_.keep);
    const std::string stem = options_.keep + "/" + std::to_string(seed);
    std::ofstream(stem + ".byoc") << "// seed " << seed << ": " << what.substr(0, what.find('\n')) << "\n"
                                  << ir::print(smallest.graph);
    for (std::size_t i = 0; i < smallest.inputs.size(); ++i)
      std::ofstream(stem + ".input" + std::to_string(i) + ".raw", std::ios::binary)
          .write(reinterpret_cast<const char*>(smallest.inputs[i].bytes.data()),
                 static_cast<std::streamsize>(smallest.inputs[i].bytes.size()));
    std::cout << "seed " << seed << ": " << what << "\n  smallest: " << checked_apart(smallest, seed) << "\n  " << stem
              << ".byoc: " << smallest.graph.nodes.size() << " nodes" << std::endl;
  }

  const Options& options_;
  std::string folder_;
  std::optional<Batch> batch_;
  KernelStore kernels_;
  std::size_t nodes_ = 0;
  std::size_t differ_ = 0;
  std::set<std::string> operators_;
};

// Which operators the graphs have, which are always refused, and which have no entry at all.
void report(const Options& options) {
  GraphCoverage coverage;
  for (std::uint64_t i = 0; i < options.graphs; ++i) (void)generated(options.seed + i, &coverage);
  for (const auto& [op, n] : coverage.used) std::cout << op << ": " << n << "\n";
  for (const auto& [op, reasons] : coverage.refused)
    for (const std::string& r : reasons) std::cout << op << " refused: " << r << "\n";
  const std::set<std::string> known = check::generated_operators();
  for (const reference::Operator& op : reference::find("c")->operators()) {
    const std::string name = (op.domain.empty() ? "" : std::string(op.domain) + ".") + std::string(op.name);
    if (!known.contains(name))
      std::cout << name << ": the backend has it, the generator does not\n";
    else if (!coverage.used.contains(name))
      std::cout << name << ": never used\n";
  }
}

int run(const Options& options) {
  if (options.report) {
    report(options);
    return 0;
  }
  if (options.print) {
    std::cout << ir::print(generated(options.seed).graph);
    return 0;
  }
  Diagnostics diags;
  auto scratch = TemporaryDirectory::create(diags);
  std::optional<Batch> batch;
  if (options.sanitize || !options.target.empty()) {
    const auto target = options.sanitize ? sanitized_host(diags) : resolve_target(options.target, diags);
    const auto memory = target ? device_memory(*target, diags) : Result<DeviceMemory>(failure);
    if (memory) batch = Batch{*target, *memory, options.sanitize};
  }
  if (!scratch || diags.has_errors()) {
    std::cout << "cannot start: " << error_text(diags) << "\n";
    return 1;
  }
  return Fuzz(options, scratch->path(), std::move(batch)).run();
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  CLI::App app("Random graphs through the C backend, compared with the evaluator value by value.");
  app.add_option("--graphs", options.graphs, "how many (default 1000)");
  app.add_option("--seed", options.seed, "of the first; the others follow (default 1)");
  app.add_option("--jobs,-j", options.jobs, "graphs at a time (default 2)");
  app.add_option("--keep", options.keep, "where graphs that fail are written (default fuzz-graphs)");
  auto* target = app.add_option("--target", options.target, "on the simulated board of this target instead");
  app.add_option("--toolchain", options.toolchain, "clang or gnu (default: the target's)")->needs(target);
  app.add_flag("--sanitize", options.sanitize, "also in programs with ASan and UBSan")->excludes(target);
  app.add_flag("--print", options.print, "print the graph of --seed, run nothing");
  app.add_flag("--report", options.report, "which operators the graphs have, and which are refused why; run nothing");
  app.add_flag("!--no-reduce", options.reduce, "do not make what fails smaller");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(options);
}
