#include "sdk/app/check/step_program.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/run/simulate/firmware.hpp"
#include "sdk/run/simulate/link.hpp"

namespace byoc::check {

// {file name, text} of firmware/.
std::span<const std::pair<std::string_view, std::string_view>> step_files();

namespace {

// As firmware/steps.h says it; "0" where elements are no floats.
std::string float_of(DType t) {
  switch (t) {
    case DType::f16: return "STEPS_F16";
    case DType::bf16: return "STEPS_BF16";
    case DType::f32: return "STEPS_F32";
    case DType::f64: return "STEPS_F64";
    default: return "0";
  }
}

namespace fs = std::filesystem;

enum Kind : std::uint32_t { kGiven = 0, kValue = 1, kWorkspace = 2, kInstance = 3 };
constexpr std::uint64_t kGuard = 64;
constexpr std::uint64_t kReserve = 96 * 1024;  // for the C library's own data

// The placement with the most room for RAM that leaves the constants a memory of their own.
Placement placement(const Machine& m) { return m.placements.size() > 3 ? m.placements[3] : m.placements.front(); }

std::uint64_t given_bytes(const StepGraph& g) {
  std::uint64_t out = 0;
  for (const StepGraph::Buffer& b : g.buffers) out += b.kind == kGiven ? b.bytes : 0;
  return out;
}

std::string number(std::uint64_t n) { return std::to_string(n); }

// Tables and calls behind steps.h.
std::string glue(std::span<const StepGraph> graphs) {
  std::string out = "#include \"steps.h\"\n", table;
  std::uint64_t arena = 1, given = 1;
  std::set<std::string> declared;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const StepGraph& graph = graphs[g];
    std::string calls;
    for (std::size_t s = 0; s < graph.calls.size(); ++s) {
      const StepGraph::Call& c = graph.calls[s];
      const std::string name = number(g) + "_" + number(s);
      std::string types, arguments, list, overlays;
      for (std::size_t i = 0; i < c.parameters.size(); ++i) {
        types += (i ? ", " : "") + std::string("void *");
        arguments += (i ? ", " : "") + std::string("p[") + number(i) + "]";
        list += number(c.parameters[i]) + ", ";
      }
      for (const codegen::Overlay& o : c.overlays)
        overlays += "{" + number(o.output) + ", " + number(o.input) + ", " + number(o.lead) + "}, ";
      if (declared.insert(c.symbol).second)
        out += "int32_t " + c.symbol + "(" + (types.empty() ? "void" : types) + ");\n";
      out +=
          "static int32_t call_" + name + "(void *const *p) { (void)p; return " + c.symbol + "(" + arguments + "); }\n";
      out += "static const uint16_t parameters_" + name + "[] = {" + list + "0};\n";
      out += "static const steps_overlay_t overlays_" + name + "[] = {" + overlays + "{0, 0, 0}};\n";
      calls += "  {call_" + name + ", parameters_" + name + ", " + (c.instance ? "1" : "0") + ", " + number(c.inputs) +
               ", " + number(c.outputs) + ", " + number(c.workspaces) + ", overlays_" + name + ", " +
               number(c.overlays.size()) + "},\n";
    }
    std::string buffers;
    for (const StepGraph::Buffer& b : graph.buffers)
      buffers +=
          "  {" + number(b.bytes) + ", " + number(b.align) + ", " + number(b.kind) + ", " + float_of(b.dtype) + "},\n";
    out += "static const steps_buffer_t buffers_" + number(g) + "[] = {\n" + buffers + "  {0, 1, 0, 0}};\n";
    out += "static const steps_call_t calls_" + number(g) + "[] = {\n" + calls + "  {0, 0, 0, 0, 0, 0, 0, 0}};\n";
    if (!graph.init.empty()) out += "int32_t " + graph.init + "(void *);\n";
    table += "  {buffers_" + number(g) + ", " + number(graph.buffers.size()) + ", calls_" + number(g) + ", " +
             number(graph.calls.size()) + ", " + (graph.init.empty() ? "0" : graph.init) + ", " +
             number(graph.instance) + ", " + number(graph.given.size()) + "},\n";
    given = std::max(given, given_bytes(graph));
    arena = std::max(arena, graph.ram() - given_bytes(graph));
  }
  out += "const steps_graph_t steps_graphs[] = {\n" + table + "};\n";
  out += "const uint32_t steps_count = " + number(graphs.size()) + ";\n";
  out += "unsigned char steps_arena[" + number(arena) + "] __attribute__((aligned(64)));\n";
  return out + "unsigned char steps_given[" + number(given) + "] __attribute__((aligned(64)));\n";
}

Result<void> build(const TargetSpec& target, const Machine& machine, const std::string& folder,
                   std::span<const StepGraph> graphs, const std::vector<std::string>& libraries, Diagnostics& diags) {
  OutputSet files(diags);
  for (const auto& list : {firmware_files(), step_files()})
    for (const auto& [name, text] : list)
      if (!files.add(folder + "/" + std::string(name), text)) return failure;
  if (!files.add(folder + "/steps_glue.c", glue(graphs))) return failure;
  if (!machine.hosted() && (!files.add(folder + "/regions.ld", memory_script(machine, placement(machine), true)) ||
                            !files.add(folder + "/flash.ld", flash_script(target))))
    return failure;
  if (!files.commit()) return failure;
  std::vector<std::string> arguments = {target.gnu_command};
  arguments.insert(arguments.end(), target.gnu_flags.begin(), target.gnu_flags.end());
  for (const char* a : {"-O1", "-std=gnu11", "-w", "-fno-tree-loop-distribute-patterns", "-I.", "-o", "steps.elf",
                        "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"})
    arguments.emplace_back(a);
  if (!machine.hosted())
    for (const char* a : {"-nostartfiles", "-static", "-T", "regions.ld", "-T", "firmware.ld", "-T", "flash.ld"})
      arguments.emplace_back(a);
  arguments.insert(arguments.end(), machine.defines.begin(), machine.defines.end());
  arguments.insert(arguments.end(), {"steps_main.c", "steps_glue.c"});
  arguments.insert(arguments.end(), machine.sources.begin(), machine.sources.end());
  for (const StepGraph& g : graphs) arguments.push_back(g.archive);
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  arguments.emplace_back("-lm");
  auto result = run_process(arguments, diags, {.directory = folder, .timeout_seconds = 300});
  if (!result) return failure;
  if (result->exit_code != 0)
    return diags.error({}, {}, "the program that calls the steps does not link: " + result->errors.substr(0, 1500));
  return {};
}

std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> raw((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::byte> out(raw.size());
  if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}

void write_inputs(const std::string& folder, std::span<const StepGraph> graphs, std::uint32_t first) {
  std::ofstream out(folder + "/inputs.bin", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&first), sizeof first);
  for (std::size_t g = first; g < graphs.size(); ++g)
    for (const std::vector<std::byte>& set : graphs[g].given)
      out.write(reinterpret_cast<const char*>(set.data()), static_cast<std::streamsize>(set.size()));
}

// firmware/steps.h says what they are.
struct Record {
  std::uint32_t magic, graph, kind, detail, more, bytes;
};
constexpr std::uint32_t kMagic = 0x53504554;
constexpr std::uint32_t kDone = 1, kEnd = 9;

void take_problem(const Record& r, const StepGraph& g, StepOutcome& out) {
  const auto call = [&] { return r.detail < g.calls.size() ? g.calls[r.detail].name : std::string("a step"); };
  const auto buffer = [&](std::uint32_t b) {
    return b < g.buffers.size() ? g.buffers[b].name : std::string("the last buffer");
  };
  const auto is = [&](const char* requirement, const std::string& text) {
    if (!out.problem.empty()) return;
    out.requirement = requirement;
    out.problem = text;
  };
  switch (r.kind) {
    case 2: return is("A16", call() + " returns " + std::to_string(static_cast<std::int32_t>(r.more)) + ", expected 0");
    case 3:
      return is("A7", call() + " writes beside its buffers: " +
                          (r.more < g.buffers.size() && r.more > 0
                               ? "between " + buffer(r.more - 1) + " and " + buffer(r.more)
                               : (r.more == 0 ? "before " : "behind ") +
                                     buffer(r.more == 0 ? 0 : static_cast<std::uint32_t>(g.buffers.size()) - 1)));
    case 4: return is("A7", call() + " writes to " + buffer(r.more) + ", which is none of its outputs");
    case 5: {
      if (r.detail >= g.calls.size() || r.more >= g.calls[r.detail].overlays.size()) return;
      const codegen::Overlay& o = g.calls[r.detail].overlays[r.more];
      return is("A10", call() + " gives something else when output " + std::to_string(o.output) + " is " +
                           (o.lead == 0 ? "in the place of" : number(o.lead) + " bytes before") + " input " +
                           std::to_string(o.input));
    }
    case 6: return is("A16", "init returns " + std::to_string(static_cast<std::int32_t>(r.detail)) + ", expected 0");
    case 7: return is("A16", "the emitted code faults");
    case 8: return is("A16", "the emitted code overflows the stack");
    default: return;
  }
}

// Takes the records from the file; the index behind the last graph that has ended.
std::size_t take_records(const std::vector<std::byte>& file, std::span<const StepGraph> graphs,
                         std::vector<StepOutcome>& outcomes, std::size_t first) {
  std::size_t at = 0, next = first;
  while (file.size() - at >= sizeof(Record)) {
    Record r;
    std::memcpy(&r, file.data() + at, sizeof r);
    at += sizeof r;
    if (r.magic != kMagic || r.graph != next || next == graphs.size() || file.size() - at < r.bytes) break;
    const StepGraph& g = graphs[next];
    StepOutcome& out = outcomes[next];
    std::size_t from = at;
    at += r.bytes;
    if (r.kind == kEnd) {
      ++next;
      continue;
    }
    if (r.kind != kDone) {
      take_problem(r, g, out);
      continue;
    }
    if (r.detail >= g.given.size()) continue;
    auto& values = out.runs[r.detail].emplace_back();
    for (std::size_t b = 0; b < g.buffers.size(); ++b) {
      if (g.buffers[b].kind != kValue) continue;
      const auto begin = file.begin() + static_cast<std::ptrdiff_t>(from);
      values[b].assign(begin, begin + static_cast<std::ptrdiff_t>(g.buffers[b].bytes));
      from += g.buffers[b].bytes;
    }
  }
  return next;
}

class ProgramMaker {
 public:
  ProgramMaker(const Recorder& record, const ir::Graph& graph, Diagnostics& diags)
      : record_(record), graph_(graph), diags_(diags) {}

