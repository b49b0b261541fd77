#include "sdk/run/simulate/simulate.hpp"

#include <algorithm>

#include "sdk/base/support/file.hpp"
#include "sdk/library/object/disassemble.hpp"
#include "sdk/run/simulate/actual_outputs.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/execute.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kStepTolerance = 64;  // instructions of the root's and of measuring itself

// The harness calls byoc_trace twice before the run, which calls it at its start and after each step.
Result<void> read_cycles(const SimulateRequest& request, BlockTrace& blocks, RunResult& result, Diagnostics& diags) {
  constexpr std::size_t kCallsBefore = 2;
  auto costs = blocks.finish(diags);
  if (!costs) return failure;
  for (std::size_t step = 0; step < result.step_counts.size(); ++step) {
    const std::uint64_t counted = result.step_counts[step];
    const StepCost cost = kCallsBefore + step < costs->size() ? (*costs)[kCallsBefore + step] : StepCost{};
    const std::uint64_t difference = std::max(counted, cost.instructions) - std::min(counted, cost.instructions);
    if (difference > kStepTolerance)
      return diags.error({}, request.model.name,
                         "the simulator's log of step " + std::to_string(step) + " is not whole",
                         std::to_string(cost.instructions) + " instructions", std::to_string(counted));
    result.step_cycles.push_back(cost.cycles);
  }
  return {};
}

// Step counts and dumps, and the outputs that come with them.
Result<std::vector<std::vector<std::byte>>> trace(const SimulateRequest& request, const Workbench& bench,
                                                  RunResult& result, Diagnostics& diags) {
  const std::string directory = bench.folder("traced");
  std::vector<DumpPiece> pieces;
  if (request.dump) pieces = dump_pieces(request.model);
  const RunPlan plan{true, run_count(request.model, request.inputs.size()), request.reset};
  auto program = link_for(request, bench, directory, request.traced_archive, plan, pieces, diags);
  if (!program) return failure;
  std::optional<BlockTrace> blocks;
  std::optional<FlashModel> flash;
  if (!request.flash.empty()) {
    auto model = parse_flash_model(request.flash, diags);
    if (!model) return failure;
    flash = std::move(*model);
  }
  if (request.cycles) {
    const CoreCosts& core = *core_costs(request.target.cpu);
    blocks.emplace(core, flash ? &*flash : nullptr);
    if (wants_disassembler(core))
      blocks->read_bytes_by([&](std::span<const std::byte> code, std::uint64_t address) {
        std::vector<std::pair<std::size_t, std::string>> out;
        for (object::AssemblyLine& line : object::disassemble(request.target, code, address))
          out.emplace_back(line.bytes, std::move(line.text));
        return out;
      });
  }
  const QemuLog log{blocks ? &*blocks : nullptr, flash ? program->flash : std::vector<Memory>()};
  auto run = execute(request, bench.machine, program->path, directory, log, diags);
  if (!run) return failure;
  if (request.profile && run->figures.unit != CountUnit::nothing) result.step_counts = run->figures.step_counts;
  if (blocks && !read_cycles(request, *blocks, result, diags)) return failure;
  if (pieces.empty()) return std::move(run->outputs);
  auto file = MappedFile::open(directory + "/dump.bin", diags);
  if (!file) return failure;
  std::vector<DumpPiece> all;
  for (std::size_t run_index = 0; run_index < plan.runs; ++run_index)
    all.insert(all.end(), pieces.begin(), pieces.end());
  auto dumps = read_dump((*file)->bytes(), all, diags);
  if (!dumps) return failure;
  result.dumps = std::move(*dumps);
  return std::move(run->outputs);
}

Failure differs_from_traced(const SimulateRequest& request, Diagnostics& diags) {
  return diags.error(request.traced_archive, request.model.name,
                     "the archive compiled for tracing gives other outputs than the one without", {},
                     std::string("the same; likely a step reads what nothing has written, writes beside its buffers, "
                                 "or keeps state outside of its instance: ") +
                         (request.watch ? "no step did so with these inputs" : "--compare watches for that"));
}

}  // namespace

std::size_t run_count(const ModelInterface& model, std::size_t inputs) {
  if (model.inputs.empty()) return 1;
  return std::max<std::size_t>(inputs / model.inputs.size(), 1);
}

Result<RunResult> simulate(const SimulateRequest& request, Diagnostics& diags) {
  const auto bench = set_up(request, diags);
  if (!bench) return failure;
  RunResult result;
  // First what tells in which step it is, for that is how errors name one.
  Result<std::vector<std::vector<std::byte>>> traced = failure;
  if (request.watch) {
    const auto watched = watch(request, *bench, {}, diags);
    if (!watched) return failure;
    report_findings(request.model, watched->findings, diags);
    if (!watched->findings.empty()) return failure;
    if (!watched->possible)
      diags.add(
          {Level::note, {}, request.model.name, "its steps were not watched: constants have no addresses yet", {}, {}});
  }
  if ((request.profile || request.dump) && !(traced = trace(request, *bench, result, diags))) return failure;
  const std::string plain = bench->folder("plain");
  auto program = link_for(request, *bench, plain, request.archive,
                          {false, run_count(request.model, request.inputs.size()), request.reset}, {}, diags);
  if (!program) return failure;
  auto run = execute(request, bench->machine, program->path, plain, {}, diags);
  if (!run) return failure;
  if (traced && *traced != run->outputs) return differs_from_traced(request, diags);

  if (!keep_actual(request.model, run->outputs, result, diags)) return failure;
  if (run->figures.unit == CountUnit::instructions) result.instructions = run->figures.count;
  if (run->figures.unit == CountUnit::nanoseconds) result.nanoseconds = run->figures.count;
  const ElfSizes& sizes = program->sizes;
  const std::uint64_t weights = request.model.weight_bytes;
  result.flash = {sizes.text, sizes.rodata > weights ? sizes.rodata - weights : 0, sizes.data, weights};
  result.ram = {request.model.all_workspace_bytes() + request.model.instance_bytes, sizes.data, sizes.bss,
                run->figures.stack};
  return result;
}

}  // namespace byoc
