#include "tests/support/device_batch.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sdk/simulate/board.hpp"
#include "sdk/simulate/firmware.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/process.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGuard = 32;
constexpr std::uint64_t kReserve = 64 * 1024;  // for the C library's own data

// Code in the first memory, constants in the largest other one, RAM in the one that is left or shared with constants.
Placement placement(const Machine& m) { return m.placements.size() > 3 ? m.placements[3] : m.placements.front(); }

std::uint64_t padded(const DeviceModel::Buffer& b) {
  return b.bytes + kGuard + 2 * std::max<std::uint64_t>(b.align, 1);
}

std::string regions(const Machine& machine) {
  const Placement p = placement(machine);
  std::string text = "MEMORY\n{\n";
  for (const Memory& m : machine.memories)
    text += "  " + std::string(m.name) + " : ORIGIN = " + std::to_string(m.origin) +
            ", LENGTH = " + std::to_string(m.size) + "\n";
  text += "}\n";
  const std::pair<const char*, std::size_t> parts[] = {{"CODE", p.code}, {"CONSTANTS", p.constants}, {"RAM", p.ram}};
  for (const auto& [name, index] : parts)
    text += std::string("REGION_ALIAS(\"") + name + "\", " + std::string(machine.memories[index].name) + ")\n";
  return text + "STACK_BYTES = " + std::to_string(kStackBytes) + ";\n";
}

std::string buffer_text(const DeviceModel::Buffer& b) {
  return "{" + std::to_string(b.bytes) + ", " + std::to_string(std::max<std::uint64_t>(b.align, 1)) + "}, ";
}

// Tables and calls behind batch.h.
std::string glue(std::span<const DeviceModel> models) {
  std::string out = "#include \"batch.h\"\n";
  std::string table;
  std::uint64_t arena = 1;
  for (const DeviceModel& m : models) {
    const std::string& p = m.prefix;
    const bool stateful = m.instance.bytes != 0;
    out += "#include \"" + p + ".h\"\n";
    out += "static int32_t run_" + p + "(void *instance, const void *in, const void *out, void *workspace) {\n" +
           "  (void)instance;\n  return " + p + "_run(" + (stateful ? "(" + p + "_instance_t *)instance, " : "") +
           "(const " + p + "_inputs_t *)in, (const " + p + "_outputs_t *)out, workspace);\n}\n";
    if (stateful)
      out += "static int32_t init_" + p + "(void *instance) { return " + p + "_init((" + p +
             "_instance_t *)instance); }\n";
    out += "static const batch_buffer_t buffers_" + p + "[] = {";
    for (const auto& b : m.inputs) out += buffer_text(b);
    for (const auto& b : m.outputs) out += buffer_text(b);
    out += buffer_text(m.workspace) + buffer_text(m.instance) + "};\n";
    table += "  {run_" + p + ", " + (stateful ? "init_" + p : "0") + ", " + std::to_string(m.inputs.size()) + ", " +
             std::to_string(m.outputs.size()) + ", buffers_" + p + "},\n";
    arena = std::max(arena, m.ram());
  }
  out += "const batch_model_t batch_models[] = {\n" + table + "};\n";
  out += "const uint32_t batch_count = " + std::to_string(models.size()) + ";\n";
  out += "unsigned char batch_arena[" + std::to_string(arena) + "] __attribute__((aligned(16)));\n";
  return out + "const size_t batch_arena_bytes = sizeof batch_arena;\n";
}

bool gnu(const TargetSpec& target, const std::string& folder, std::vector<std::string> arguments, Diagnostics& diags) {
  arguments.insert(arguments.begin(), target.gnu_flags.begin(), target.gnu_flags.end());
  arguments.insert(arguments.begin(), target.gnu_command);
  const auto result = run_process(arguments, diags, {.directory = folder, .timeout_seconds = 300});
  if (result && result->exit_code == 0) return true;
  if (result) diags.error(folder, {}, "the firmware does not build: " + result->errors.substr(0, 4000));
  return false;
}

bool build(const TargetSpec& target, const Machine& machine, const std::string& folder,
           std::span<const DeviceModel> models, Diagnostics& diags) {
  OutputSet files(diags);
  for (const auto& [name, text] : firmware_files())
    if (!files.add(folder + "/" + std::string(name), text)) return false;
  for (const char* name : {"batch.h", "batch_main.c"}) {
    const auto text = read_text(source_dir() + "/tests/support/device/" + name, diags);
    if (!text || !files.add(folder + "/" + name, *text)) return false;
  }
  if (!files.add(folder + "/batch_glue.c", glue(models)) || !files.add(folder + "/regions.ld", regions(machine)) ||
      !files.commit())
    return false;
  std::vector<std::string> arguments = {"-O2",
                                        "-std=gnu11",
                                        "-w",
                                        "-fno-tree-loop-distribute-patterns",
                                        "-I.",
                                        "-nostartfiles",
                                        "-static",
                                        "-T",
                                        "regions.ld",
                                        "-T",
                                        "firmware.ld",
                                        "-o",
                                        "batch.elf",
                                        "-Wl,--gc-sections",
                                        "-Wl,--no-warn-rwx-segments"};
  arguments.insert(arguments.end(), machine.defines.begin(), machine.defines.end());
  arguments.insert(arguments.end(), {"batch_main.c", "batch_glue.c"});
  arguments.insert(arguments.end(), machine.sources.begin(), machine.sources.end());
  for (const DeviceModel& m : models) arguments.push_back(m.prefix + ".a");
  arguments.emplace_back("-lm");
  return gnu(target, folder, std::move(arguments), diags);
}

