#include "sdk/simulate/simulate.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "sdk/simulate/actual_outputs.hpp"
#include "sdk/simulate/block_trace.hpp"
#include "sdk/simulate/board.hpp"
#include "sdk/simulate/dump.hpp"
#include "sdk/simulate/link.hpp"
#include "sdk/simulate/run_result.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/output_set.hpp"
#include "sdk/support/process.hpp"

namespace byoc {
namespace {

std::string absolute(const std::string& path) {
  if (path.empty()) return path;
  std::error_code failed;
  const auto full = std::filesystem::absolute(path, failed);
  return failed ? path : full.string();
}

std::vector<std::string> libraries(const SimulateRequest& request, const Machine& machine) {
  std::vector<std::string> out;
  std::set<std::string> given;
  for (const std::string& l : request.libraries) {
    out.push_back(absolute(l));
    given.insert(std::filesystem::path(l).stem());
  }
  for (const std::string& l : request.link_libraries)
    if (machine.hosted() && !given.contains("lib" + l)) out.push_back("-l" + l);
  return out;
}

Result<void> check(const SimulateRequest& request, const Machine& machine, Diagnostics& diags) {
  const ModelInterface& model = request.model;
  if (request.inputs.size() != run_count(model, request.inputs.size()) * model.inputs.size())
    return diags.error({}, model.name, "wrong number of inputs", std::to_string(request.inputs.size()),
                       std::to_string(model.inputs.size()) + " for each run");
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const IoTensor& input = model.inputs[i % model.inputs.size()];
    if (request.inputs[i].size() != input.bytes)
      return diags.error({}, input.name, "input is of the wrong size",
                         std::to_string(request.inputs[i].size()) + " bytes", std::to_string(input.bytes) + " bytes");
  }
  if ((request.profile || request.dump) && request.traced_archive.empty())
    return diags.error({}, model.name, "a profile or a dump needs an archive compiled for tracing");
  if (request.cycles && request.target.cpu != "cortex-m4")
    return diags.error({}, request.target.name, "cycles are estimated for one CPU only", request.target.cpu,
                       "cortex-m4");
  if (!machine.command.empty() && find_program(machine.command[0]).empty())
    return diags.error({}, request.target.name, "the simulator is not installed", {}, machine.command[0]);
  return {};
}

Result<void> write_inputs(const SimulateRequest& request, const std::string& directory, Diagnostics& diags) {
  OutputSet files(diags);
  const auto write = [&](int fd) {
    for (const Blob& input : request.inputs) {
      if (!write_all(fd, input.bytes())) return false;
    }
    return true;
  };
  if (!files.add(directory + "/inputs.bin", write)) return failure;
  return files.commit();
}

constexpr std::uint64_t kStepTolerance = 64;  // instructions of the root's and of measuring itself

struct Run {
  RunFigures figures;
  std::vector<std::vector<std::byte>> outputs;
};

Result<std::vector<std::vector<std::byte>>> read_outputs(const ModelInterface& model, std::size_t runs,
                                                         const std::string& directory, Diagnostics& diags) {
  auto file = MappedFile::open(directory + "/outputs.bin", diags);
  if (!file) return failure;
  std::span<const std::byte> rest = (*file)->bytes();
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < runs * model.outputs.size(); ++i) {
    const IoTensor& output = model.outputs[i % model.outputs.size()];
    if (rest.size() < output.bytes)
      return diags.error("outputs.bin", output.name, "the simulated program wrote too little",
                         std::to_string(rest.size()) + " bytes", std::to_string(output.bytes) + " bytes");
    outputs.emplace_back(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(output.bytes));
    rest = rest.subspan(output.bytes);
  }
  return outputs;
}

