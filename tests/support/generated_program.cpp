#include "tests/support/generated_program.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"

namespace byoc::test {
namespace {

using codegen::Region;
using codegen::Value;
using codegen::ValueId;

constexpr const char* kWarnings[] = {"-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"};

// Entry, output and exit of the programs. Bare metal: the vector table, the FPU switched on, ARM semihosting, and the
// free-running counter of the MPS2 and MPS3 boards (FPGAIO + 0x18).
constexpr const char* kNativeSupport = R"(
#include <stdio.h>
static void put(const char *text) { fputs(text, stdout); }
static uint32_t now(void) { return 0; }
#define ENTRY int main(void)
#define LEAVE return 0
)";

constexpr const char* kBareSupport = R"(
static void semihost(int op, const void *argument) {
  register int r0 __asm__("r0") = op;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
static void put(const char *text) { semihost(4, text); }
static uint32_t now(void) { return *(volatile uint32_t *)COUNTER; }
void reset(void);
extern char stack_top[];
typedef struct { void *stack; void (*entry[15])(void); } vectors_t;
static void fault(void) { put("fault\n"); semihost(0x18, (void *)0x20023); for (;;) {} }
__attribute__((section(".vectors"), used)) static const vectors_t vectors = {
    stack_top, {reset, fault, fault, fault, fault, fault}};
#define ENTRY void reset(void)
#define LEAVE semihost(0x18, (void *)0x20026); for (;;) {}
)";

constexpr const char* kEnableFpu = R"(
  *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
  __asm__ volatile("dsb\n\tisb");
)";

// Code where the boards start, data in their large RAM; written in place, so nothing has to be copied.
std::string linker_script(const Machine& machine) {
  const bool mps3 = machine.qemu.starts_with("mps3");
  const std::string ram = mps3 ? "0x60000000" : "0x21000000";
  return "ENTRY(reset)\nSECTIONS {\n  . = 0;\n  .vectors : { KEEP(*(.vectors)) }\n  .text : { *(.text*) }\n  . = " +
         ram +
         ";\n  .rodata : { *(.rodata*) }\n  .data : { *(.data*) }\n  .bss : { *(.bss*) *(COMMON) }\n"
         "  . = ALIGN(8) + 65536;\n  stack_top = .;\n  /DISCARD/ : { *(.ARM.exidx*) *(.ARM.extab*) }\n}\n";
}

TargetSpec arm_target(std::string name, std::string triple, std::vector<std::string> isa) {
  TargetSpec t;
  t.name = std::move(name);
  t.triple = std::move(triple);
  t.isa = std::move(isa);
  return t;
}

Machine arm_machine(TargetSpec target, std::vector<std::string> flags, std::string qemu, bool clang) {
  Machine m{std::move(target), {}, std::move(qemu)};
  if (clang)
    m.compiler = {"clang-19", "--target=" + m.target.triple, "-isystem", "/usr/include/newlib"};
  else
    m.compiler = {"arm-none-eabi-gcc", "-mthumb"};
  m.compiler.insert(m.compiler.end(), flags.begin(), flags.end());
  return m;
}

std::string bytes_text(std::span<const std::byte> bytes) {
  std::string out = "{";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += std::to_string(static_cast<unsigned>(bytes[i])) + ",";
    if (i % 32 == 31) out += "\n";
  }
  return out + (bytes.empty() ? "0}" : "}");
}

std::string element_name(DType t) {
  switch (t) {
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::i8: return "int8_t";
    case DType::u8:
    case DType::boolean: return "uint8_t";
    case DType::i16: return "int16_t";
    case DType::u16:
    case DType::f16:
    case DType::bf16: return "uint16_t";
    case DType::i32: return "int32_t";
    case DType::u32: return "uint32_t";
    case DType::i64: return "int64_t";
    case DType::u64: return "uint64_t";
    default: return "uint8_t";
  }
}

