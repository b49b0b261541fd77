// libFuzzer's entry: whatever the bytes, reading them as bytecode ends in a module that is written as it was read and
// runs to an end, or in a diagnostic. The checksum is made right first, or nothing behind it would ever be read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sdk/base/support/frame.hpp"
#include "sdk/program/bytecode/file.hpp"
#include "sdk/program/bytecode/machine.hpp"

namespace {

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

constexpr std::uint64_t kMostBytes = 1 << 16;
constexpr std::size_t kSteers = 12;  // the checksum, which is overwritten

// Of the stated type, each open dim `open` long, each element the same small number; nothing where they are many.
std::optional<byoc::evaluate::Tensor> filled(byoc::ir::TensorType type, std::int64_t open, std::byte number) {
  if (!type.dims) type.dims.emplace();
  std::int64_t bits = byoc::bit_width(type.dtype);
  for (std::int64_t& d : *type.dims) {
    if (d < 0) d = open;
    if (__builtin_mul_overflow(bits, d, &bits)) return std::nullopt;
  }
  if (!type.is_static() || type.bytes() > kMostBytes) return std::nullopt;
  std::vector<std::byte> bytes(type.bytes());
  const std::size_t element = std::max<std::size_t>(byoc::bit_width(type.dtype) / 8, 1);
  for (std::size_t i = 0; i < bytes.size(); i += element) bytes[i] = number;
  return byoc::evaluate::Tensor{std::move(type), byoc::Blob::own(std::move(bytes))};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(given.begin(), given.end());
  byoc::seal_frame(bytes);
  byoc::Diagnostics diags;
  const auto module = byoc::bytecode::read(byoc::Blob::view(bytes, nullptr), "m", diags);
  if (bool(module) == diags.has_errors()) broken("what is refused has an error, what is accepted has none");
  if (!module) return 0;
  if (byoc::bytecode::write(*module) != bytes) broken("what was read is written as it was");
  [[maybe_unused]] static volatile std::size_t kept;
  kept = byoc::bytecode::disassemble(*module).size();
  auto machine = byoc::bytecode::Machine::link(*module, nullptr, nullptr, "m", diags);
  if (!machine) return 0;
  std::vector<byoc::evaluate::Tensor> inputs;
  for (const std::uint32_t t : module->functions[0].parameters) {
    auto input = filled(module->type(t), 1 + data[kSteers] % 4, std::byte(data[kSteers + 1] % 5));
    if (!input) return 0;
    inputs.push_back(std::move(*input));
  }
  byoc::Diagnostics told;
  const auto out = machine->run(inputs, {.memory = 1 << 22, .instructions = 2000}, told);
  if (bool(out) == told.has_errors()) broken("a run that fails has an error, one that does not has none");
  return 0;
}
