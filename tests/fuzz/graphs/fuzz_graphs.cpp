// Random graphs through the C backend against the evaluator. Each graph runs in a process of its own.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "backends/c/backend.hpp"
#include "backends/c/operators.hpp"
#include "sdk/ir/text.hpp"
#include "sdk/module/target.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/in_children.hpp"
#include "tests/support/random_graph/random_graph.hpp"

namespace byoc::test {
namespace {

struct Options {
  std::uint64_t graphs = 1000;
  std::uint64_t seed = 1;
  std::size_t jobs = 2;
  std::string keep = "fuzz-graphs";
  bool print = false;
  bool report = false;
  bool reduce = true;
};

constexpr unsigned kTimeout = 120;

std::string checked(const Reduced& r) {
  static std::map<std::string, std::vector<std::byte>> kernels;
  const auto backend = c::create_backend();
  DifferentialOptions options;
  options.kernel_objects = &kernels;
  return check_on_host(r.graph, r.inputs, *backend, options);
}

RandomGraph generated(std::uint64_t seed, GraphCoverage* coverage = nullptr) {
  const auto backend = c::create_backend();
  Diagnostics diags;
  return random_graph(seed, *backend, *resolve_target("host", diags), coverage);
}

// What a check in a process of its own says.
std::string checked_apart(const Reduced& r) {
  std::string out;
  run_in_children(
      1, {.timeout_seconds = kTimeout}, [&](std::size_t) { return checked(r); },
      [&](std::size_t, const ChildResult& child) { out = child.crash.empty() ? child.text : child.crash; });
  return out;
}

void keep(const Options& options, std::uint64_t seed, const std::string& what) {
  RandomGraph g = generated(seed);
  Reduced smallest{std::move(g.graph), std::move(g.inputs)};
  if (options.reduce)
    smallest = reduce(smallest.graph, smallest.inputs, [](const Reduced& r) { return !checked_apart(r).empty(); });
  std::filesystem::create_directories(options.keep);
  const std::string stem = options.keep + "/" + std::to_string(seed);
  std::ofstream(stem + ".byoc") << "// seed " << seed << ": " << what.substr(0, what.find('\n')) << "\n"
                                << ir::print(smallest.graph);
  for (std::size_t i = 0; i < smallest.inputs.size(); ++i)
    std::ofstream(stem + ".input" + std::to_string(i) + ".raw", std::ios::binary)
        .write(reinterpret_cast<const char*>(smallest.inputs[i].bytes.data()),
               static_cast<std::streamsize>(smallest.inputs[i].bytes.size()));
  std::cout << "seed " << seed << ": " << what << "\n  smallest: " << checked_apart(smallest) << "\n  " << stem
            << ".byoc: " << smallest.graph.nodes.size() << " nodes" << std::endl;
}

// Which operators the graphs have, which are always refused, and which have no entry at all.
void report(const Options& options) {
  GraphCoverage coverage;
  for (std::uint64_t i = 0; i < options.graphs; ++i) (void)generated(options.seed + i, &coverage);
  for (const auto& [op, n] : coverage.used) std::cout << op << ": " << n << "\n";
  for (const auto& [op, reasons] : coverage.refused)
    for (const std::string& r : reasons) std::cout << op << " refused: " << r << "\n";
  const std::set<std::string> known = generated_operators();
  for (const c::Lowering& l : c::lowerings()) {
    const std::string name = (l.domain.empty() ? "" : std::string(l.domain) + ".") + std::string(l.op);
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
  std::size_t nodes = 0;
  std::vector<std::pair<std::uint64_t, std::string>> failed;
  // Many graphs in one process share the kernels that they have compiled.
  run_in_children(
      options.graphs, {.jobs = options.jobs, .chunk = 100, .timeout_seconds = kTimeout},
      [&](std::size_t i) {
        RandomGraph g = generated(options.seed + i);
        const std::size_t count = g.graph.nodes.size();
        const std::string text = checked({std::move(g.graph), std::move(g.inputs)});
        return text.empty() ? "nodes " + std::to_string(count) : "differs " + text;
      },
      [&](std::size_t i, const ChildResult& child) {
        if (child.text.starts_with("nodes "))
          nodes += std::stoul(child.text.substr(6));
        else
          failed.emplace_back(options.seed + i, child.crash.empty() ? child.text.substr(8) : child.crash);
      });
  for (const auto& [seed, what] : failed) keep(options, seed, what);
  std::cout << options.graphs << " graphs from seed " << options.seed << ", " << nodes << " nodes, " << failed.size()
            << " differ\n";
  return failed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace byoc::test

int main(int argc, char** argv) {
  byoc::test::Options options;
  CLI::App app("Random graphs through the C backend on this machine, compared with the evaluator value by value.");
  app.add_option("--graphs", options.graphs, "how many (default 1000)");
  app.add_option("--seed", options.seed, "of the first; the others follow (default 1)");
  app.add_option("--jobs,-j", options.jobs, "graphs at a time (default 2)");
  app.add_option("--keep", options.keep, "where graphs that fail are written (default fuzz-graphs)");
  app.add_flag("--print", options.print, "print the graph of --seed, run nothing");
  app.add_flag("--report", options.report, "which operators the graphs have, and which are refused why; run nothing");
  app.add_flag("!--no-reduce", options.reduce, "do not make what fails smaller");
  CLI11_PARSE(app, argc, argv);
  return byoc::test::run(options);
}
