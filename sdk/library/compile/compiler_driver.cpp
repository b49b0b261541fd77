#include "sdk/library/compile/compiler_driver.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Options.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "sdk/library/compile/clang_driver.hpp"
#include "sdk/library/compile/machine_headers.hpp"
#include "sdk/library/compile/mve_comparisons.hpp"
#include "sdk/library/object/stack_note.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::compile {
namespace {

using clang::frontend::ActionKind;

bool names_target(const std::string& word) {
  const auto& known = known_targets();
  return word.ends_with(".json") || word.find(' ') != std::string::npos ||
         std::any_of(known.begin(), known.end(), [&](const TargetSpec& t) { return t.name == word; });
}

// The flags for a target of byoc's; its C library is the only one.
Result<void> add_target(const std::string& word, std::vector<std::string>& out, Diagnostics& diags) {
  const auto target = resolve_target(word, diags);
  if (!target) return failure;
  for (std::string& flag : clang_flags(*target)) out.push_back(std::move(flag));
  out.emplace_back("-nostdlibinc");
  for (const std::string& folder : c_library_folders(*target)) out.insert(out.end(), {"-isystem", folder});
  return {};
}

Result<std::vector<std::string>> with_targets(std::span<const std::string> arguments, Diagnostics& diags) {
  constexpr std::string_view kJoined = "--target=";
  std::vector<std::string> out{"--no-default-config", "-Qunused-arguments"};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool apart = (word == "-target" || word == "--target") && i + 1 < arguments.size();
    const std::string target = apart                       ? arguments[i + 1]
                               : word.starts_with(kJoined) ? word.substr(kJoined.size())
                                                           : std::string();
    if (target.empty() || !names_target(target)) {
      out.push_back(word);
      continue;
    }
    if (!add_target(target, out, diags)) return failure;
    i += apart ? 1 : 0;
  }
  // distcc sends preprocessed sources, and -Wpedantic warns about their line markers.
  if (!llvm::is_contained(out, "--")) out.emplace_back("-Wno-gnu-line-marker");
  return out;
}

std::unique_ptr<clang::FrontendAction> action_of(ActionKind kind, llvm::LLVMContext& context) {
  switch (kind) {
    case ActionKind::EmitObj: return std::make_unique<clang::EmitObjAction>(&context);
    case ActionKind::EmitAssembly: return std::make_unique<clang::EmitAssemblyAction>(&context);
    case ActionKind::EmitBC: return std::make_unique<clang::EmitBCAction>(&context);
    case ActionKind::EmitLLVM: return std::make_unique<clang::EmitLLVMAction>(&context);
    case ActionKind::ParseSyntaxOnly: return std::make_unique<clang::SyntaxOnlyAction>();
    case ActionKind::PrintPreprocessedInput: return std::make_unique<clang::PrintPreprocessedAction>();
    case ActionKind::RunPreprocessorOnly: return std::make_unique<clang::PreprocessOnlyAction>();
    default: return nullptr;
  }
}

// -mllvm, which LLVM keeps for the whole process.
void set_llvm_options(const std::vector<std::string>& options) {
  if (options.empty()) return;
  std::vector<const char*> words{"clang (LLVM option parsing)"};
  for (const std::string& o : options) words.push_back(o.c_str());
  llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data());
}

bool write_object(const std::string& path, llvm::StringRef bytes, const char* program) {
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream& out) {
    out << bytes;
    return llvm::Error::success();
  });
  if (!error) return true;
  llvm::errs() << program << ": error: " << path << ": " << llvm::toString(std::move(error)) << "\n";
  return false;
}

