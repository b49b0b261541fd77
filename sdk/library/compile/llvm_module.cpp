#include "sdk/library/compile/llvm_module.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/RuntimeLibcalls.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <array>
#include <optional>

#include "sdk/base/support/message.hpp"
#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/clang_driver.hpp"
#include "sdk/library/compile/jobs.hpp"
#include "sdk/library/compile/mve_comparisons.hpp"
#include "sdk/library/compile/object_cache.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/object/stack_note.hpp"

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
  // `name` is that of the whole.
  ModuleCompiler(std::string name, const TargetSpec& target, const CompileOptions& options, Diagnostics& diags)
      : name_(std::move(name)), target_(target), options_(options), diags_(diags) {
    context_.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* self) { static_cast<ModuleCompiler*>(self)->report(*info); }, this);
  }

  Result<ObjectBytes> run(std::span<const std::byte> bytes) {
    if (!set_up() || !take(bytes)) return failure;
    return emit();
  }

  Result<LinkedModule> link(std::span<const LinkInput> inputs, const std::set<std::string>& needed) {
    if (!set_up()) return failure;
    const std::string whole = name_;
    auto all = std::make_unique<llvm::Module>(whole, context_);
    if (!inputs.empty()) all->setSourceFileName(inputs.front().name);  // objects keep the last part of its path
    all->setTargetTriple(info_->getTriple().str());
    all->setDataLayout(info_->getDataLayoutString());
    llvm::Linker linker(*all);
    LinkedModule out;
    std::set<std::string> kept = needed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      name_ = inputs[i].name;
      const Diagnostics::Origin origin(diags_, inputs[i].codegen);
      if (!take(inputs[i].bytes)) continue;
      note_definitions(inputs, i, out.defined, kept);
      if (!diags_.has_errors() && linker.linkInModule(std::move(module_)) && !diags_.has_errors())
        diags_.error(name_, {}, "cannot be linked with the modules before it");
    }
    name_ = whole;
    if (diags_.has_errors()) return failure;
    module_ = std::move(all);
    // The code generator calls these by itself.
    llvm::RTLIB::RuntimeLibcallsInfo calls(info_->getTriple());
    for (const char* call : calls.getLibcallNames())
      if (call != nullptr) kept.insert(call);
    llvm::internalizeModule(*module_, [&](const llvm::GlobalValue& g) { return kept.contains(g.getName().str()); });
    auto object = emit();
    if (!object) return failure;
    out.object = std::move(*object);
    return out;
  }

 private:
  // Reads and checks a module, which is one of the target's then.
  bool take(std::span<const std::byte> bytes) {
    if (!read(bytes) || !check_target() || !check_functions()) return false;
    take_enum_size();
    module_->setTargetTriple(info_->getTriple().str());
    module_->setDataLayout(info_->getDataLayoutString());
    if (!target_.hosted) drop_unwinding();
    return true;
  }

  void note_definitions(std::span<const LinkInput> inputs, std::size_t i, std::map<std::string, std::size_t>& defined,
                        std::set<std::string>& kept) {
    for (const llvm::GlobalValue& g : module_->global_values()) {
      if (g.isDeclarationForLinker() || g.hasLocalLinkage() || g.hasAppendingLinkage()) continue;
      const std::string symbol = g.getName().str();
      if (inputs[i].visible) kept.insert(symbol);
      const auto [other, is_new] = defined.emplace(symbol, i);
      if (!is_new && !g.isWeakForLinker() && strong_.contains(symbol))
        diags_.error(name_, symbol, "defines a symbol that another module defines", inputs[other->second].name, "one");
      if (g.isWeakForLinker()) continue;
      strong_.insert(symbol);
      other->second = i;
    }
  }

  Result<ObjectBytes> emit() {
    if (!options_.warnings) engine_->setIgnoreAllWarnings(true);
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

  bool set_up() {
    std::vector<std::string> flags = clang_flags(target_);
    for (const std::string& f :
         {std::string("-ffunction-sections"), std::string("-fdata-sections"), std::string("-ffp-contract=off"),
          std::string("-fomit-frame-pointer"), std::string("-fno-addrsig"), "-O" + options_.opt_level})
      flags.push_back(f);
    auto made = compile::make_invocation(flags, diags_);
    if (!made) return false;
    invocation_ = *made;
    mend_mve_comparisons(target_, invocation_->getCodeGenOpts());
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
    constexpr const char* kDwarf = "Dwarf Version";
    if (compile::wants_dwarf_4(target_) && module_->getModuleFlag(kDwarf) != nullptr)
      module_->setModuleFlag(llvm::Module::Max, kDwarf, 4);
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

  // Clang notes the size of enums in every module, whether there is one in it or not, and with the other size than its
  // firmware's every link would end in a warning. It changes nothing in the code.
  void take_enum_size() {
    constexpr llvm::StringRef kFlag = "min_enum_size";
    const auto* found = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module_->getModuleFlag(kFlag));
    const std::uint64_t expected = target_.short_enums ? 1 : 4;
    if (found == nullptr || found->getZExtValue() == expected) return;
    const auto text = [](bool is_short) { return is_short ? "short enums" : "32-bit enums"; };
    diags_.warning(name_, {}, "was compiled with enums of another size than those of " + target_.name,
                   text(found->getZExtValue() == 1), text(target_.short_enums));
    auto* value = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), expected);
    module_->setModuleFlag(llvm::Module::Error, kFlag, llvm::ConstantAsMetadata::get(value));
  }

  // Without exceptions (check_functions) nothing unwinds, and C compiled for bare metal marks every function so. A
  // function without this mark gets an unwind table, which on Arm pulls libgcc's unwinder into the firmware.
  void drop_unwinding() {
    for (llvm::Function& f : *module_)
      if (!f.isDeclaration() && !f.hasUWTable()) f.setDoesNotThrow();
  }

  // Checks the CPU and features of single functions. On bare metal nothing dispatches between CPUs at run time.
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

  std::string name_;  // of what is being looked at
  const TargetSpec& target_;
  const CompileOptions& options_;
  Diagnostics& diags_;
  std::set<std::string> strong_;  // definitions that no other may stand beside
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::shared_ptr<clang::CompilerInvocation> invocation_;
  std::unique_ptr<clang::DiagnosticConsumer> consumer_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine_;
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> info_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The parts that every job begins with.
MessageWriter begin_job(const std::string& name, const TargetSpec& target, const CompileOptions& options) {
  MessageWriter out;
  out.put(name);
  put(out, target);
  compile::put(out, options);
  return out;
}