// Kernels under other names, as exports have them: a source that calls one of another source means that one.
std::string renamed_kernels(const FakeHost& host) {
  std::string out;
  for (const FakeHost::Source& s : host.sources)
    if (s.decl.shared) out += "#define " + s.decl.symbol + " " + s.decl.symbol + "_1f2e\n";
  return out;
}

class Program {
 public:
  Program(const Region& region, const FakeHost& host, const Machine& machine, const RunOptions& options)
      : region_(region), host_(host), machine_(machine) {
    storage_.resize(region.values.size());
    for (ValueId v = 0; v < region.values.size(); ++v) storage_[v] = "v" + std::to_string(v);
    if (!options.use_overlays) return;
    for (const Value& v : region.values) behind_ = std::max(behind_, v.bytes());
    std::vector<std::uint64_t> before(region.values.size(), 0);
    for (const codegen::Step& step : host.steps)
      for (const codegen::Overlay& o : step.overlays) {
        const ValueId in = step.inputs[o.input].value, out = step.outputs[o.output].value;
        if (out == codegen::kNoValue || in == codegen::kNoValue || readers(in) != 1 || is_output(in)) continue;
        storage_[out] = "(" + storage_[root(in)] + " - " + std::to_string(o.lead) + ")";
        before[out] = before[root(in)] + o.lead;
        before_ = std::max(before_, (before[out] + 15) / 16 * 16);
        break;
      }
  }

  // The header that generated sources include: prototypes, constants, and kernels under other names.
  [[nodiscard]] std::string internal_header() const {
    std::string out =
        "#ifndef INTERNAL_H\n#define INTERNAL_H\n#include <stdint.h>\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    out += renamed_kernels(host_);
    for (const FakeHost::Constant& c : host_.constants) {
      const std::size_t width = bit_width(c.decl.element) / 8;
      out += "extern const " + element_name(c.decl.element) + " " + c.decl.symbol + "[" +
             std::to_string(c.bytes.size() / width) + "];\n";
    }
    for (const codegen::Step& s : host_.steps) out += "int32_t " + s.symbol + "(" + parameters(s) + ");\n";
    return out + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
  }

  [[nodiscard]] std::string constants() const {
    std::string out = "#include <stdint.h>\n";
    for (const FakeHost::Constant& c : host_.constants)
      out += "__attribute__((aligned(" + std::to_string(c.decl.align) + "))) const uint8_t " + c.decl.symbol +
             "[] = " + bytes_text(c.bytes) + ";\n";
    return out;
  }

