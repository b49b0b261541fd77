#include "sdk/run/simulate/link.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"

namespace byoc {
namespace {

Result<void> write_sources(const LinkRequest& request, Diagnostics& diags) {
  std::error_code failed;
  std::filesystem::create_directory(request.directory, failed);
  OutputSet files(diags);
  if (!files.add(request.directory + "/model_glue.c", model_glue(request.model, request.plan, request.dumps)) ||
      !files.add(request.directory + "/model_stub.c", model_stub(request.model)))
    return failure;
  const std::string header =
      request.header.empty() ? model_header(request.model) : "#include \"" + request.header + "\"\n";
  if (!files.add(request.directory + "/" + kModelHeader, header)) return failure;
  return files.commit();
}

// The last lines of what a compiler or emulator said.
std::string tail(const std::string& text) {
  constexpr std::size_t kMost = 2000;
  return text.size() <= kMost ? text : "... " + text.substr(text.size() - kMost);
}

// Advice for undefined symbols; "" for other errors.
std::string what_to_link(const LinkRequest& request, const std::string& errors) {
  if (errors.find("undefined reference") == std::string::npos && errors.find("cannot find -l") == std::string::npos)
    return {};
  std::string names;
  for (const std::string& l : request.link_libraries) names += (names.empty() ? "" : ", ") + l;
  if (names.empty()) return "--link FILE, with the object or static library that defines it; no plug-in says which";
  return "--link FILE, with the object or static library that defines it; plug-ins ask for: " + names;
}

Result<ProcessResult> run_gnu(const TargetSpec& target, const std::string& directory,
                              const std::vector<std::string>& arguments, Diagnostics& diags) {
  std::vector<std::string> argv = {target.gnu_command};
  argv.insert(argv.end(), target.gnu_flags.begin(), target.gnu_flags.end());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_process(argv, diags, {.directory = directory, .timeout_seconds = 300});
}

Failure does_not_build(const std::string& file, const ProcessResult& result, std::string expected, Diagnostics& diags) {
  return diags.error(file, {}, "the program around the model does not build: " + tail(result.errors), {},
                     std::move(expected));
}

Result<void> build(const LinkRequest& request, const std::vector<std::string>& arguments, Diagnostics& diags) {
  const auto result = run_gnu(request.target, request.directory, arguments, diags);
  if (!result) return failure;
  if (result->exit_code != 0)
    return does_not_build(request.archive, *result, what_to_link(request, result->errors), diags);
  return {};
}

bool is_shared(const std::string& library) { return library.ends_with(".so"); }

// A shared library's sizes are its own.
bool wants_stub(const LinkRequest& request) { return request.wants_sizes && !is_shared(request.archive); }

std::string object_of(const std::string& source) { return source.substr(0, source.rfind('.')) + ".o"; }

constexpr const char* kCompile[] = {
    "-c", "-O2", "-std=gnu11", "-w", "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fdata-sections",
    "-I."};

Result<void> compile(const LinkRequest& request, Diagnostics& diags) {
  std::vector<std::string> arguments(std::begin(kCompile), std::end(kCompile));
  arguments.push_back("-I" + request.firmware);
  arguments.emplace_back("model_glue.c");
  if (wants_stub(request)) arguments.emplace_back("model_stub.c");
  if (request.plan.watched) arguments.push_back(request.firmware + "/watch.c");
  return build(request, arguments, diags);
}

}  // namespace

std::string memory_script(const Machine& machine, const Placement& placement, bool bounded) {
  std::string text = "MEMORY\n{\n";
  for (const Memory& m : machine.memories)
    text += "  " + std::string(m.name) + " : ORIGIN = " + std::to_string(m.origin) +
            ", LENGTH = " + (bounded ? std::to_string(m.size) : std::string("0x40000000")) + "\n";
  text += "}\n";
  const std::array<std::pair<const char*, std::size_t>, 3> parts = {
      {{"CODE", placement.code}, {"CONSTANTS", placement.constants}, {"RAM", placement.ram}}};
  for (const auto& [name, index] : parts)
    text += std::string("REGION_ALIAS(\"") + name + "\", " + std::string(machine.memories[index].name) + ")\n";
  return text + "STACK_BYTES = " + std::to_string(kStackBytes) + ";\n";
}

// Flash memories with sections of their own, behind the other constants, each in one piece. The linker places a section
// that no script names anywhere, for instance in the code's memory, which may be too small for it.
std::string flash_script(const TargetSpec& target) {
  std::string text;
  for (const MemoryPool& p : target.pools)
    if (p.kind == PoolKind::flash && !p.section.empty() && !p.section.starts_with(".rodata"))
      text += "  " + p.section + " : ALIGN(16) { *(" + p.section + " " + p.section + ".*) } > CONSTANTS\n";
  return "SECTIONS\n{\n" + text + "}\n";
}

std::size_t memory_of(const Machine& machine, const Placement& placement, const PoolVariable& variable) {
  const auto named = std::find_if(machine.memories.begin(), machine.memories.end(),
                                  [&](const Memory& m) { return m.name == variable.pool; });
  if (named != machine.memories.end()) return static_cast<std::size_t>(named - machine.memories.begin());
  for (std::size_t i = 0; i < machine.memories.size(); ++i)
    if (i != placement.code && i != placement.constants && i != placement.ram &&
        machine.memories[i].size >= variable.bytes)
      return i;
  return placement.ram;
}

std::string pools_script(const Machine& machine, const Placement& placement, const ModelInterface& model) {
  std::string text;
  for (const PoolVariable& v : pool_variables(model))
    if (const std::size_t memory = memory_of(machine, placement, v); memory != placement.ram)
      text += "  ." + v.name + " (NOLOAD) : { *(" + v.section() + ") } > " +
              std::string(machine.memories[memory].name) + "\n";
  return "SECTIONS\n{\n" + text + "}\n";
}

namespace {

Result<void> link(const LinkRequest& request, const std::string& model, const std::string& output,
                  const Placement* placement, bool bounded, Diagnostics& diags) {
  std::vector<std::string> arguments = {"-o", output, "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"};
  if (placement != nullptr) {
    OutputSet files(diags);
    if (!files.add(request.directory + "/regions.ld", memory_script(request.machine, *placement, bounded)) ||
        !files.add(request.directory + "/pools.ld", pools_script(request.machine, *placement, request.model)) ||
        !files.add(request.directory + "/flash.ld", flash_script(request.target)) || !files.commit())
      return failure;
    for (const std::string& a :
         {std::string("-nostartfiles"), std::string("-static"), std::string("-Tregions.ld"), std::string("-Tpools.ld"),
          "-T" + request.firmware + "/firmware.ld", std::string("-Tflash.ld")})
      arguments.push_back(a);
    if (!bounded) arguments.emplace_back("-Wl,--no-check-sections");
  }
  // Else the first call of a library function goes through the dynamic linker, which takes kilobytes of stack.
  if (placement == nullptr) arguments.emplace_back("-Wl,-z,now");
  arguments.push_back(request.firmware + "/harness.o");
  if (request.plan.watched) arguments.emplace_back("watch.o");
  arguments.emplace_back("model_glue.o");
  for (const std::string& source : request.machine.sources)
    arguments.push_back(request.firmware + "/" + object_of(source));
  arguments.push_back(model);
  if (model == request.archive && !request.weights.empty()) arguments.push_back(request.weights);
  if (is_shared(model))
    for (const std::string& a : {std::string("-Xlinker"), std::string("-rpath"), std::string("-Xlinker"),
                                 std::filesystem::path(model).parent_path().string()})
      arguments.push_back(a);
  arguments.insert(arguments.end(), request.libraries.begin(), request.libraries.end());
  arguments.emplace_back("-lm");
  return build(request, arguments, diags);
}

Result<ElfSizes> sizes_of(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  return elf_sizes((*file)->bytes(), path, diags);
}

std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

bool fits(const Machine& machine, const Placement& p, const ModelInterface& model, const ElfSizes& sizes) {
  // Regions may start with padding to 16 bytes.
  constexpr std::uint64_t kPadding = 64;
  std::vector<std::uint64_t> used(machine.memories.size(), 0);
  used[p.code] += sizes.text + kPadding;
  used[p.constants] += sizes.rodata + sizes.data + kPadding;
  used[p.ram] += sizes.data + sizes.bss + kPadding;
  for (const PoolVariable& v : pool_variables(model)) {
    used[p.ram] = minus(used[p.ram], v.bytes);
    used[memory_of(machine, p, v)] += v.bytes + kPadding;
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] > machine.memories[i].size) return false;
  }
  return true;
}