// These parts, where the job is done.
struct JobParts {
  explicit JobParts(MessageReader& in)
      : name(in.text()), target(get_target_spec(in)), options(compile::get_options(in)) {
    compile::initialise_llvm();
  }
  const NoBadAlloc no_bad_alloc;
  const std::string name;
  const TargetSpec target;
  const CompileOptions options;
};

compile::CacheKey key_of(std::string_view what, const TargetSpec& target, const CompileOptions& options) {
  compile::CacheKey key;
  key.add(what).add(BYOC_VERSION).add(compile::clang_identity()).add(write_target(target)).add(options.opt_level);
  return key;
}

}  // namespace

Result<ObjectBytes> compile_llvm_module(const std::string& name, std::span<const std::byte> module,
                                        const TargetSpec& target, const CompileOptions& options, Diagnostics& diags) {
  auto cache = compile::ObjectCache::open(options.cache, diags);
  if (!cache) return failure;
  compile::CacheKey key = key_of("module", target, options);
  key.add(name).add(text_of(module));
  return cache->get(key, diags, [&](Diagnostics& own) {
    MessageWriter asked = begin_job(name, target, options);
    asked.put(text_of(module));
    return compile::run_in_worker(name, compile::Ask::module, asked.bytes(), own, options.limits);
  });
}

Result<ObjectBytes> compile::do_module(MessageReader& in, Diagnostics& diags) {
  const JobParts job(in);
  return ModuleCompiler(job.name, job.target, job.options, diags).run(compile::bytes_of(in.view()));
}

namespace {

ObjectBytes encode(const LinkedModule& linked) {
  MessageWriter out;
  out.list(linked.defined, [&](const auto& entry) {
    out.put(std::string_view(entry.first));
    out.put<std::uint64_t>(entry.second);
  });
  out.put(std::string_view(reinterpret_cast<const char*>(linked.object.data()), linked.object.size()));
  const std::string text = out.take();
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

// Nullopt if encode() did not write the bytes.
std::optional<LinkedModule> decode(const ObjectBytes& bytes, std::size_t inputs) {
  MessageReader in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  LinkedModule out;
  for (auto& [symbol, input] : in.list([&] {
         std::string symbol = in.text();
         return std::pair(std::move(symbol), in.get<std::uint64_t>());
       })) {
    if (input >= inputs) return std::nullopt;
    out.defined.emplace(std::move(symbol), input);
  }
  out.object = in.blob();
  if (!in.ended()) return std::nullopt;
  return out;
}

}  // namespace

Result<ObjectBytes> compile::do_link(MessageReader& in, Diagnostics& diags) {
  const JobParts job(in);
  std::set<std::string> needed;
  for (std::string& symbol : in.texts()) needed.insert(std::move(symbol));
  const std::vector<LinkInput> inputs = in.list([&] {
    LinkInput input;
    input.name = in.text();
    input.bytes = compile::bytes_of(in.view());
    input.visible = in.flag();
    input.codegen = in.text();
    return input;
  });
  auto linked = ModuleCompiler(job.name, job.target, job.options, diags).link(inputs, needed);
  if (!linked) return failure;
  return encode(*linked);
}

Result<LinkedModule> link_llvm_modules(const std::string& name, std::span<const LinkInput> inputs,
                                       const std::set<std::string>& needed, const TargetSpec& target,
                                       const CompileOptions& options, Diagnostics& diags) {
  auto cache = compile::ObjectCache::open(options.cache, diags);
  if (!cache) return failure;
  compile::CacheKey key = key_of("link", target, options);
  for (const LinkInput& input : inputs) key.add(input.name).add(text_of(input.bytes)).add(input.visible ? "v" : "");
  for (const std::string& symbol : needed) key.add(symbol);
  auto bytes = cache->get(key, diags, [&](Diagnostics& own) {
    MessageWriter asked = begin_job(name, target, options);
    asked.list(needed);
    asked.list(inputs, [&](const LinkInput& input) {
      asked.put(input.name);
      asked.put(text_of(input.bytes));
      asked.put(input.visible);
      asked.put(input.codegen);
    });
    return compile::run_in_worker(name, compile::Ask::link, asked.bytes(), own, options.limits);
  });
  if (!bytes) return failure;
  auto linked = decode(*bytes, inputs.size());
  if (!linked) return diags.error(name, {}, "the compiler was damaged by it", "an answer that is none", "an object");
  return std::move(*linked);
}

}  // namespace byoc