  [[nodiscard]] std::string driver(const std::map<ValueId, std::vector<std::byte>>& inputs) const {
    std::ostringstream out;
    out << "#include \"internal.h\"\n";
    if (machine_.qemu.empty()) {
      out << kNativeSupport;
    } else {
      out << "#define COUNTER " << (machine_.qemu.starts_with("mps3") ? "0x49302018" : "0x40028018") << "\n"
          << kBareSupport;
    }
    for (ValueId v = 0; v < region_.values.size(); ++v) {
      const auto given = inputs.find(v);
      const std::uint64_t bytes = before_ + region_.values[v].bytes() + behind_ + 16;
      out << "static uint8_t v" << v << "_room[" << bytes << "] __attribute__((aligned(16)))";
      if (given != inputs.end()) {
        std::vector<std::byte> room(before_);
        room.insert(room.end(), given->second.begin(), given->second.end());
        out << " = " << bytes_text(room);
      }
      out << ";\n#define v" << v << " (v" << v << "_room + " << before_ << ")\n";
    }
    for (std::size_t i = 0; i < host_.private_values.size(); ++i)
      out << "static uint8_t p" << i << "[" << host_.private_values[i].bytes << "] __attribute__((aligned(16)));\n";
    for (std::size_t s = 0; s < host_.steps.size(); ++s)
      for (std::size_t i = 0; i < host_.steps[s].workspaces.size(); ++i)
        out << "static uint8_t w" << s << "_" << i << "[" << host_.steps[s].workspaces[i].bytes
            << "] __attribute__((aligned(16)));\n";
    out << "static void show(const char *name, const uint8_t *bytes, uint32_t count) {\n"
           "  static char line[129];\n  uint32_t i, n = 0;\n  put(name);\n"
           "  for (i = 0; i < count; ++i) {\n    line[n++] = \"0123456789abcdef\"[bytes[i] >> 4];\n"
           "    line[n++] = \"0123456789abcdef\"[bytes[i] & 15];\n"
           "    if (n == 128 || i + 1 == count) { line[n] = 0; put(line); n = 0; }\n  }\n  put(\"\\n\");\n}\n";
    out << "ENTRY {\n  uint32_t start, ticks = 0;\n";
    if (machine_.target.has("fp.sp") && !machine_.qemu.empty()) out << kEnableFpu;
    for (std::size_t s = 0; s < host_.steps.size(); ++s) {
      out << "  start = now();\n  if (" << host_.steps[s].symbol << "(" << arguments(s)
          << ")) put(\"failed\\n\");\n  ticks += now() - start;\n";
    }
    for (ValueId v : region_.outputs)
      out << "  show(\"v" << v << " \", " << storage_[root(v)] << ", " << region_.values[v].bytes() << ");\n";
    out << "  show(\"ticks \", (const uint8_t *)&ticks, 4);\n  LEAVE;\n}\n";
    return out.str();
  }

 private:
  [[nodiscard]] ValueId root(ValueId v) const {
    for (auto it = host_.aliases.find(v); it != host_.aliases.end(); it = host_.aliases.find(v)) v = it->second;
    return v;
  }
  [[nodiscard]] std::size_t readers(ValueId v) const {
    std::size_t n = 0;
    for (const codegen::Node& node : region_.nodes)
      for (ValueId i : node.inputs) n += i != codegen::kNoValue && root(i) == root(v) ? 1 : 0;
    return n;
  }
  [[nodiscard]] bool is_output(ValueId v) const {
    for (ValueId o : region_.outputs)
      if (root(o) == root(v)) return true;
    return false;
  }
  [[nodiscard]] std::string type_of(const codegen::Operand& o) const {
    return o.value == codegen::kNoValue ? "void" : element_name(region_.values[o.value].dtype);
  }
  [[nodiscard]] std::string parameters(const codegen::Step& s) const {
    std::string out;
    for (const codegen::Operand& o : s.inputs) out += "const " + type_of(o) + " *, ";
    for (const codegen::Operand& o : s.outputs) out += type_of(o) + " *, ";
    for (std::size_t i = 0; i < s.workspaces.size(); ++i) out += "void *, ";
    return out.empty() ? "void" : out.substr(0, out.size() - 2);
  }
  [[nodiscard]] std::string pointer(const codegen::Operand& o) const {
    return "(void *)" +
           (o.value == codegen::kNoValue ? "p" + std::to_string(o.private_value) : storage_[root(o.value)]);
  }
  [[nodiscard]] std::string arguments(std::size_t index) const {
    const codegen::Step& s = host_.steps[index];
    std::string out;
    for (const codegen::Operand& o : s.inputs) out += pointer(o) + ", ";
    for (const codegen::Operand& o : s.outputs) out += pointer(o) + ", ";
    for (std::size_t i = 0; i < s.workspaces.size(); ++i)
      out += "w" + std::to_string(index) + "_" + std::to_string(i) + ", ";
    return out.empty() ? out : out.substr(0, out.size() - 2);
  }

  const Region& region_;
  const FakeHost& host_;
  const Machine& machine_;
  std::vector<std::string> storage_;
  std::uint64_t before_ = 0, behind_ = 0;  // bytes around each value, for those that lie over it
};

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

