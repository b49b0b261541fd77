#include "sdk/library/object/disassemble.hpp"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

namespace byoc::object {

std::vector<AssemblyLine> disassemble(const TargetSpec& target, std::span<const std::byte> code,
                                      std::uint64_t address) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMDisassembler();
  });
  // A new one each time: it remembers an IT or VPT block at the end of the code before.
  const std::unique_ptr<void, void (*)(void*)> llvm(
      LLVMCreateDisasmCPUFeatures(target.has("thumb") ? "thumbv8.1m.main-none-eabi" : target.triple.c_str(),
                                  target.cpu.c_str(), "", nullptr, 0, nullptr, nullptr),
      [](void* context) { LLVMDisasmDispose(context); });
  std::vector<AssemblyLine> out;
  std::vector<std::uint8_t> bytes(code.size());
  std::transform(code.begin(), code.end(), bytes.begin(), [](std::byte b) { return static_cast<std::uint8_t>(b); });
  for (std::size_t at = 0; llvm && at < bytes.size();) {
    std::array<char, 256> line{};
    const std::size_t size =
        LLVMDisasmInstruction(llvm.get(), bytes.data() + at, bytes.size() - at, address + at, line.data(), line.size());
    if (size == 0) break;
    std::string text = line.data();
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    std::replace(text.begin(), text.end(), '\t', ' ');
    out.push_back({size, std::move(text)});
    at += size;
  }
  return out;
}

}  // namespace byoc::object