  Result<StepGraph> run(std::span<const std::vector<evaluate::Tensor>> sets) {
    for (const ir::ValueId v : graph_.inputs) add_value(v, kGiven);
    for (const RecordedStep& s : record_.steps)
      for (const RecordedOperand& o : s.outputs) (void)buffer_of(o);
    for (const RecordedStep& s : record_.steps)
      if (!add_call(s)) return failure;
    for (const std::vector<evaluate::Tensor>& set : sets) {
      std::vector<std::byte>& bytes = out_.given.emplace_back();
      for (const auto& [v, b] : given_) {
        const auto at = std::find(graph_.inputs.begin(), graph_.inputs.end(), v);
        const std::span<const std::byte> from =
            at == graph_.inputs.end() ? graph_.values[v].constant->bytes.bytes()
                                      : set[static_cast<std::size_t>(at - graph_.inputs.begin())].bytes.bytes();
        bytes.insert(bytes.end(), from.begin(), from.end());
      }
    }
    // An alias is at the place of its value.
    for (const auto& [v, of] : record_.aliases)
      if (const auto b = out_.values.find(root(v)); b != out_.values.end()) out_.values[v] = b->second;
    return std::move(out_);
  }

 private:
  std::uint32_t root(std::uint32_t v) const {
    for (std::size_t hops = 0; record_.aliases.contains(v) && hops <= graph_.values.size(); ++hops)
      v = record_.aliases.at(v);
    return v;
  }

