#include "sdk/library/compile/compilers.hpp"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <filesystem>

#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/clang_driver.hpp"
#include "sdk/library/compile/clang_files.hpp"
#include "sdk/library/compile/llvm_module.hpp"
#include "sdk/library/compile/machine_headers.hpp"
#include "sdk/library/compile/mve_comparisons.hpp"
#include "sdk/library/object/stack_note.hpp"

namespace byoc::compile {
namespace {

namespace vfs = llvm::vfs;

// The part of this machine's file system that a FileLog allows, or, `open`, all of it.
class AllowedFiles : public vfs::ProxyFileSystem {
 public:
  AllowedFiles(FileLog& log, bool open) : ProxyFileSystem(vfs::getRealFileSystem()), log_(log), open_(open) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    if (!allows(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(path);
  }
  bool exists(const llvm::Twine& path) override { return static_cast<bool>(status(path)); }
  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (!allows(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    auto file = ProxyFileSystem::openFileForRead(path);
    if (file) log_.add(path.str());
    return file;
  }
  vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override {
    if (allows(path)) return ProxyFileSystem::dir_begin(path, error);
    error = std::make_error_code(std::errc::no_such_file_or_directory);
    return {};
  }

 private:
  bool allows(const llvm::Twine& path) const { return open_ || log_.allows(path.str()); }

  FileLog& log_;
  bool open_;
};

// Writes a precompiled header into memory, without times in it.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer) : buffer_(std::move(buffer)) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(instance.getPreprocessor(), instance.getModuleCache(), "prefix.pch",
                                                 "", buffer_, instance.getFrontendOpts().ModuleFileExtensions,
                                                 /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// Keeps the text; Clang's own action writes it to a file.
class PreprocessAction : public clang::PreprocessorFrontendAction {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }

 protected:
  void ExecuteAction() override {
    llvm::raw_string_ostream out(text_);
    clang::CompilerInstance& instance = getCompilerInstance();
    clang::DoPrintPreprocessedInput(instance.getPreprocessor(), &out, instance.getPreprocessorOutputOpts());
  }
  bool hasPCHSupport() const override { return true; }

 private:
  std::string text_;
};

// An action that looks at the source by the way.
template <class Action>
class CheckedAction : public Action {
 public:
  template <class... Arguments>
  CheckedAction(const SourceRules& rules, std::vector<SourceFinding>& findings, Arguments... arguments)
      : Action(arguments...), rules_(rules), findings_(findings) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.emplace_back(make_source_check(instance, rules_, findings_));
    both.push_back(Action::CreateASTConsumer(instance, file));
    if (both.front() == nullptr || both.back() == nullptr) return nullptr;
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

 private:
  const SourceRules& rules_;
  std::vector<SourceFinding>& findings_;
};

// Module-level assembly, line by line, as LLVM's text has it.
std::string module_of_assembly(std::string_view text) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "module asm \"";
    for (const char c : text.substr(at, end - at)) {
      const auto u = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\' || u < 0x20 || u >= 0x7f)
        out += {'\\', kHex[u >> 4], kHex[u & 15]};
      else
        out += c;
    }
    out += "\"\n";
    at = end + 1;
  }
  return out;
}

constexpr const char* kPrefixHeader = "#include <arm_mve.h>\n";

std::string prefix_path() { return std::string(kVirtualFolder) + "prefix.h"; }
std::string prefix_pch_path() { return std::string(kVirtualFolder) + "prefix.pch"; }

// True if a line of `text` includes a header, under any condition. Comments may name one.
bool includes(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t start = text.rfind('\n', at) + 1;  // 0 behind npos
    const std::size_t first = text.find_first_not_of(" \t", start);
    if (text[first] == '#' && text.substr(first, at - first).find("include") != std::string::npos) return true;
  }
  return false;
}

// True if `text`, or a given header that it includes, includes arm_mve.h.
bool wants_mve(const std::string& text, const HeaderMap& headers, std::set<std::string>& visited) {
  if (includes(text, "arm_mve.h")) return true;
  for (const auto& [name, header] : headers)
    if (includes(text, name) && visited.insert(name).second && wants_mve(header, headers, visited)) return true;
  return false;
}

