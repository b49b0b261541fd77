#include "sdk/run/simulate/execute.hpp"

#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"

namespace byoc {

std::span<const std::pair<std::string_view, std::string_view>> qemu_plugins();  // embedded by the build

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

// Errors: inputs of the wrong number or size, no archive for tracing, a simulator that is not installed.
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
  if (request.cycles && !core_costs(request.target.cpu))
    return diags.error({}, request.target.name, "cycles of this CPU are not estimated", request.target.cpu,
                       cores_with_costs());
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

// QEMU's argument for the plug-in that tells reads of these memories, which is written to the directory.
Result<std::string> flash_reads(const std::vector<Memory>& flash, const std::string& directory, Diagnostics& diags) {
  OutputSet files(diags);
  std::string argument = directory + "/flash_reads.so";
  if (!files.add(argument, std::string(qemu_plugins().front().second)) || !files.commit()) return failure;
  for (const Memory& m : flash)
    argument += ",from=" + std::to_string(m.origin) + ",to=" + std::to_string(m.origin + m.size);
  return argument;
}

// The running step, as the program reported it last: ", in step ..."; "" if it reports none.
std::string where_it_is(const SimulateRequest& request, const std::string& directory) {
  Diagnostics none;
  const std::string path = directory + "/progress.bin";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  auto file = MappedFile::open(path, none);
  std::int32_t step = 0;
  if (!file || (*file)->bytes().size() < sizeof step) return {};
  std::memcpy(&step, (*file)->bytes().data() + ((*file)->bytes().size() / sizeof step - 1) * sizeof step, sizeof step);
  if (step < 0) return ", before its first step";
  const auto index = static_cast<std::size_t>(step);
  return index < request.model.steps.size() ? ", in " + describe_step(request.model, index) : ", after its last step";
}

// "exit code 1", "exit code 139 (Segmentation fault)"
std::string exit_text(int code) {
  return "exit code " + std::to_string(code) + (code > 128 ? " (" + std::string(::strsignal(code - 128)) + ")" : "");
}

}  // namespace

Result<Workbench> set_up(const SimulateRequest& request, Diagnostics& diags) {
  auto machine = machine_for(request.target, diags);
  if (!machine || !check(request, *machine, diags)) return failure;
  auto directory = TemporaryDirectory::create(diags);
  if (!directory || !compile_firmware(request.target, *machine, directory->path() + "/firmware", diags)) return failure;
  return Workbench{std::move(*machine), std::move(*directory)};
}

Result<LinkedProgram> link_for(const SimulateRequest& request, const Workbench& bench, const std::string& directory,
                               const std::string& archive, const RunPlan& plan, const std::vector<DumpPiece>& dumps,
                               Diagnostics& diags) {
  return link_program({.target = request.target,
                       .machine = bench.machine,
                       .model = request.model,
                       .firmware = bench.folder("firmware"),
                       .directory = directory,
                       .header = absolute(request.header),
                       .archive = absolute(archive),
                       .libraries = libraries(request, bench.machine),
                       .plan = plan,
                       .dumps = dumps,
                       .weights = absolute(request.weights),
                       .link_libraries = request.link_libraries,
                       .wants_sizes = !plan.traced},
                      diags);
}

Result<Run> execute(const SimulateRequest& request, const Machine& machine, const std::string& program,
                    const std::string& directory, const QemuLog& log, Diagnostics& diags, bool wants_outputs) {
  if (!write_inputs(request, directory, diags)) return failure;
  std::vector<std::string> argv = machine.command;
  ProcessOptions options{.directory = directory, .timeout_seconds = request.timeout_seconds};
  if (log.blocks) {
    argv.insert(argv.begin() + 1, {"-d", "in_asm,exec,nochain"});
    options.on_errors = [&](std::string_view text) { log.blocks->feed(text); };
  }
  if (!log.flash.empty()) {
    auto plugin = flash_reads(log.flash, directory, diags);
    if (!plugin) return failure;
    argv.insert(argv.begin() + 1, {"-plugin", *plugin});
  }
  argv.push_back(program);
  auto process = run_process(argv, diags, options);
  if (!process) return failure;
  const std::string& said = process->errors;
  if (process->timed_out)
    return diags.error({}, request.model.name,
                       "the model did not finish on " + request.target.name + where_it_is(request, directory), {},
                       "an end within " + std::to_string(request.timeout_seconds) + " seconds");
  const std::string result = directory + "/result.bin";
  std::error_code ignored;
  if (!std::filesystem::exists(result, ignored))
    return diags.error({}, request.model.name,
                       "the program around the model ended with " + exit_text(process->exit_code) + " and no result" +
                           where_it_is(request, directory) +
                           (said.empty() ? "" : ": " + said.substr(said.size() > 1000 ? said.size() - 1000 : 0)));
  auto file = MappedFile::open(result, diags);
  if (!file) return failure;
  auto figures =
      read_run_result((*file)->bytes(), request.model, request.target, diags, where_it_is(request, directory));
  if (!figures) return failure;
  if (!wants_outputs) return Run{std::move(*figures), {}};
  auto outputs = read_outputs(request.model, run_count(request.model, request.inputs.size()), directory, diags);
  if (!outputs) return failure;
  return Run{std::move(*figures), std::move(*outputs)};
}

}  // namespace byoc
