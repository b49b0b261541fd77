#include "sdk/library/compile/clang_driver.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetOptions.h>
#include <clang/Basic/Version.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>
#include <new>

#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/machine_headers.hpp"

namespace byoc::compile {
namespace {

std::string without_folder(std::string path) {
  const std::string folder = kVirtualFolder;
  if (path.starts_with(folder)) path.erase(0, folder.size());
  return path;
}

class DiagnosticReader : public clang::DiagnosticConsumer {
 public:
  DiagnosticReader(std::string what, Diagnostics& diags) : what_(std::move(what)), diags_(diags) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Note || level == clang::DiagnosticsEngine::Remark) return;
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    Diagnostic d;
    d.level = level >= clang::DiagnosticsEngine::Error     ? Level::error
              : level == clang::DiagnosticsEngine::Warning ? Level::warning
                                                           : Level::note;
    d.file = what_;
    d.message = text.str().str();
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (place.isValid())
        d.file = without_folder(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
                 std::to_string(place.getColumn());
    }
    diags_.add(std::move(d));
  }

 private:
  std::string what_;
  Diagnostics& diags_;
};

// Turns off a pass of LLVM 19 for MVE. It makes gathers and scatters from loops; if it merges the advance of their
// addresses into the access, it advances them by four times the step. Gathers and scatters from intrinsics are correct.
void mend_llvm() {
  auto& options = llvm::cl::getRegisteredOptions();
  constexpr llvm::StringRef kGathers = "enable-arm-maskedgatscat";
  const auto found = options.find(kGathers);
  if (found != options.end()) found->second->addOccurrence(0, kGathers, "false");
}

}  // namespace

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The handler for memory that LLVM allocates without operator new.
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) {
      if (const std::new_handler handler = std::get_new_handler()) handler();
      no_memory();
    });
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmParser();
    LLVMInitializeARMAsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmParser();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmParser();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86AsmPrinter();
    mend_llvm();
  });
}

std::string clang_identity() { return "clang " CLANG_VERSION_STRING; }

std::unique_ptr<clang::DiagnosticConsumer> make_diagnostic_consumer(const std::string& what, Diagnostics& diags) {
  return std::make_unique<DiagnosticReader>(what, diags);
}

Result<std::shared_ptr<clang::CompilerInvocation>> make_invocation(const std::vector<std::string>& flags,
                                                                   Diagnostics& diags, const std::string& suffix) {
  initialise_llvm();
  const std::string input = kVirtualFolder + ("input" + suffix);
  std::vector<const char*> args{"clang"};
  for (const std::string& f : flags) args.push_back(f.c_str());
  const std::string resources = "-resource-dir=" + resource_directory();
  for (const char* a : {resources.c_str(), "-c", input.c_str(), "-o", "output.o"}) args.push_back(a);

  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  const auto consumer = make_diagnostic_consumer("clang", diags);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  clang::DiagnosticsEngine engine(ids, options, consumer.get(), /*ShouldOwnClient=*/false);
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> nothing(new llvm::vfs::InMemoryFileSystem);
  clang::driver::Driver driver("clang", "unknown-unknown-unknown", engine, "byoc", nothing);
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(args));
  if (!compilation || engine.hasErrorOccurred() || compilation->getJobs().size() != 1) {
    if (!diags.has_errors()) diags.error("clang", {}, "cannot make a compile job of its options");
    return failure;
  }
  const clang::driver::Command& job = *compilation->getJobs().begin();
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, job.getArguments(), engine)) return failure;
  call_c_library_by_name(invocation->getTargetOpts());
  return invocation;
}

void call_c_library_by_name(clang::TargetOptions& options) {
  const llvm::Triple triple(options.Triple);
  if ((triple.isARM() || triple.isThumb()) && triple.getOS() == llvm::Triple::UnknownOS &&
      options.EABIVersion == llvm::EABI::Default)
    options.EABIVersion = llvm::EABI::GNU;
}

}  // namespace byoc::compile
