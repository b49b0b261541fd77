#include <charconv>
#include <cmath>
#include <cstdio>

#include "sdk/cli/commands.hpp"
#include "sdk/partition/report.hpp"
#include "sdk/support/file.hpp"

namespace byoc::cli {
namespace {

struct Requirement {
  std::string codegen;
  double percent = 0;
  bool by_macs = false;
};

struct PartitionCommand {
  ModelOptions model;
  std::string report;
  std::vector<std::string> coverage;

  Result<void> run(Diagnostics& diags) const {
    auto options = model.resolve(diags);
    auto required = requirements(diags);
    if (!options || !required) return failure;
    Progress progress(model.quiet);
    progress.stage("import");
    auto graph = load_model(model.model, options->prepare, diags);
    if (!graph) return failure;
    progress.stage("partition");
    auto partition = make_partition(*graph, options->codegens, options->target, options->partition, diags);
    if (!partition) return failure;
    progress.stage("optimise");
    const auto rewritten =
        optimise::rewrite(*graph, *partition, options->codegens, options->target, options->rewrites, diags);
    if (!rewritten) return failure;
    const std::vector<RewriteSummary>& rewrites = rewritten->summary;
    if (!report.empty()) {
      const bool html = report.ends_with(".html");
      OutputSet files(diags);
      if (!files.add(report, html ? partition_html(*graph, options->codegens, options->target, *partition, rewrites)
                                  : partition_json(*graph, options->codegens, options->target, *partition, rewrites)) ||
          !files.commit())
        return failure;
    }
    const std::vector<Coverage> covered = coverage_of(*graph, *partition, options->codegens.size());
    if (!model.quiet) print(*graph, *options, *partition, covered);
    if (!model.quiet) show_rewrites(rewrites);
    return check(*required, *options, covered, diags);
  }

  static void print(const ir::Graph& graph, const ExportOptions& options, const Partition& partition,
                    const std::vector<Coverage>& covered) {
    for (std::size_t c = 0; c < covered.size(); ++c) {
      std::printf("%-28s %4zu regions %6zu nodes %6.1f %% of nodes", std::string(options.codegens[c]->id()).c_str(),
                  covered[c].regions, covered[c].nodes, covered[c].node_share());
      if (covered[c].all_macs == 0)
        std::printf(", no MACs\n");
      else
        std::printf(" %6.1f %% of MACs\n", covered[c].mac_share());
    }
    // Why not, for every node that ended with the reference backend although plug-ins were asked.
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const NodePlacement& p = partition.nodes[n];
      if (p.codegen + 1 != covered.size() || covered.size() == 1) continue;
      std::string reasons;
      for (std::size_t c = 0; c + 1 < covered.size(); ++c)
        if (!p.verdicts[c].claimed)
          reasons += (reasons.empty() ? "" : "; ") + std::string(options.codegens[c]->id()) + ": " + p.verdicts[c].text;
      std::printf("  %s: %s\n", graph.nodes[n].describe().c_str(), reasons.c_str());
    }
  }

  // "ID=95%" of the nodes, "ID=95%macs" of the multiply-accumulates.
  Result<std::vector<Requirement>> requirements(Diagnostics& diags) const {
    std::vector<Requirement> out;
    for (const std::string& text : coverage) {
      const std::size_t equals = text.find('=');
      Requirement r;
      bool ok = equals != std::string::npos && equals != 0;
      if (ok) {
        r.codegen = text.substr(0, equals);
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, r.percent);
        const std::string unit(rest, end);
        r.by_macs = unit == "%macs";
        ok = error == std::errc() && (unit == "%" || r.by_macs) && r.percent >= 0 && r.percent <= 100;
      }
      if (!ok) return diags.error({}, "--require-coverage", "not a share", "'" + text + "'", "ID=95% or ID=95%macs");
      out.push_back(std::move(r));
    }
    return out;
  }

  static Result<void> check(const std::vector<Requirement>& required, const ExportOptions& options,
                            const std::vector<Coverage>& covered, Diagnostics& diags) {
    bool ok = true;
    for (const Requirement& r : required) {
      std::size_t c = 0;
      while (c < covered.size() && options.codegens[c]->id() != r.codegen) ++c;
      if (c == covered.size()) {
        ok = false;
        diags.error({}, "--require-coverage", "there is no such codegen", "'" + r.codegen + "'");
        continue;
      }
      if (r.by_macs && covered[c].all_macs == 0) {
        ok = false;
        diags.error({}, "--require-coverage", "the model has no multiply-accumulates to take a share of",
                    "'" + r.codegen + "' with a share of MACs", "a share of the nodes: " + r.codegen + "=95%");
        continue;
      }
      const double share = r.by_macs ? covered[c].mac_share() : covered[c].node_share();
      if (share >= r.percent) continue;
      ok = false;
      char found[64];
      char expected[64];
      std::snprintf(found, sizeof found, "%.1f %% of %s", share, r.by_macs ? "MACs" : "nodes");
      std::snprintf(expected, sizeof expected, "%g %%", r.percent);
      diags.error({}, r.codegen, "covers less than was required", found, expected);
    }
    return ok ? Result<void>() : failure;
  }
};

}  // namespace

void add_partition(CLI::App& app, Session& session) {
  auto options = std::make_shared<PartitionCommand>();
  CLI::App* command = app.add_subcommand("partition", "show which codegen takes which part of a model, and why");
  options->model.declare(*command);
  command->add_option("--report", options->report, "write every node and verdict: R.json, or R.html for people");
  command->add_option("--require-coverage", options->coverage,
                      "ID=95% or ID=95%macs: fail if the codegen takes less; may be repeated");
  command->footer("Example:\n  byoc partition kws.tflite --target cortex-m4f --plugin ./libacme.so --report kws.html");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
