#include "sdk/compile/llvm_module.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <array>

#include "sdk/compile/clang_driver.hpp"
#include "sdk/compile/worker.hpp"
#include "sdk/object/stack_note.hpp"

namespace byoc {
namespace {

// Do both triples name one target? Vendors are for people, and "thumbv7em-none-eabi" is normal for what Clang calls
// thumbv7em-unknown-none-eabi.
bool same_triple(const llvm::Triple& module, const llvm::Triple& target) {
  // GNU's name of all Arm bare-metal targets: says nothing of CPU and float convention.
  if (target.isARM() || target.isThumb()) {
    const bool general = (module.isARM() || module.isThumb()) && module.getSubArch() == llvm::Triple::NoSubArch &&
                         module.getEnvironment() == llvm::Triple::EABI && module.isLittleEndian();
    if (general && module.getOS() == target.getOS()) return true;
    // An "armv7em" module is Thumb code as well: those cores have nothing else.
    if (!(module.isARM() || module.isThumb()) || module.isLittleEndian() != target.isLittleEndian()) return false;
  } else if (module.getArch() != target.getArch()) {
    return false;
  }
  return module.getSubArch() == target.getSubArch() && module.getOS() == target.getOS() &&
         module.getEnvironment() == target.getEnvironment() && module.getObjectFormat() == target.getObjectFormat();
}

llvm::Triple parsed(const std::string& text) { return llvm::Triple(llvm::Triple::normalize(text)); }

// Architecture extensions whose code does not run everywhere; tuning features are no matter.
constexpr std::array kArmFeatures{"aclass",     "rclass",        "thumb2", "v7",     "v8m",       "v8m.main",
                                  "v8.1m.main", "hwdiv",         "dsp",    "vfp2sp", "vfp3d16sp", "vfp4d16sp",
                                  "fp64",       "fp-armv8d16sp", "neon",   "mve",    "mve.fp"};
constexpr std::array kRiscvFeatures{"m",   "a",   "f",   "d",   "c",   "e",   "v",
                                    "zba", "zbb", "zbc", "zbs", "zfh", "zcb", "zcmp"};

class ModuleCompiler {
 public:
  ModuleCompiler(const std::string& name, const TargetSpec& target, const CompileOptions& options, Diagnostics& diags)
      : name_(name), target_(target), options_(options), diags_(diags) {
    context_.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* self) { static_cast<ModuleCompiler*>(self)->report(*info); }, this);
  }

  Result<ObjectBytes> run(std::span<const std::byte> bytes) {
    if (!set_up() || !read(bytes) || !check_target() || !check_functions()) return failure;
    if (!options_.warnings) engine_->setIgnoreAllWarnings(true);
    module_->setTargetTriple(info_->getTriple().str());
    module_->setDataLayout(info_->getDataLayoutString());
    if (!target_.hosted) drop_unwinding();
    llvm::SmallVector<char, 0> object;
    clang::EmitBackendOutput(*engine_, invocation_->getHeaderSearchOpts(), invocation_->getCodeGenOpts(),
                             info_->getTargetOpts(), invocation_->getLangOpts(), info_->getDataLayoutString(),
                             module_.get(), clang::Backend_EmitObj, llvm::vfs::getRealFileSystem(),
                             std::make_unique<llvm::raw_svector_ostream>(object));
    if (engine_->hasErrorOccurred() || diags_.has_errors()) return failure;
    const auto* data = reinterpret_cast<const std::byte*>(object.data());
    ObjectBytes out(data, data + object.size());
    if (!target_.hosted) drop_stack_note(out);
    return out;
  }

 private:
  bool set_up() {
    std::vector<std::string> flags = clang_flags(target_);
    for (const std::string& f :
         {std::string("-ffunction-sections"), std::string("-fdata-sections"), std::string("-ffp-contract=off"),
          std::string("-fomit-frame-pointer"), std::string("-fno-addrsig"), "-O" + options_.opt_level})
      flags.push_back(f);
    auto made = compile::make_invocation(flags, diags_);
    if (!made) return false;
    invocation_ = *made;
    consumer_ = compile::make_diagnostic_consumer(name_, diags_);
    engine_ = llvm::makeIntrusiveRefCnt<clang::DiagnosticsEngine>(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                                                  &invocation_->getDiagnosticOpts(), consumer_.get(),
                                                                  /*ShouldOwnClient=*/false);
    info_ = clang::TargetInfo::CreateTargetInfo(*engine_,
                                                std::make_shared<clang::TargetOptions>(invocation_->getTargetOpts()));
    return info_ != nullptr;
  }

