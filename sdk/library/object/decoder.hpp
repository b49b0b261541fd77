// LLVM's instruction decoder of one target. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "byoc/target.hpp"

namespace llvm {
class MCInst;
class MCInstrAnalysis;
class MCInstrInfo;
class MCRegisterInfo;
}  // namespace llvm

namespace byoc {

class Decoder {
 public:
  // Null for a triple, or a CPU, that LLVM does not know.
  [[nodiscard]] static std::unique_ptr<Decoder> create(const std::string& triple, const std::string& cpu,
                                                       const std::string& features);
  // The decoder of the largest architecture that firmware for the target may have: objects were compared with the
  // target before. Null for a target whose code is not read.
  [[nodiscard]] static std::unique_ptr<Decoder> of_firmware(const TargetSpec& target);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  [[nodiscard]] bool decode(std::span<const std::uint8_t> bytes, std::uint64_t at, llvm::MCInst& inst,
                            std::uint64_t& size) const;
  [[nodiscard]] std::string text(const llvm::MCInst& inst, std::uint64_t at) const;
  [[nodiscard]] std::string_view opcode(const llvm::MCInst& inst) const;
  [[nodiscard]] bool has(std::string_view feature) const;
  [[nodiscard]] const llvm::MCInstrInfo& instructions() const;
  [[nodiscard]] const llvm::MCRegisterInfo& registers() const;
  [[nodiscard]] const llvm::MCInstrAnalysis& analysis() const;

 private:
  struct Parts;
  explicit Decoder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace byoc
