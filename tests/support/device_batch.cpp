#include "tests/support/device_batch.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/run/simulate/firmware.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGuardBytes = 32;
constexpr std::uint64_t kReserve = 64 * 1024;  // for the C library's own data
constexpr std::size_t kMostModels = 150;       // in one program

// Code in the first memory, constants in the largest other one, RAM in the one that is left or shared with constants.
Placement placement(const Machine& m) { return m.placements.size() > 3 ? m.placements[3] : m.placements.front(); }

std::uint64_t padded(const DeviceModel::Buffer& b) {
  return b.bytes + kGuardBytes + 2 * std::max<std::uint64_t>(b.align, 1);
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

// Each constant as an array of its bytes.
std::string c_text(const std::vector<ConstantArtifact>& constants) {
  std::ostringstream out;
  for (const ConstantArtifact& c : constants) {
    const auto bytes = c.bytes.bytes();
    out << "const unsigned char " << c.symbol << "[" << std::max<std::size_t>(bytes.size(), 1)
        << "] __attribute__((aligned(" << c.align << "))) = {";
    for (const std::byte b : bytes) out << std::to_integer<int>(b) << ",";
    out << (bytes.empty() ? "0" : "") << "};\n";
  }
  return out.str();
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
    out += "static const batch_watched_t watched_" + p + "[] = {";
    for (const auto& w : m.watched)
      out += "{" + std::to_string(w.step) + ", " + std::to_string(w.buffer) + ", " + std::to_string(w.tensor.offset) +
             ", " + std::to_string(w.bytes) + "}, ";
    out += "{-1, 0, 0, 0}};\n";
    table += "  {run_" + p + ", " + (stateful ? "init_" + p : "0") + ", " + std::to_string(m.inputs.size()) + ", " +
             std::to_string(m.outputs.size()) + ", buffers_" + p + ", watched_" + p + "},\n";
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

bool build_firmware(const TargetSpec& target, const Machine& machine, const std::string& folder,
                    std::span<const DeviceModel> models, Diagnostics& diags) {
  OutputSet files(diags);
  for (const auto& [name, text] : firmware_files())
    if (!files.add(folder + "/" + std::string(name), text)) return false;
  for (const char* name : {"batch.h", "batch_main.c"}) {
    const auto text = read_text(source_dir() + "/tests/support/device/" + name, diags);
    if (!text || !files.add(folder + "/" + name, *text)) return false;
  }
  std::string constants = "extern int batch_constants;\n";
  for (const DeviceModel& m : models)
    if (m.constants_in_c) constants += "#include \"" + m.prefix + "_constants.c\"\n";
  if (!files.add(folder + "/batch_glue.c", glue(models)) || !files.add(folder + "/batch_constants.c", constants) ||
      (!machine.hosted() && !files.add(folder + "/regions.ld", regions(machine))) || !files.commit())
    return false;
  std::vector<std::string> arguments = {"-O2", "-std=gnu11", "-w", "-I.", "-o", "batch.elf"};
  if (!machine.hosted())
    for (const char* a : {"-fno-tree-loop-distribute-patterns", "-nostartfiles", "-static", "-T", "regions.ld", "-T",
                          "firmware.ld", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"})
      arguments.emplace_back(a);
  arguments.insert(arguments.end(), machine.defines.begin(), machine.defines.end());
  arguments.insert(arguments.end(), {"batch_main.c", "batch_glue.c", "batch_constants.c"});
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
constexpr std::uint32_t kWatched = 7;

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
    if (r.magic != kMagic || r.index != next || next == outcomes.size() || file.size() - at < r.bytes) break;
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    at += r.bytes;
    if (r.kind == kWatched) {
      outcomes[next].watched[r.detail].assign(begin, begin + r.bytes);
      continue;
    }
    outcomes[next].problem = problem_text(r);
    outcomes[next].outputs.assign(begin, begin + r.bytes);
    ++next;
  }
  return next;
}

}  // namespace

std::uint64_t DeviceModel::ram() const {
  std::uint64_t sum = kGuardBytes + padded(workspace) + padded(instance);
  for (const Buffer& b : inputs) sum += padded(b);
  for (const Buffer& b : outputs) sum += padded(b);
  return sum;
}

std::string DeviceModel::text() const {
  std::ostringstream out;
  out << prefix << " " << constant_bytes << " " << constants_in_c << " " << inputs.size() << " " << outputs.size()
      << " " << watched.size();
  for (const auto* list : {&inputs, &outputs})
    for (const Buffer& b : *list) out << " " << b.bytes << " " << b.align;
  out << " " << workspace.bytes << " " << workspace.align << " " << instance.bytes << " " << instance.align;
  for (const Watched& w : watched) {
    const StoredTensor& t = w.tensor;
    out << " " << w.step << " " << w.buffer << " " << w.bytes << " " << t.value << " "
        << static_cast<std::uint32_t>(t.dtype) << " " << t.bytes << " " << t.offset << " " << t.dims.size() << " "
        << t.strides.size();
    for (const std::int64_t d : t.dims) out << " " << d;
    for (const std::int64_t d : t.strides) out << " " << d;
  }
  return out.str();
}

DeviceModel DeviceModel::parse(const std::string& text) {
  std::istringstream in(text);
  DeviceModel m;
  std::size_t inputs = 0, outputs = 0, watched = 0;
  in >> m.prefix >> m.constant_bytes >> m.constants_in_c >> inputs >> outputs >> watched;
  m.inputs.resize(inputs);
  m.outputs.resize(outputs);
  m.watched.resize(watched);
  for (auto* list : {&m.inputs, &m.outputs})
    for (Buffer& b : *list) in >> b.bytes >> b.align;
  in >> m.workspace.bytes >> m.workspace.align >> m.instance.bytes >> m.instance.align;
  for (Watched& w : m.watched) {
    StoredTensor& t = w.tensor;
    std::uint32_t dtype = 0;
    std::size_t dims = 0, strides = 0;
    in >> w.step >> w.buffer >> w.bytes >> t.value >> dtype >> t.bytes >> t.offset >> dims >> strides;
    t.dtype = static_cast<DType>(dtype);
    t.dims.resize(dims);
    t.strides.resize(strides);
    for (std::int64_t& d : t.dims) in >> d;
    for (std::int64_t& d : t.strides) in >> d;
  }
  return m;
}

Result<DeviceModel> add_to_batch(Library library, const std::string& folder, const DeviceBuild& build,
                                 std::span<const evaluate::Tensor> inputs, Diagnostics& diags) {
  const ModelInterface& i = library.interface();
  DeviceModel m;
  m.prefix = i.prefix;
  for (const IoTensor& t : i.inputs) m.inputs.push_back({t.bytes, std::max(bit_width(t.dtype) / 8, 1u)});
  for (const IoTensor& t : i.outputs) m.outputs.push_back({t.bytes, std::max(bit_width(t.dtype) / 8, 1u)});
  m.workspace = {i.workspace_bytes, i.workspace_align};
  m.instance = {i.instance_bytes, i.instance_align};
  for (const DumpPiece& d : build.traced ? dump_pieces(i) : std::vector<DumpPiece>{}) {
    const StoredTensor& t = *d.tensor;
    // What a value is made of is compared as it lies in memory.
    if (t.place == Place::input || !t.channels.complete()) continue;
    const std::size_t ins = m.inputs.size(), outs = m.outputs.size();
    const std::size_t buffer = t.place == Place::output      ? ins + t.index
                               : t.place == Place::workspace ? ins + outs
                                                             : ins + outs + 1;
    m.watched.push_back({d.step, static_cast<std::uint32_t>(buffer), d.bytes, t});
  }
  const std::string stem = folder + "/" + m.prefix;
  OutputSet files(diags);
  for (LibraryMember& member : library.members) {
    for (const ConstantArtifact& c : member.constants) m.constant_bytes += c.bytes.size();
    if (!build.constants_in_c || member.constants.empty()) continue;
    if (!files.add(stem + "_constants.c", c_text(member.constants))) return failure;
    m.constants_in_c = true;
  }
  if (build.constants_in_c) std::erase_if(library.members, [](const LibraryMember& l) { return !l.constants.empty(); });
  const auto write = [&](int fd) {
    return std::ranges::all_of(inputs, [&](const evaluate::Tensor& t) { return write_all(fd, t.bytes.bytes()); });
  };
  if (!files.add(stem + ".in", write) || !files.commit() || !write_library(library, stem + ".a", build.traced, diags))
    return failure;
  return m;
}

Result<TargetSpec> sanitized_host(Diagnostics& diags) {
  auto target = resolve_target("host", diags);
  if (!target) return failure;
  target->name = "host with sanitizers";
  target->gnu_command = "clang-19";
  for (const std::string& flag : {"-fsanitize=" + std::string(kSanitizers), std::string("-fno-sanitize-recover=all"),
                                  std::string("-DBATCH_ADDRESS_SANITIZER"), std::string("-g1")})
    target->gnu_flags.push_back(flag);
  return target;
}

Result<DeviceMemory> device_memory(const TargetSpec& target, Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine) return failure;
  if (machine->hosted()) return DeviceMemory{UINT32_MAX, UINT32_MAX};
  const Placement p = placement(*machine);
  const std::uint64_t taken = kStackBytes + kReserve;
  return DeviceMemory{machine->memories[p.ram].size - taken, machine->memories[p.constants].size - kReserve};
}

Result<std::vector<DeviceOutcome>> run_on_device(const TargetSpec& target, const std::string& folder,
                                                 std::span<const DeviceModel> models, Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine || !build_firmware(target, *machine, folder, models, diags)) return failure;
  std::vector<std::string> command = machine->command;
  command.push_back(fs::absolute(folder).string() + "/batch.elf");
  // Counted instructions are of no interest here and cost time.
  if (const auto at = std::find(command.begin(), command.end(), "-icount"); at != command.end())
    command.erase(at, at + 2);
  std::vector<DeviceOutcome> outcomes(models.size());
  for (std::size_t first = 0; first < models.size();) {
    write_inputs(folder, models, static_cast<std::uint32_t>(first));
    fs::remove(folder + "/results.bin");
    // With a sanitizer of its own, whatever those around it are told.
    const auto run =
        run_process(command, diags,
                    {.directory = folder, .timeout_seconds = 120, .variables = {"ASAN_OPTIONS=", "UBSAN_OPTIONS="}});
    if (!run) return failure;
    const std::size_t next = take_records(file_bytes(folder + "/results.bin"), outcomes, first);
    // What ends without a record, or does not end, is the fault of the model that was running.
    const bool told = next > first && !outcomes[next - 1].problem.empty();
    if (next < models.size() && !told) {
      outcomes[next].problem = run->timed_out ? "does not end" : "ends the program: " + run->errors.substr(0, 2000);
      first = next + 1;
    } else {
      first = next;
    }
  }
  return outcomes;
}