Failure does_not_fit(const LinkRequest& request, const ElfSizes& sizes, Diagnostics& diags) {
  std::string there, further;
  for (const PoolVariable& v : pool_variables(request.model))
    further += ", of which " + std::to_string(v.bytes) + " in '" + v.pool + "'";
  for (const Memory& m : request.machine.memories)
    there += (there.empty() ? "" : ", ") + std::string(m.name) + " of " + std::to_string(m.size) + " bytes";
  return diags.error(request.archive, request.model.name,
                     "the model does not fit the memories of " + std::string(request.machine.name),
                     "code of " + std::to_string(sizes.text) + " bytes, constants of " +
                         std::to_string(sizes.rodata + sizes.data) + ", RAM of " +
                         std::to_string(sizes.data + sizes.bss) + " with inputs, outputs and stack" + further,
                     there);
}

}  // namespace

Result<void> compile_firmware(const TargetSpec& target, const Machine& machine, const std::string& directory,
                              Diagnostics& diags) {
  if (find_program(target.gnu_command).empty())
    return diags.error({}, target.name, "the compiler that links the program around the model is not installed", {},
                       target.gnu_command);
  std::error_code failed;
  std::filesystem::create_directory(directory, failed);
  OutputSet files(diags);
  for (const auto& [name, text] : firmware_files())
    if (!files.add(directory + "/" + std::string(name), text)) return failure;
  if (!files.commit()) return failure;
  std::vector<std::string> arguments(std::begin(kCompile), std::end(kCompile));
  arguments.insert(arguments.end(), machine.defines.begin(), machine.defines.end());
  arguments.emplace_back("harness.c");
  arguments.insert(arguments.end(), machine.sources.begin(), machine.sources.end());
  const auto result = run_gnu(target, directory, arguments, diags);
  if (!result) return failure;
  if (result->exit_code != 0) return does_not_build({}, *result, {}, diags);
  return {};
}