std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> raw((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::byte> out(raw.size());
  if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}

void write_inputs(const std::string& folder, std::span<const DeviceModel> models, std::uint32_t first) {
  std::ofstream out(folder + "/inputs.bin", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&first), sizeof first);
  for (std::size_t i = first; i < models.size(); ++i) {
    const auto bytes = file_bytes(folder + "/" + models[i].prefix + ".in");
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

// batch.h says how results.bin is laid out.
struct Record {
  std::uint32_t magic, index, kind, detail, more, bytes;
};
constexpr std::uint32_t kMagic = 0x48435442;

std::string problem_text(const Record& r) {
  switch (r.kind) {
    case 1: return "";
    case 2: return "_run returns " + std::to_string(static_cast<std::int32_t>(r.detail));
    case 3: return "writes beside buffer " + std::to_string(r.detail);
    case 4: {
      std::ostringstream out;
      out << "faults at pc 0x" << std::hex << r.detail << ", cause 0x" << r.more;
      return out.str();
    }
    case 5: return "overflows the stack";
    case 6: return "changes input " + std::to_string(r.detail);
    default: return "the firmware cannot use its files";
  }
}

// Takes the records from the file; the index behind the last one.
std::size_t take_records(const std::vector<std::byte>& file, std::vector<DeviceOutcome>& outcomes, std::size_t first) {
  std::size_t at = 0, next = first;
  while (file.size() - at >= sizeof(Record)) {
    Record r;
    std::memcpy(&r, file.data() + at, sizeof r);
    at += sizeof r;
    if (r.magic != kMagic || r.index != next || file.size() - at < r.bytes) break;
    outcomes[next].problem = problem_text(r);
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    outcomes[next].outputs.assign(begin, begin + r.bytes);
    at += r.bytes;
    ++next;
  }
  return next;
}

}  // namespace

std::uint64_t DeviceModel::ram() const {
  std::uint64_t sum = kGuard + padded(workspace) + padded(instance);
  for (const Buffer& b : inputs) sum += padded(b);
  for (const Buffer& b : outputs) sum += padded(b);
  return sum;
}

std::string DeviceModel::text() const {
  std::ostringstream out;
  out << prefix << " " << constant_bytes << " " << inputs.size() << " " << outputs.size();
  for (const auto* list : {&inputs, &outputs})
    for (const Buffer& b : *list) out << " " << b.bytes << " " << b.align;
  out << " " << workspace.bytes << " " << workspace.align << " " << instance.bytes << " " << instance.align;
  return out.str();
}

DeviceModel DeviceModel::parse(const std::string& text) {
  std::istringstream in(text);
  DeviceModel m;
  std::size_t inputs = 0, outputs = 0;
  in >> m.prefix >> m.constant_bytes >> inputs >> outputs;
  m.inputs.resize(inputs);
  m.outputs.resize(outputs);
  for (auto* list : {&m.inputs, &m.outputs})
    for (Buffer& b : *list) in >> b.bytes >> b.align;
  in >> m.workspace.bytes >> m.workspace.align >> m.instance.bytes >> m.instance.align;
  return m;
}

Result<DeviceMemory> device_memory(const TargetSpec& target, Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine) return failure;
  if (machine->hosted()) return diags.error({}, target.name, "is no board");
  const Placement p = placement(*machine);
  const std::uint64_t taken = kStackBytes + kReserve;
  return DeviceMemory{machine->memories[p.ram].size - taken, machine->memories[p.constants].size - kReserve};
}

Result<std::vector<DeviceOutcome>> run_on_device(const TargetSpec& target, const std::string& folder,
                                                 std::span<const DeviceModel> models, Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine || !build(target, *machine, folder, models, diags)) return failure;
  std::vector<std::string> command = machine->command;
  command.emplace_back("batch.elf");
  // Counted instructions are of no interest here and cost time.
  if (const auto at = std::find(command.begin(), command.end(), "-icount"); at != command.end())
    command.erase(at, at + 2);
  std::vector<DeviceOutcome> outcomes(models.size());
  for (std::size_t first = 0; first < models.size();) {
    write_inputs(folder, models, static_cast<std::uint32_t>(first));
    fs::remove(folder + "/results.bin");
    const auto run = run_process(command, diags, {.directory = folder, .timeout_seconds = 120});
    if (!run) return failure;
    const std::size_t next = take_records(file_bytes(folder + "/results.bin"), outcomes, first);
    // What ends without a record, or does not end, is the fault of the model that was running.
    const bool told = next > first && !outcomes[next - 1].problem.empty();
    if (next < models.size() && !told) {
      outcomes[next].problem = run->timed_out ? "does not end" : "ends the simulator: " + run->errors.substr(0, 500);
      first = next + 1;
    } else {
      first = next;
    }
  }
  return outcomes;
}

}  // namespace byoc::test