Result<Run> execute(const SimulateRequest& request, const Machine& machine, const std::string& program,
                    const std::string& directory, BlockTrace* blocks, Diagnostics& diags) {
  if (!write_inputs(request, directory, diags)) return failure;
  std::vector<std::string> argv = machine.command;
  ProcessOptions options{.directory = directory, .timeout_seconds = request.timeout_seconds};
  if (blocks) {
    argv.insert(argv.begin() + 1, {"-d", "in_asm,exec,nochain"});
    options.on_errors = [blocks](std::string_view log) { blocks->feed(log); };
  }
  argv.push_back(program);
  auto process = run_process(argv, diags, options);
  if (!process) return failure;
  const std::string& said = process->errors;
  if (process->timed_out)
    return diags.error({}, request.model.name, "the model did not finish on " + request.target.name, {},
                       "an end within " + std::to_string(request.timeout_seconds) + " seconds");
  const std::string result = directory + "/result.bin";
  std::error_code ignored;
  if (!std::filesystem::exists(result, ignored))
    return diags.error({}, request.model.name,
                       "the program around the model ended with exit code " + std::to_string(process->exit_code) +
                           " and no result" +
                           (said.empty() ? "" : ": " + said.substr(said.size() > 1000 ? said.size() - 1000 : 0)));
  auto file = MappedFile::open(result, diags);
  if (!file) return failure;
  auto figures = read_run_result((*file)->bytes(), request.model.name, request.target, diags);
  if (!figures) return failure;
  auto outputs = read_outputs(request.model, run_count(request.model, request.inputs.size()), directory, diags);
  if (!outputs) return failure;
  return Run{std::move(*figures), std::move(*outputs)};
}

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

// Beyond this the traced program has run: step counts and dumps are read from its directory.
Result<void> trace(const SimulateRequest& request, const Machine& machine, const std::string& directory,
                   const std::vector<std::vector<std::byte>>& buffers, RunResult& result, Diagnostics& diags) {
  std::vector<DumpPiece> pieces;
  if (request.dump) pieces = dump_pieces(request.model);
  const RunPlan plan{true, run_count(request.model, request.inputs.size()), request.reset};
  auto program = link_program(
      {request.target, machine, request.model, directory, absolute(request.header_dir),
       absolute(request.traced_archive), libraries(request, machine), plan, pieces, absolute(request.weights)},
      diags);
  if (!program) return failure;
  BlockTrace blocks;
  auto run = execute(request, machine, program->path, directory, request.cycles ? &blocks : nullptr, diags);
  if (!run) return failure;
  if (run->outputs != buffers)
    return diags.error(request.traced_archive, request.model.name,
                       "the archive compiled for tracing gives other outputs than the one without");
  if (request.profile && run->figures.unit != CountUnit::nothing) result.step_counts = run->figures.step_counts;
  if (request.cycles && !read_cycles(request, blocks, result, diags)) return failure;
  if (pieces.empty()) return {};
  auto file = MappedFile::open(directory + "/dump.bin", diags);
  if (!file) return failure;
  std::vector<DumpPiece> all;
  for (std::size_t run_index = 0; run_index < plan.runs; ++run_index)
    all.insert(all.end(), pieces.begin(), pieces.end());
  auto dumps = read_dump((*file)->bytes(), all, diags);
  if (!dumps) return failure;
  result.dumps = std::move(*dumps);
  return {};
}

}  // namespace

std::size_t run_count(const ModelInterface& model, std::size_t inputs) {
  if (model.inputs.empty()) return 1;
  return std::max<std::size_t>(inputs / model.inputs.size(), 1);
}

Result<RunResult> simulate(const SimulateRequest& request, Diagnostics& diags) {
  auto machine = machine_for(request.target, diags);
  if (!machine || !check(request, *machine, diags)) return failure;
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;

  const std::string plain = directory->path() + "/plain";
  auto program = link_program({request.target,
                               *machine,
                               request.model,
                               plain,
                               absolute(request.header_dir),
                               absolute(request.archive),
                               libraries(request, *machine),
                               {false, run_count(request.model, request.inputs.size()), request.reset},
                               {},
                               absolute(request.weights)},
                              diags);
  if (!program) return failure;
  auto run = execute(request, *machine, program->path, plain, nullptr, diags);
  if (!run) return failure;

  RunResult result;
  if (!keep_actual(request.model, run->outputs, result, diags)) return failure;
  if (run->figures.unit == CountUnit::instructions) result.instructions = run->figures.count;
  if (run->figures.unit == CountUnit::nanoseconds) result.nanoseconds = run->figures.count;
  const ElfSizes& sizes = program->sizes;
  const std::uint64_t weights = request.model.weight_bytes;
  result.flash = {sizes.text, sizes.rodata > weights ? sizes.rodata - weights : 0, sizes.data, weights};
  result.ram = {request.model.all_workspace_bytes() + request.model.instance_bytes, sizes.data, sizes.bss,
                run->figures.stack};
  if ((request.profile || request.dump) &&
      !trace(request, *machine, directory->path() + "/traced", run->outputs, result, diags))
    return failure;
  return result;
}

}  // namespace byoc