Result<LinkedProgram> link_program(const LinkRequest& request, Diagnostics& diags) {
  const Machine& machine = request.machine;
  if (!write_sources(request, diags) || !compile(request, diags)) return failure;
  const std::string program = request.directory + "/program.elf";
  const Placement* first = machine.hosted() ? nullptr : &machine.placements.front();
  if (!link(request, request.archive, program, first, false, diags)) return failure;
  auto with_model = sizes_of(program, diags);
  if (!with_model) return failure;

  std::vector<Memory> flash;
  if (!machine.hosted()) {
    const auto placement = std::find_if(machine.placements.begin(), machine.placements.end(), [&](const Placement& p) {
      return fits(machine, p, request.model, *with_model);
    });
    if (placement == machine.placements.end()) return does_not_fit(request, *with_model, diags);
    // The first one is what has been linked already.
    if (placement != machine.placements.begin() && !link(request, request.archive, program, &*placement, true, diags))
      return failure;
    flash.push_back(machine.memories[placement->code]);
    if (placement->constants != placement->code) flash.push_back(machine.memories[placement->constants]);
  }
  if (!request.wants_sizes) return LinkedProgram{program, {}, std::move(flash)};
  if (!wants_stub(request)) {
    auto shared = sizes_of(request.archive, diags);
    if (!shared) return failure;
    return LinkedProgram{program, *shared};
  }
  const std::string without = request.directory + "/without_model.elf";
  if (!link(request, "model_stub.o", without, first, false, diags)) return failure;
  auto without_model = sizes_of(without, diags);
  if (!without_model) return failure;
  return LinkedProgram{program,
                       {minus(with_model->text, without_model->text), minus(with_model->rodata, without_model->rodata),
                        minus(with_model->data, without_model->data), minus(with_model->bss, without_model->bss)},
                       std::move(flash)};
}

}  // namespace byoc