  std::size_t add(StepGraph::Buffer b) {
    out_.buffers.push_back(std::move(b));
    return out_.buffers.size() - 1;
  }

  std::size_t add_value(std::uint32_t v, Kind kind) {
    const auto known = out_.values.find(v);
    if (known != out_.values.end()) return known->second;
    const ir::TensorType& t = graph_.values[v].type;
    const std::size_t b =
        add({t.bytes(), std::max(bit_width(t.dtype) / 8, 1u), kind, "value " + std::to_string(v), t.dtype});
    if (kind == kGiven) given_.emplace_back(v, b);
    return out_.values[v] = b;
  }

  std::size_t buffer_of(const RecordedOperand& o) {
    if (!o.is_private) {
      const std::uint32_t v = root(o.id);
      if (v >= graph_.values.size()) return SIZE_MAX;
      return add_value(v, graph_.is_constant(v) ? kGiven : kValue);
    }
    if (o.id >= record_.private_values.size()) return SIZE_MAX;
    const auto [at, fresh] = out_.private_values.emplace(o.id, out_.buffers.size());
    const codegen::PrivateValue& p = record_.private_values[o.id];
    if (fresh) add({p.bytes, p.align, kValue, "private value " + std::to_string(o.id)});
    return at->second;
  }

  bool add_call(const RecordedStep& s) {
    StepGraph::Call c;
    c.symbol = s.step.symbol;
    c.name = "step '" + s.step.symbol + "'";
    for (const codegen::NodeId n : s.step.nodes)
      if (n < record_.regions[s.region].nodes.size()) c.name += " of " + record_.regions[s.region].nodes[n].op;
    c.instance = s.step.uses_instance;
    c.inputs = s.inputs.size();
    c.outputs = s.outputs.size();
    c.workspaces = s.step.workspaces.size();
    c.overlays = s.step.overlays;
    if (c.instance) {
      if (!record_.instance) return bad(c, "it takes an instance that was not declared");
      if (!has_instance_) {
        out_.instance = add({record_.instance->bytes, record_.instance->align, kInstance, "the instance"});
        out_.init = record_.instance->init;
        has_instance_ = true;
      }
      c.parameters.push_back(out_.instance);
    }
    for (const auto* list : {&s.inputs, &s.outputs})
      for (const RecordedOperand& o : *list) {
        const std::size_t b = buffer_of(o);
        if (b == SIZE_MAX) return bad(c, "one of its operands is none");
        c.parameters.push_back(b);
      }
    for (const codegen::Workspace& w : s.step.workspaces)
      c.parameters.push_back(add({w.bytes, w.align, kWorkspace, "the workspace of " + c.name}));
    out_.calls.push_back(std::move(c));
    return true;
  }

