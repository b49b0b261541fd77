#include "sdk/library/object/decoder.hpp"

#include <llvm-c/Target.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace byoc {
namespace {

void initialise_disassemblers() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64Disassembler();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMDisassembler();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
  });
}

}  // namespace

// Each refers to some before it.
struct Decoder::Parts {
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::set<std::string, std::less<>> has;
};

Decoder::Decoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Decoder::~Decoder() = default;

std::unique_ptr<Decoder> Decoder::create(const std::string& triple_text, const std::string& cpu,
                                         const std::string& features) {
  initialise_disassemblers();
  std::string ignored;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple_text, ignored);
  if (target == nullptr) return nullptr;
  auto p = std::make_unique<Parts>();
  const llvm::Triple triple(triple_text);
  const llvm::MCTargetOptions options;
  p->registers.reset(target->createMCRegInfo(triple.str()));
  p->assembly.reset(target->createMCAsmInfo(*p->registers, triple.str(), options));
  p->subtarget.reset(target->createMCSubtargetInfo(triple.str(), "", ""));
  if (!cpu.empty() && !p->subtarget->isCPUStringValid(cpu)) return nullptr;
  p->subtarget.reset(target->createMCSubtargetInfo(triple.str(), cpu, features));
  p->instructions.reset(target->createMCInstrInfo());
  p->context = std::make_unique<llvm::MCContext>(triple, p->assembly.get(), p->registers.get(), p->subtarget.get());
  p->decoder.reset(target->createMCDisassembler(*p->subtarget, *p->context));
  p->printer.reset(target->createMCInstPrinter(triple, p->assembly->getAssemblerDialect(), *p->assembly,
                                               *p->instructions, *p->registers));
  p->analysis.reset(target->createMCInstrAnalysis(p->instructions.get()));
  if (p->decoder == nullptr || p->printer == nullptr || p->analysis == nullptr) return nullptr;
  for (const llvm::SubtargetFeatureKV& f : p->subtarget->getEnabledProcessorFeatures()) p->has.insert(f.Key);
  return std::unique_ptr<Decoder>(new Decoder(std::move(p)));
}

std::unique_ptr<Decoder> Decoder::of_firmware(const TargetSpec& target) {
  if (target.triple.starts_with("thumb") && target.triple.find("-none-") != std::string::npos)
    return create("thumbv8.1m.main-none-eabi", "", "+dsp,+mve.fp,+fp64,+fp-armv8d16");
  if (target.triple.starts_with("riscv32"))
    return create(target.triple, "", "+m,+a,+f,+d,+c,+zicsr,+zifencei,+zba,+zbb,+zbs");
  return nullptr;
}

bool Decoder::decode(std::span<const std::uint8_t> bytes, std::uint64_t at, llvm::MCInst& inst,
                     std::uint64_t& size) const {
  return parts_->decoder->getInstruction(inst, size, {bytes.data(), bytes.size()}, at, llvm::nulls()) ==
         llvm::MCDisassembler::Success;
}

std::string Decoder::text(const llvm::MCInst& inst, std::uint64_t at) const {
  std::string out;
  llvm::raw_string_ostream stream(out);
  parts_->printer->printInst(&inst, at, "", *parts_->subtarget, stream);
  std::replace(out.begin(), out.end(), '\t', ' ');
  const std::size_t first = out.find_first_not_of(' ');
  return out.substr(first == std::string::npos ? 0 : first);
}

std::string_view Decoder::opcode(const llvm::MCInst& inst) const {
  return parts_->instructions->getName(inst.getOpcode());
}
bool Decoder::has(std::string_view feature) const { return parts_->has.contains(feature); }
const llvm::MCInstrInfo& Decoder::instructions() const { return *parts_->instructions; }
const llvm::MCRegisterInfo& Decoder::registers() const { return *parts_->registers; }
const llvm::MCInstrAnalysis& Decoder::analysis() const { return *parts_->analysis; }

}  // namespace byoc
