#include <algorithm>
#include <cstdio>

#include "byoc/c_text.hpp"
#include "sdk/app/project/project_files.hpp"
#include "sdk/target/module/module.hpp"
#include "sdk/target/target/chip_start.hpp"

namespace byoc::project {
namespace {

constexpr std::uint64_t kProgramStack = 1024;  // of main() and of what prints
constexpr std::uint64_t kGuessedStack = 8192;  // where the model's calls have no bound
constexpr std::uint64_t kSmallData = 256;      // variables of the C library and the console, and gaps of alignment

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

std::string kibibytes(std::uint64_t bytes) { return std::to_string(bytes / 1024); }

std::string flag(bool is_set) { return is_set ? "1" : ""; }

// The header has functions that convert an element.
bool is_converted(const IoTensor& t) {
  return t.quantisation.scales.size() == 1 && !t.quantisation.per_axis() &&
         (t.dtype == DType::i8 || t.dtype == DType::u8 || t.dtype == DType::i16 || t.dtype == DType::u16);
}

std::string shape(const IoTensor& t) {
  std::string out(to_string(t.dtype));
  for (std::size_t i = 0; i < t.dims.size(); ++i) out += (i == 0 ? "[" : ",") + std::to_string(t.dims[i]);
  return out + (t.dims.empty() ? "" : "]");
}

Scope tensor_scope(const IoTensor& t, const std::string& macro, std::size_t position) {
  const bool is_converted_here = is_converted(t);
  const bool is_real = c_type(t.dtype) == "float" || c_type(t.dtype) == "double";
  const std::string stem = macro + std::to_string(position);
  const std::string count = t.bytes == 0 ? "1" : stem + (bit_width(t.dtype) < 8 ? "_SIZE" : "_ELEMENTS");
  return {{{"i", std::to_string(position)},
           {"ctype", std::string(c_type(t.dtype))},
           {"count", count},
           {"align", t.align == 0 ? "" : " __attribute__((aligned(" + stem + "_ALIGN)))"},
           {"shape", shape(t)},
           {"converted", flag(is_converted_here)},
           {"real", flag(is_real)},
           {"whole", flag(!is_real && !is_converted_here)}},
          {}};
}

std::vector<Scope> tensor_scopes(const std::vector<IoTensor>& tensors, const std::string& macro) {
  std::vector<Scope> out;
  for (const IoTensor& t : tensors) out.push_back(tensor_scope(t, macro, out.size()));
  return out;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

std::uint64_t stack_of(const LibrarySizes& sizes) {
  if (sizes.stack.bytes == 0) return kGuessedStack;
  return (sizes.stack.bytes + kProgramStack + 15) / 16 * 16;
}

std::uint64_t ram_of(const ModelInterface& m, const LibrarySizes& sizes) {
  std::uint64_t sum = stack_of(sizes) + m.all_workspace_bytes() + m.instance_bytes + kSmallData;
  for (const auto* tensors : {&m.inputs, &m.outputs})
    for (const IoTensor& t : *tensors) sum += t.bytes;
  return sum;
}

Scope project_scope(const ProjectFacts& facts) {
  const ModelInterface& m = facts.interface;
  const std::string upper = upper_case(m.prefix);
  const ChipStart& start = chip_start(facts.board);
  Scope out{{{"board", facts.board.name},
             {"model", m.prefix},
             {"MODEL", upper},
             {"file", facts.file},
             {"machine", std::string(facts.machine.name)},
             {"compiler", facts.target.gnu_command},
             {"emulator", facts.machine.command.front()},
             {"emulate", command_line(facts.machine.command)},
             {"stateful", flag(m.instance_bytes != 0)},
             {"flash", hex(start.flash)},
             {"ram", hex(start.ram)},
             {"flash_kib", kibibytes(facts.board.flash)},
             {"ram_kib", kibibytes(facts.board.ram)},
             {"stack", std::to_string(stack_of(facts.sizes))},
             {"stack_of", facts.sizes.stack.bytes == 0 ? "A guess: calls of the model have no bound."
                                                       : std::to_string(facts.sizes.stack.bytes) +
                                                             " bytes for the model, the rest for main()."}},
            {{"qemu", {}}}};
  for (const std::string& word : facts.machine.command) out.lists["qemu"].push_back({{{"word", word}}, {}});
  out.lists["inputs"] = tensor_scopes(m.inputs, upper + "_INPUT_");
  out.lists["outputs"] = tensor_scopes(m.outputs, upper + "_OUTPUT_");
  return out;
}

}  // namespace byoc::project
