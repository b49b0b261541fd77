// LLVM's instruction decoder of one target. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

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