class ClangCompiler : public CheckingCompiler {
 public:
  ClangCompiler(const TargetSpec& target, const CompileOptions& options)
      : target_(target), options_(options), log_(readable(target)) {
    flags_ = clang_flags(target);
    for (const std::string& f : language_flags(options)) flags_.push_back(f);
    for (const std::string& d : options.defines) flags_.push_back("-D" + d);
    // The compilation folder is ".", because this process's folder would be recorded in the object.
    if (options.debug_info)
      for (const char* f : {debug_option(target), "-fdebug-compilation-dir=."}) flags_.emplace_back(f);
    // -nostdlibinc: this machine's C library is never a fallback. arm-none-eabi keeps frame pointers by default.
    for (const char* f : {"-fomit-frame-pointer", "-fno-addrsig", "-nostdlibinc", "-ffile-prefix-map=/byoc/="})
      flags_.emplace_back(f);
  }

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    if (source.language == "assembly") return assemble(source, headers, diags);
    llvm::LLVMContext context;
    if (options_.bitcode) {
      clang::EmitBCAction action(&context);
      return run(action, source, headers, diags);
    }
    clang::EmitObjAction action(&context);
    return run(action, source, headers, diags);
  }

  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const SourceRules& rules,
                                      std::vector<SourceFinding>& findings, Diagnostics& diags) override {
    llvm::LLVMContext context;
    if (options_.bitcode) {
      CheckedAction<clang::EmitBCAction> action(rules, findings, &context);
      return run(action, source, headers, diags);
    }
    CheckedAction<clang::EmitObjAction> action(rules, findings, &context);
    return run(action, source, headers, diags);
  }

  Result<void> check(const Source& source, const HeaderMap& headers, const SourceRules& rules,
                     std::vector<SourceFinding>& findings, Diagnostics& diags) override {
    CheckedAction<clang::SyntaxOnlyAction> action(rules, findings);
    return run(action, source, headers, diags) ? Result<void>() : failure;
  }

 private:
  std::string level_of(const Source& source) const {
    return source.opt_level.empty() ? options_.opt_level : source.opt_level;
  }

  bool wants_prefix(const Source& source, const HeaderMap& headers) const {
    std::set<std::string> visited;
    return target_.has("mve") && source.standard.empty() && source.language == "c" && source.flags.empty() &&
           wants_mve(source.text, headers, visited);
  }

  Result<ObjectBytes> run(clang::FrontendAction& action, const Source& source, const HeaderMap& headers,
                          Diagnostics& diags) {
    const std::string level = level_of(source);
    auto base = invocation(level, source, diags);
    if (!base) return failure;
    auto own = std::make_shared<clang::CompilerInvocation>(**base);
    const std::string file = source.name + suffix_of(source.language), path = kVirtualFolder + file;
    llvm::IntrusiveRefCntPtr<vfs::InMemoryFileSystem> memory(new vfs::InMemoryFileSystem);
    add_file(*memory, path, source.text);
    for (const auto& [name, text] : headers) add_file(*memory, kVirtualFolder + name, text);
    if (wants_prefix(source, headers)) {
      auto pch = precompiled(level, diags);
      if (!pch) return failure;
      add_file(*memory, prefix_path(), kPrefixHeader);
      add_file(*memory, prefix_pch_path(), llvm::StringRef((*pch)->Data.data(), (*pch)->Data.size()));
      own->getPreprocessorOpts().ImplicitPCHInclude = prefix_pch_path();
    }
    own->getFrontendOpts().Inputs = {clang::FrontendInputFile(path, clang::InputKind(language_of(source)))};
    own->getCodeGenOpts().MainFileName = file;
    mend_mve_comparisons(target_, own->getCodeGenOpts());
    auto& search = own->getHeaderSearchOpts();
    search.AddPath(kVirtualFolder, clang::frontend::Angled, false, true);
    if (!source.directory.empty()) search.AddPath(source.directory, clang::frontend::Quoted, false, true);
    for (const std::string& d : source.include_directories) search.AddPath(d, clang::frontend::Angled, false, true);

    const NoBadAlloc no_bad_alloc;
    llvm::SmallVector<char, 0> object;
    clang::CompilerInstance instance;
    set_up(instance, own, file, memory,
           source.include_directories.empty() ? source.directory : source.include_directories[0], diags);
    instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
    if (!instance.ExecuteAction(action) || instance.getDiagnostics().hasErrorOccurred()) {
      if (!diags.has_errors()) diags.error(file, {}, "cannot be compiled");
      return failure;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
    ObjectBytes out(bytes, bytes + object.size());
    if (source.language == "assembly") return out;
    if (!target_.hosted && !options_.bitcode && !out.empty()) drop_stack_note(out);
    return out;
  }

  // Preprocessed, and assembled by LLVM as what an otherwise empty module says.
  Result<ObjectBytes> assemble(const Source& source, const HeaderMap& headers, Diagnostics& diags) {
    PreprocessAction action;
    if (!run(action, source, headers, diags)) return failure;
    const std::string module = module_of_assembly(action.text());
    CompileOptions how = options_;
    how.bitcode = false;
    auto object = compile_llvm_module(source.name + suffix_of(source.language), std::as_bytes(std::span(module)),
                                      target_, how, diags);
    if (object && !target_.hosted && !object->empty()) drop_stack_note(*object);
    return object;
  }

  static clang::Language language_of(const Source& source) {
    if (source.language == "c++") return clang::Language::CXX;
    return source.language == "assembly" ? clang::Language::Asm : clang::Language::C;
  }

 public:
  [[nodiscard]] std::string identity() const override { return clang_identity(); }
  // The folders are those of the target's description, wherever its headers are: names of kernels depend on the flags.
  [[nodiscard]] std::string flags() const override {
    std::string out;
    for (const std::string& f : with_folders(target_.include_dirs)) out += (out.empty() ? "" : " ") + f;
    if (options_.bitcode) out += " -emit-llvm";
    return out;
  }
  [[nodiscard]] std::vector<std::string> driver_flags() const override {
    std::vector<std::string> out = with_folders(c_library_folders(target_));
    if (!bundled_root().empty()) out.push_back("-ffile-prefix-map=" + bundled_root() + "=");
    return out;
  }
  [[nodiscard]] std::vector<std::string> files_read() const override { return log_.read(); }

  // The invocation that the driver makes of the flags at one optimisation level, in the source's language and with the
  // source's own flags; made once.
  Result<std::shared_ptr<const clang::CompilerInvocation>> invocation(const std::string& level, const Source& source,
                                                                      Diagnostics& diags) {
    const NoBadAlloc no_bad_alloc;
    const std::lock_guard lock(mutex_);
    const std::vector<std::string> own = flags_of_source(source);
    std::string key = level + " " + source.language;
    for (const std::string& f : own) key += " " + f;
    auto& entry = invocations_[key];
    if (!entry) {
      std::vector<std::string> flags = driver_flags();
      flags.push_back("-O" + level);
      flags.insert(flags.end(), own.begin(), own.end());
      if (source.language == "assembly") flags.emplace_back("-E");
      auto made = make_invocation(flags, diags, suffix_of(source.language));
      if (!made) return failure;
      // The driver assumes that the process ends after one file and that nothing needs to be freed.
      (*made)->getFrontendOpts().DisableFree = false;
      (*made)->getCodeGenOpts().DisableFree = false;
      (*made)->getDiagnosticOpts().ShowCarets = false;
      // All modules are optimised together, once.
      if (options_.bitcode) (*made)->getCodeGenOpts().DisableLLVMPasses = true;
      entry = *made;
    }
    return entry;
  }

 private:
  [[nodiscard]] std::vector<std::string> with_folders(const std::vector<std::string>& folders) const {
    std::vector<std::string> out = flags_;
    for (const std::string& d : folders) {
      out.emplace_back("-isystem");
      out.push_back(d);
    }
    return out;
  }

  static std::vector<std::string> readable(const TargetSpec& target) {
    std::vector<std::string> roots = c_library_folders(target);
    roots.push_back(resource_directory());
    return roots;
  }

  static void add_file(vfs::InMemoryFileSystem& fs, const std::string& path, llvm::StringRef text) {
    // The text is not copied: it lives longer than the file system.
    fs.addFileNoOwn(path, 0, llvm::MemoryBufferRef(text, path));
  }

  void set_up(clang::CompilerInstance& instance, std::shared_ptr<clang::CompilerInvocation> own,
              const std::string& what, llvm::IntrusiveRefCntPtr<vfs::InMemoryFileSystem> memory,
              const std::string& directory, Diagnostics& diags) {
    // A user's own sources may include what lies beside them, so for those only the search path is closed.
    const auto real = llvm::makeIntrusiveRefCnt<AllowedFiles>(log_, !directory.empty());
    llvm::IntrusiveRefCntPtr<vfs::OverlayFileSystem> files(new vfs::OverlayFileSystem(real));
    files->pushOverlay(memory);
    instance.setInvocation(std::move(own));
    instance.createDiagnostics(make_diagnostic_consumer(what, diags).release(), /*ShouldOwnClient=*/true);
    instance.createFileManager(files);
    instance.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  }

  // arm_mve.h, parsed once: 44 ms, which each kernel would pay for itself otherwise.
  Result<std::shared_ptr<clang::PCHBuffer>> precompiled(const std::string& level, Diagnostics& diags) {
    auto base = invocation(level, Source{}, diags);
    if (!base) return failure;
    // Levels differ in __OPTIMIZE__ and __OPTIMIZE_SIZE__, and a precompiled header must agree about those.
    const std::string kind = level == "s" || level == "z" ? "size" : level == "0" ? "none" : "speed";
    const std::lock_guard lock(pch_mutex_);
    std::shared_ptr<clang::PCHBuffer>& entry = pch_[kind];
    if (entry) return entry;
    auto own = std::make_shared<clang::CompilerInvocation>(**base);
    own->getFrontendOpts().Inputs = {
        clang::FrontendInputFile(prefix_path(), clang::InputKind(clang::Language::C).getHeader())};
    own->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
    llvm::IntrusiveRefCntPtr<vfs::InMemoryFileSystem> memory(new vfs::InMemoryFileSystem);
    add_file(*memory, prefix_path(), kPrefixHeader);
    clang::CompilerInstance instance;
    set_up(instance, own, "arm_mve.h", memory, {}, diags);
    auto buffer = std::make_shared<clang::PCHBuffer>();
    PrecompileAction action(buffer);
    if (!instance.ExecuteAction(action) || !buffer->IsComplete) {
      if (!diags.has_errors()) diags.error("arm_mve.h", {}, "cannot be precompiled");
      return failure;
    }
    entry = std::move(buffer);
    return entry;
  }

  TargetSpec target_;
  CompileOptions options_;
  std::vector<std::string> flags_;
  FileLog log_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const clang::CompilerInvocation>> invocations_;
  std::mutex pch_mutex_;
  std::map<std::string, std::shared_ptr<clang::PCHBuffer>> pch_;
};

}  // namespace

Result<std::unique_ptr<CheckingCompiler>> make_clang_compiler(const TargetSpec& target, const CompileOptions& options,
                                                              Diagnostics& diags) {
  std::error_code ignored;
  const std::string stddef = resource_directory() + "/include/stddef.h";
  if (!std::filesystem::exists(stddef, ignored))
    return diags.error(stddef, {}, "Clang's own headers are not installed", "nothing there",
                       "the package libclang-common-19-dev");
  if (!target.include_dirs.empty() && !have_c_library(c_library_folders(target)))
    return diags.error(target.include_dirs.front(), target.name, "the C library's headers are not installed",
                       "no string.h there", package_hint(target, "headers"));
  auto compiler = std::make_unique<ClangCompiler>(target, options);
  if (!compiler->invocation(options.opt_level, Source{}, diags)) return failure;
  return std::unique_ptr<CheckingCompiler>(std::move(compiler));
}

}  // namespace byoc::compile