namespace {

// One library that does not link would be the failure of all: they are tried in halves.
void run_some(const TargetSpec& target, const std::string& folder, std::span<const DeviceModel> models,
              std::vector<DeviceOutcome>& outcomes) {
  Diagnostics diags;
  if (auto ran = run_on_device(target, folder, models, diags)) {
    std::ranges::move(*ran, std::back_inserter(outcomes));
  } else if (models.size() == 1) {
    outcomes.push_back({error_text(diags), {}, {}});
  } else {
    run_some(target, folder, models.first(models.size() / 2), outcomes);
    run_some(target, folder, models.subspan(models.size() / 2), outcomes);
  }
}

}  // namespace

std::vector<DeviceOutcome> run_batches(const TargetSpec& target, const DeviceMemory& memory, const std::string& folder,
                                       std::span<const DeviceModel> models) {
  std::vector<DeviceOutcome> outcomes;
  while (!models.empty()) {
    std::uint64_t constants = 0;
    std::size_t n = 0;
    while (n < models.size() && n < kMostModels && constants <= memory.flash / 2)
      constants += models[n++].constant_bytes;
    if (n > 1 && constants > memory.flash / 2) --n;
    run_some(target, folder, models.first(n), outcomes);
    models = models.subspan(n);
  }
  return outcomes;
}

}  // namespace byoc::test