  bool bad(const StepGraph::Call& c, const std::string& why) {
    diags_.error({}, c.symbol, why);
    return false;
  }

  const Recorder& record_;
  const ir::Graph& graph_;
  Diagnostics& diags_;
  StepGraph out_;
  std::vector<std::pair<std::uint32_t, std::size_t>> given_;
  bool has_instance_ = false;
};

}  // namespace

std::uint64_t StepGraph::ram() const {
  std::uint64_t sum = 2 * kGuard + given_bytes(*this), largest = 0;
  for (const Buffer& b : buffers) {
    sum += b.bytes + kGuard + 2 * std::max<std::uint64_t>(b.align, 1);
    largest = std::max(largest, b.bytes);
  }
  std::uint64_t lead = 0;
  for (const Call& c : calls)
    for (const codegen::Overlay& o : c.overlays) lead = std::max(lead, o.lead);
  return sum + largest + lead + 2 * kGuard;
}

Result<StepGraph> make_step_graph(const Recorder& record, const ir::Graph& graph,
                                  std::span<const std::vector<evaluate::Tensor>> sets, Diagnostics& diags) {
  return ProgramMaker(record, graph, diags).run(sets);
}

Result<std::uint64_t> step_memory(const TargetSpec& target, Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine) return failure;
  if (find_program(target.gnu_command).empty())
    return diags.error({}, target.name, "the compiler that links the program is not installed", {}, target.gnu_command);
  if (!machine->command.empty() && find_program(machine->command[0]).empty())
    return diags.error({}, target.name, "the simulator is not installed", {}, machine->command[0]);
  if (machine->hosted()) return std::uint64_t{1} << 30;
  return machine->memories[placement(*machine).ram].size - kStackBytes - kReserve;
}

Result<std::vector<StepOutcome>> run_steps(const TargetSpec& target, const std::string& folder,
                                           std::span<const StepGraph> graphs, const std::vector<std::string>& libraries,
                                           Diagnostics& diags) {
  const auto machine = machine_for(target, diags);
  if (!machine || !build(target, *machine, folder, graphs, libraries, diags)) return failure;
  std::vector<std::string> command = machine->command;
  command.push_back(fs::absolute(folder).string() + "/steps.elf");
  // Counted instructions are of no interest here and cost time.
  if (const auto at = std::find(command.begin(), command.end(), "-icount"); at != command.end())
    command.erase(at, at + 2);
  std::vector<StepOutcome> outcomes(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) outcomes[g].runs.resize(graphs[g].given.size());
  for (std::size_t first = 0; first < graphs.size();) {
    write_inputs(folder, graphs, static_cast<std::uint32_t>(first));
    fs::remove(folder + "/results.bin");
    const auto run = run_process(command, diags, {.directory = folder, .timeout_seconds = 120});
    if (!run) return failure;
    const std::size_t next = take_records(file_bytes(folder + "/results.bin"), graphs, outcomes, first);
    first = next + 1;
    if (next == graphs.size()) break;
    // If the program ends without a record, or does not end, the graph that was running is at fault.
    if (!outcomes[next].problem.empty()) continue;
    outcomes[next].requirement = "A16";
    outcomes[next].problem = run->timed_out
                                 ? "the emitted code does not end"
                                 : "the emitted code ends the program, exit code " + std::to_string(run->exit_code) +
                                       (run->errors.empty() ? "" : ": " + run->errors.substr(0, 300));
  }
  return outcomes;
}

}  // namespace byoc::check