RunResult failed(std::string error) {
  RunResult out;
  out.error = std::move(error);
  return out;
}

std::string failure(const ProcessResult& r) {
  return "exit code " + std::to_string(r.exit_code) + "\n" + r.output.substr(0, 2000) + r.errors.substr(0, 4000);
}

// Through ccache where there is one: kernels are the same text in many of the programs.
Result<ProcessResult> compile(std::vector<std::string> command, const std::string& directory, Diagnostics& diags) {
  static const std::string ccache = find_program("ccache");
  if (!ccache.empty()) command.insert(command.begin(), ccache);
  ProcessOptions options;
  options.directory = directory;
  // Sources are where no other run has had them, and as new as the run is.
  options.variables = {"CCACHE_NOHASHDIR=1", "CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime"};
  return run_process(command, diags, options);
}

// Compiles everything in `directory` into <directory>/program; "" or what went wrong.
std::string build_program(const std::string& directory, const FakeHost& host, const Machine& machine) {
  Diagnostics diags;
  std::vector<std::string> objects;
  std::vector<std::string> files = {"driver.c", "constants.c"};
  for (const FakeHost::Source& s : host.sources) files.push_back(s.decl.name + ".c");
  for (const std::string& file : files) {
    std::vector<std::string> command = machine.compiler;
    const bool generated = file != "driver.c" && file != "constants.c";
    if (generated) {
      command.insert(command.end(), std::begin(kWarnings), std::end(kWarnings));
      command.insert(command.end(), machine.is_cxx ? std::initializer_list<std::string>{"-x", "c++", "-std=c++17"}
                                                   : std::initializer_list<std::string>{"-std=c99"});
    } else {
      command.insert(command.end(), {"-w", "-O1"});
    }
    command.insert(command.end(), {"-ffunction-sections", "-c", file, "-o", file + ".o"});
    const auto r = compile(std::move(command), directory, diags);
    if (!r || r->exit_code != 0) return r ? failure(*r) : "no compiler";
    objects.push_back(directory + "/" + file + ".o");
  }
  std::vector<std::string> link;
  if (machine.qemu.empty()) {
    link = machine.compiler;
  } else {
    // GNU's driver finds newlib and libgcc for objects of either compiler.
    link = {"arm-none-eabi-gcc", "-mthumb"};
    for (const std::string& flag : machine.compiler)
      if (flag.starts_with("-mcpu") || flag.starts_with("-mf")) link.push_back(flag);
    link.insert(link.end(),
                {"-nostartfiles", "-T", directory + "/script.ld", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"});
  }
  link.insert(link.end(), objects.begin(), objects.end());
  link.insert(link.end(), {"-lm", "-o", directory + "/program"});
  const auto r = run_process(link, diags);
  return !r ? "no linker" : r->exit_code != 0 ? failure(*r) : "";
}

}  // namespace

Machine host_machine(std::string compiler) {
  Machine m;
  m.target.name = "host";
  m.target.triple = "x86_64-unknown-linux-gnu";
  m.target.pointer_width = 64;
  m.target.hosted = true;
  m.target.isa = {"hwdiv", "fp.sp", "fp.dp"};
  m.compiler = {std::move(compiler)};
  return m;
}

Machine cortex_m4f(bool clang) {
  return arm_machine(arm_target("cortex-m4f", "thumbv7em-none-unknown-eabihf", {"thumb", "dsp", "hwdiv", "fp.sp"}),
                     {"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"}, "mps2-an386", clang);
}

Machine cortex_m55(bool clang) {
  return arm_machine(arm_target("cortex-m55", "thumbv8.1m.main-none-unknown-eabihf",
                                {"thumb", "dsp", "hwdiv", "fp.sp", "fp.dp", "mve", "mve.fp"}),
                     {"-mcpu=cortex-m55", "-mfloat-abi=hard"}, "mps3-an547", clang);
}

Machine cortex_m0plus(bool clang) {
  return arm_machine(arm_target("cortex-m0plus", "thumbv6m-none-unknown-eabi", {"thumb"}),
                     {"-mcpu=cortex-m0plus", "-mfloat-abi=soft"}, "mps2-an385", clang);
}

RunResult run_generated(codegen::Codegen& codegen, const Region& region,
                        const std::map<ValueId, std::vector<std::byte>>& inputs, const Machine& machine,
                        const RunOptions& options) {
  RunResult result;
  FakeHost host;
  const Region regions[] = {region};
  codegen::Request request{machine.target, Objective::balanced, "internal.h", regions};
  request.memory_budget = options.memory_budget;
  request.attempt = options.memory_budget == 0 ? 0 : 1;
  const auto verdicts = codegen.verdicts(region, machine.target);
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (!verdicts[i].claimed) return failed(region.nodes[i].op + " refused: " + verdicts[i].text);
  const bool compiled = codegen.compile(request, host);
  for (const auto& d : host.diagnostics)
    if (d.first != codegen::Severity::note) result.error += d.second + "\n";
  result.steps = host.steps;
  if (!compiled || !result.error.empty()) return failed("compile failed: " + result.error);

  Diagnostics diags;
  const auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failed("no temporary directory");
  const std::string path = directory->path();
  const Program program(region, host, machine, options);
  write_file(path + "/internal.h", program.internal_header());
  write_file(path + "/constants.c", program.constants());
  write_file(path + "/driver.c", program.driver(inputs));
  write_file(path + "/script.ld", linker_script(machine));
  for (const auto& [name, text] : host.headers) write_file(path + "/" + name, text);
  for (const FakeHost::Source& s : host.sources)
    write_file(path + "/" + s.decl.name + ".c", (s.decl.shared ? renamed_kernels(host) : "") + s.text);
  result.error = build_program(path, host, machine);
  if (const char* keep = std::getenv("BYOC_KEEP_GENERATED"))
    std::filesystem::copy(path, keep,
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  if (!result.error.empty()) return result;

  std::vector<std::string> run = {path + "/program"};
  if (!machine.qemu.empty())
    run = {"qemu-system-arm",
           "-M",
           machine.qemu,
           "-nographic",
           "-monitor",
           "none",
           "-serial",
           "none",
           "-icount",
           "shift=0",
           "-semihosting-config",
           "enable=on,target=native",
           "-kernel",
           path + "/program"};
  const auto r = run_process(run, diags, {.directory = "", .timeout_seconds = 60});
  if (!r || r->exit_code != 0 || r->timed_out) return failed(r ? "program: " + failure(*r) : "cannot run");
  if (r->output.find("failed\n") != std::string::npos) return failed("a step gave an error code");
  // QEMU writes semihosted text to standard error.
  std::istringstream lines(machine.qemu.empty() ? r->output : r->errors + r->output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, hex;  // an empty tensor has no digits
    words >> name >> hex;
    if (name.empty()) continue;
    const std::vector<std::byte> bytes = from_hex(hex);
    if (name[0] == 'v') {
      result.outputs[static_cast<ValueId>(std::stoul(name.substr(1)))] = bytes;
    } else if (name == "ticks" && bytes.size() == 4) {
      const std::uint64_t ticks = static_cast<std::uint64_t>(bytes[0]) | static_cast<std::uint64_t>(bytes[1]) << 8 |
                                  static_cast<std::uint64_t>(bytes[2]) << 16 |
                                  static_cast<std::uint64_t>(bytes[3]) << 24;
      result.instructions = ticks * (machine.qemu.starts_with("mps3") ? 50 : 40);
    }
  }
  for (ValueId v : region.outputs)
    if (result.outputs[v].size() != region.values[v].bytes())
      return failed("output v" + std::to_string(v) + " is missing: " + failure(*r));
  return result;
}

}  // namespace byoc::test