// A job that the driver would start itself again for, in this process, as an export does it. Objects of both are the
// same.
bool run_frontend(llvm::ArrayRef<const char*> arguments, const char* program) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  auto* buffer = new clang::TextDiagnosticBuffer;
  clang::DiagnosticsEngine early(ids, options, buffer);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  const bool understood = clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, early, program);
  llvm::LLVMContext context;
  clang::CompilerInstance instance;
  invocation->getFrontendOpts().DisableFree = invocation->getCodeGenOpts().DisableFree = false;
  call_c_library_by_name(invocation->getTargetOpts());
  const bool mve = llvm::is_contained(invocation->getTargetOpts().FeaturesAsWritten, "+mve");
  if (mve) mend_mve_comparisons(invocation->getCodeGenOpts());
  const llvm::Triple triple(invocation->getTargetOpts().Triple);
  const ActionKind kind = invocation->getFrontendOpts().ProgramAction;
  instance.setInvocation(std::move(invocation));
  instance.createDiagnostics();
  buffer->FlushDiagnostics(instance.getDiagnostics());
  if (!understood) return false;
  set_llvm_options(instance.getFrontendOpts().LLVMArgs);
  const auto action = action_of(kind, context);
  if (action == nullptr) {
    llvm::errs() << program << ": error: this is not among what it does: -c, -S, -E, -M, -fsyntax-only\n";
    return false;
  }
  llvm::SmallVector<char, 0> object;
  const bool bare = kind == ActionKind::EmitObj && triple.getOS() == llvm::Triple::UnknownOS;
  if (bare) instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  if (!instance.ExecuteAction(*action) || instance.getDiagnostics().hasErrorOccurred()) return false;
  if (!bare) return true;
  drop_stack_note(std::as_writable_bytes(std::span(object.data(), object.size())));
  return write_object(instance.getFrontendOpts().OutputFile, {object.data(), object.size()}, program);
}

bool asks_version(std::span<const std::string> arguments) { return llvm::is_contained(arguments, "--version"); }

int run_jobs(const clang::driver::Compilation& compilation, const char* program) {
  for (const clang::driver::Command& job : compilation.getJobs()) {
    const llvm::ArrayRef<const char*> arguments = job.getArguments();
    if (arguments.empty() || llvm::StringRef(arguments[0]) != "-cc1") {
      llvm::errs() << program << ": error: it compiles C and C++, and neither assembles nor links: -c is missing, or "
                   << "this is assembly\n";
      return 1;
    }
  }
  int code = 0;
  for (const clang::driver::Command& job : compilation.getJobs())
    if (!run_frontend(llvm::ArrayRef(job.getArguments()).drop_front(), program)) code = 1;
  return code;
}

}  // namespace

int run_compiler_driver(const std::string& program, std::span<const std::string> arguments, Diagnostics& diags) {
  initialise_llvm();
  const auto words = with_targets(arguments, diags);
  if (!words) return 1;
  std::vector<const char*> argv{program.c_str()};
  for (const std::string& w : *words) argv.push_back(w.c_str());
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*, 64> expanded(argv.begin(), argv.end());
  llvm::cl::ExpansionContext files(allocator, llvm::cl::TokenizeGNUCommandLine);
  if (auto error = files.expandResponseFiles(expanded)) {
    llvm::errs() << program << ": error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options =
      clang::CreateAndPopulateDiagOpts(llvm::ArrayRef<const char*>(expanded)).release();
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  auto* printer = new clang::TextDiagnosticPrinter(llvm::errs(), options.get());
  printer->setPrefix(program);
  clang::DiagnosticsEngine engine(ids, options, printer);
  clang::ProcessWarningOptions(engine, *options, /*ReportDiags=*/false);
  clang::driver::Driver driver(llvm::sys::fs::getMainExecutable(nullptr, nullptr), llvm::sys::getDefaultTargetTriple(),
                               engine, "byoc cc: clang");
  driver.ResourceDir = resource_directory();
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(expanded));
  if (asks_version(*words)) llvm::outs() << "byoc " BYOC_VERSION "\n";
  llvm::outs().flush();
  if (!compilation || compilation->containsError() || engine.hasErrorOccurred()) return 1;
  if (compilation->getArgs().hasArg(clang::driver::options::OPT__HASH_HASH_HASH)) {
    compilation->getJobs().Print(llvm::errs(), "\n", /*Quote=*/true);
    return 0;
  }
  const int code = run_jobs(*compilation, program.c_str());
  compilation->CleanupFileList(compilation->getTempFiles());
  return code;
}

}  // namespace byoc::compile
