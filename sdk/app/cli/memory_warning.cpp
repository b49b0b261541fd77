#include "sdk/app/cli/memory_warning.hpp"

#include <string_view>

#include "sdk/base/page/text.hpp"
#include "sdk/target/target/chips.hpp"

namespace byoc::cli {
namespace {

// A memory by its name, and the place of its size in the table of chips.
struct ChipMemory {
  const char* name;
  std::uint64_t Chip::* size;
};
constexpr ChipMemory kFlash{"flash", &Chip::flash}, kRam{"RAM", &Chip::ram};

// Arm's prototyping boards, which the simulator has: an FPGA and more memory than any chip.
constexpr std::string_view kPrototypes = "mps";

// The chip with the most of it among those with this core; null where one is among them whose size is not known.
const Chip* largest(const std::string& target, const ChipMemory& memory) {
  const Chip* out = nullptr;
  for (const Chip& c : chips()) {
    if (c.target != target || !c.chip.empty() || c.name.starts_with(kPrototypes)) continue;
    if (c.*memory.size == 0) return nullptr;
    if (out == nullptr || c.*memory.size > out->*memory.size) out = &c;
  }
  return out;
}

std::uint64_t all_ram(const ModelInterface& m, const LibrarySizes& sizes) {
  std::uint64_t out = m.all_workspace_bytes() + m.instance_bytes + sizes.stack.bytes;
  for (const auto* tensors : {&m.inputs, &m.outputs})
    for (const IoTensor& t : *tensors) out += t.bytes;
  return out;
}

void check(const std::string& model, const ChipMemory& memory, std::uint64_t needed, const TargetSpec& target,
           Diagnostics& diags) {
  const Chip* own = find_chip(target.name);
  const Chip* chip = own != nullptr ? own : largest(target.name, memory);
  if (chip == nullptr || chip->*memory.size == 0 || needed <= chip->*memory.size) return;
  const std::string what = std::string("the model needs more ") + memory.name + " than ",
                    most = "at most " + page::grouped(chip->*memory.size) + " bytes";
  diags.add({Level::warning,
             model,
             {},
             own != nullptr ? what + own->name + " has" : what + "any chip with a " + target.name + " that byoc knows",
             page::grouped(needed) + " bytes",
             own != nullptr ? most : most + ", those of " + chip->name});
}

}  // namespace

void warn_of_memory(const std::string& model, const ModelInterface& interface, const LibrarySizes& sizes,
                    const TargetSpec& target, Diagnostics& diags) {
  check(model, kFlash, sizes.flash.total(), target, diags);
  check(model, kRam, all_ram(interface, sizes), target, diags);
}

}  // namespace byoc::cli
