#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/page_facts.hpp"
#include "sdk/base/support/output_set.hpp"

namespace byoc::cli {
namespace {

struct Requirement {
  std::string codegen;
  double percent = 0;
  bool by_macs = false;
};

struct PartitionCommand {
  const CLI::App* command = nullptr;
  ModelOptions model;
  std::string report;
  std::vector<std::string> coverage;
  std::string dump;  // folder

  Result<void> run(Diagnostics& diags) const {
    const std::vector<FileStamp> inputs = model.inputs();
    const std::vector<OutputName> outputs(report.empty() ? 0 : 1, {report});
    if (!check_outputs(inputs, outputs, diags)) return failure;
    Progress progress(model.quiet);
    auto setup = model.resolve(progress, diags);
    auto required = requirements(diags);
    if (!setup || !required) return failure;
    const auto loaded = model.load(*setup, progress, diags);
    if (!loaded) return failure;
    const auto told = partition_model(*loaded, setup->codegens, setup->request, diags);
    if (!told) return failure;
    if (!model.quiet) print(*told);
    if (!model.quiet) show_rewrites(told->rewrites);
    OutputSet files(diags, inputs);
    if (!dump.empty() && !dump_regions(*loaded, *setup, files, diags)) return failure;
    auto text = report.empty() ? Result<std::string>("") : report_text(*told, report, diags);
    if (text && report.ends_with(".html"))
      text = page_with_facts(std::move(*text), *command, model.model, &setup->codegens.target());
    if (!text || (!report.empty() && !files.add(report, *text))) return failure;
    if (!setup->codegens.end(diags)) return failure;
    if (!flush_output(diags) || !files.commit()) return failure;
    return check(*required, *told, diags);
  }

  // Each region in both forms; of the one that it does not have, why.
  Result<void> dump_regions(const Model& loaded, const ModelSetup& setup, OutputSet& files, Diagnostics& diags) const {
    const auto regions = region_files(loaded, setup.codegens, setup.request, diags);
    if (!regions || !files.make_folders(dump)) return failure;
    for (const RegionFile& r : *regions) {
      const auto write = [&](const char* suffix, const std::vector<std::byte>& bytes, const std::string& none) {
        if (none.empty()) {
          const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return bool(files.add(dump + "/" + r.name + suffix, text));
        }
        if (!model.quiet) std::printf("  region %s has no %s: %s\n", r.name.c_str(), suffix, none.c_str());
        return true;
      };
      if (!write(".onnx", r.onnx, r.no_onnx) || !write(".tflite", r.tflite, r.no_tflite)) return failure;
    }
    return {};
  }

  static void print(const PartitionReport& told) {
    for (const CodegenCoverage& c : told.coverage) {
      std::printf("%-28s %4zu regions %6zu nodes %6.1f %% of nodes", c.codegen.c_str(), c.regions, c.nodes,
                  c.node_percent);
      if (c.model_macs == 0)
        std::printf(", no MACs\n");
      else
        std::printf(" %6.1f %% of MACs\n", c.mac_percent);
    }
    // Why not, for every node that those who were asked before its own codegen did not take.
    for (const NodeReport& n : told.nodes) {
      std::string reasons;
      for (const auto& verdict : n.verdicts) {
        if (verdict.codegen == n.codegen) break;
        if (!verdict.claimed) reasons += (reasons.empty() ? "" : "; ") + verdict.codegen + ": " + verdict.text;
      }
      if (reasons.empty()) continue;
      std::printf("  %s: %s\n", n.name.c_str(), reasons.c_str());
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

  static Result<void> check(const std::vector<Requirement>& required, const PartitionReport& told, Diagnostics& diags) {
    bool ok = true;
    for (const Requirement& r : required) {
      const auto c = std::find_if(told.coverage.begin(), told.coverage.end(),
                                  [&](const CodegenCoverage& known) { return known.codegen == r.codegen; });
      if (c == told.coverage.end()) {
        ok = false;
        diags.error({}, "--require-coverage", "there is no such codegen", "'" + r.codegen + "'");
        continue;
      }
      if (r.by_macs && c->model_macs == 0) {
        ok = false;
        diags.error({}, "--require-coverage", "the model has no multiply-accumulates to take a share of",
                    "'" + r.codegen + "' with a share of MACs", "a share of the nodes: " + r.codegen + "=95%");
        continue;
      }
      const double share = r.by_macs ? c->mac_percent : c->node_percent;
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
  options->command = command;
  options->model.declare(*command);
  command->add_option("--report", options->report,
                      "write every node and verdict: R.json, R.html for people, or R.svg: the graph");
  command->add_option("--require-coverage", options->coverage,
                      "ID=95% or ID=95%macs: fail if the codegen takes less; may be repeated");
  command->add_option("--dump-regions", options->dump,
                      "folder for every region as N_CODEGEN.onnx and .tflite, for compilers that read those");
  command->footer("Example:\n  byoc partition kws.tflite --target cortex-m4f --plugin ./libacme.so --report kws.html");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