  bool read(std::span<const std::byte> bytes) {
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    llvm::SMDiagnostic problem;
    module_ = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(text, name_), problem, context_);
    if (!module_) {
      const bool placed = problem.getLineNo() > 0;
      diags_.error(
          name_ + (placed ? ":" + std::to_string(problem.getLineNo()) + ":" + std::to_string(problem.getColumnNo() + 1)
                          : ""),
          {}, "is not an LLVM module: " + problem.getMessage().str());
      return false;
    }
    std::string text_of_problems;
    llvm::raw_string_ostream out(text_of_problems);
    if (!llvm::verifyModule(*module_, &out)) return true;
    diags_.error(name_, {}, "is not a valid LLVM module: " + text_of_problems.substr(0, text_of_problems.find('\n')));
    return false;
  }

  bool check_target() {
    const llvm::Triple expected = info_->getTriple();
    const std::string triple = module_->getTargetTriple(), layout = module_->getDataLayoutStr();
    if (!triple.empty() && !same_triple(parsed(triple), expected)) {
      diags_.error(name_, {}, "is for another target than " + target_.name + ": triple", triple, expected.str());
      return false;
    }
    if (!layout.empty() && layout != info_->getDataLayoutString()) {
      diags_.error(name_, {}, "is for another target than " + target_.name + ": data layout", layout,
                   info_->getDataLayoutString());
      return false;
    }
    return true;
  }

  // Without exceptions (check_functions) nothing unwinds, and C compiled for bare metal says so of every function.
  // If it is not said, each gets an unwind table, and on Arm the table pulls libgcc's unwinder into the firmware.
  void drop_unwinding() {
    for (llvm::Function& f : *module_)
      if (!f.isDeclaration() && !f.hasUWTable()) f.setDoesNotThrow();
  }

  // What single functions were compiled for. On bare metal nothing dispatches between CPUs at run time.
  bool check_functions() {
    if (target_.hosted) return true;
    const clang::TargetOptions& options = info_->getTargetOpts();
    const auto ours = subtarget(options.CPU, join(options.Features));
    if (!ours) return true;
    bool ok = true;
    for (const llvm::Function& f : *module_) {
      if (f.isDeclaration()) continue;
      const std::string place =
          "function '" + f.getName().str() + "' is for another target than " + target_.name + ": ";
      if (f.hasPersonalityFn()) {
        diags_.error(name_, {}, "function '" + f.getName().str() + "' handles exceptions",
                     f.getPersonalityFn()->getName().str(), "no exceptions on bare metal");
        ok = false;
        continue;
      }
      if (target_.float_abi == "hard" && f.getFnAttribute("use-soft-float").getValueAsBool()) {
        diags_.error(name_, {}, place + "float convention", "soft", "hard");
        ok = false;
        continue;
      }
      if (!f.hasFnAttribute("target-cpu") && !f.hasFnAttribute("target-features")) continue;
      const llvm::StringRef cpu = f.getFnAttribute("target-cpu").getValueAsString();
      const llvm::StringRef features = f.getFnAttribute("target-features").getValueAsString();
      const auto theirs = subtarget(cpu.empty() ? options.CPU : cpu.str(), features.str());
      const std::string extra = theirs ? more_than(*theirs, *ours) : "";
      if (extra.empty()) continue;
      diags_.error(name_, {}, place + "needs " + extra, cpu.empty() ? features.str() : cpu.str(),
                   target_.cpu.empty() ? target_.march : target_.cpu);
      ok = false;
    }
    return ok;
  }

  static std::string join(const std::vector<std::string>& features) {
    std::string out;
    for (const std::string& f : features) out += (out.empty() ? "" : ",") + f;
    return out;
  }

  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(const std::string& cpu, const std::string& features) const {
    std::string ignored;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(info_->getTriple().str(), ignored);
    if (!target) return nullptr;
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(info_->getTriple().str(), cpu, features));
  }

  // The first feature that `a` has and `b` has not, or "".
  std::string more_than(const llvm::MCSubtargetInfo& a, const llvm::MCSubtargetInfo& b) const {
    const auto first = [&](const auto& names) -> std::string {
      for (const char* name : names) {
        const std::string feature = std::string("+") + name;
        if (a.checkFeatures(feature) && !b.checkFeatures(feature)) return name;
      }
      return {};
    };
    if (!info_->getTriple().isThumb()) return info_->getTriple().isRISCV() ? first(kRiscvFeatures) : std::string();
    if (!a.checkFeatures("+thumb-mode")) return "ARM state";
    return first(kArmFeatures);
  }

  void report(const llvm::DiagnosticInfo& info) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) diags_.error(name_, {}, text);
    if (info.getSeverity() == llvm::DS_Warning && options_.warnings) diags_.warning(name_, {}, text);
  }

  const std::string& name_;
  const TargetSpec& target_;
  const CompileOptions& options_;
  Diagnostics& diags_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::shared_ptr<clang::CompilerInvocation> invocation_;
  std::unique_ptr<clang::DiagnosticConsumer> consumer_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine_;
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> info_;
};

}  // namespace

Result<ObjectBytes> compile_llvm_module(const std::string& name, std::span<const std::byte> module,
                                        const TargetSpec& target, const CompileOptions& options, Diagnostics& diags) {
  compile::initialise_llvm();  // here, so that every worker has it for nothing
  return compile::run_in_worker(
      name, [&](Diagnostics& own) { return ModuleCompiler(name, target, options, own).run(module); }, diags,
      options.limits);
}

}  // namespace byoc
