#include "sdk/library/compile/llvm_symbols.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "sdk/base/support/message.hpp"
#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/jobs.hpp"
#include "sdk/library/compile/worker.hpp"

namespace byoc {
namespace {

std::unique_ptr<llvm::Module> parse(const std::string& name, std::span<const std::byte> bytes,
                                    llvm::LLVMContext& context, Diagnostics& diags) {
  const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(text, name), problem, context);
  if (!module) diags.error(name, {}, "is not an LLVM module: " + problem.getMessage().str());
  return module;
}

ObjectBytes bytes_of(llvm::StringRef text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

// A function that may be in several modules is in a group of its own name.
void rename_comdat(llvm::Module& module, llvm::GlobalObject& global, const std::string& name) {
  const llvm::Comdat* old = global.getComdat();
  llvm::Comdat* made = module.getOrInsertComdat(name);
  made->setSelectionKind(old->getSelectionKind());
  for (llvm::GlobalObject& g : module.global_objects())
    if (g.getComdat() == old) g.setComdat(made);
}

bool rename(llvm::Module& module, const std::string& name, const std::map<std::string, std::string>& names,
            Diagnostics& diags) {
  for (const auto& [from, to] : names) {
    llvm::GlobalValue* global = module.getNamedValue(from);
    if (global == nullptr || global->hasLocalLinkage()) continue;
    if (module.getNamedValue(to) != nullptr) {
      diags.error(name, from, "cannot be renamed: the module has that name already", {}, to);
      return false;
    }
    auto* object = llvm::dyn_cast<llvm::GlobalObject>(global);
    if (object != nullptr && object->hasComdat() && object->getComdat()->getName() == from)
      rename_comdat(module, *object, to);
    global->setName(to);
  }
  return true;
}

Result<ObjectBytes> symbols_of(const std::string& name, std::span<const std::byte> module, Diagnostics& diags) {
  const NoBadAlloc no_bad_alloc;
  llvm::LLVMContext context;
  const auto parsed = parse(name, module, context, diags);
  if (!parsed) return failure;
  LlvmSymbols found;
  for (const llvm::GlobalValue& g : parsed->global_values()) {
    if (g.hasLocalLinkage() || g.hasAppendingLinkage() || g.getName().starts_with("llvm.")) continue;
    (g.isDeclarationForLinker() ? found.used : found.defined).insert(g.getName().str());
  }
  MessageWriter out;
  out.list(found.defined);
  out.list(found.used);
  return bytes_of(llvm::StringRef(out.bytes().data(), out.bytes().size()));
}

Result<ObjectBytes> renamed(const std::string& name, std::span<const std::byte> module,
                            const std::map<std::string, std::string>& names, Diagnostics& diags) {
  const NoBadAlloc no_bad_alloc;
  llvm::LLVMContext context;
  const auto parsed = parse(name, module, context, diags);
  if (!parsed || !rename(*parsed, name, names, diags)) return failure;
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::WriteBitcodeToFile(*parsed, stream);
  return bytes_of(llvm::StringRef(out.data(), out.size()));
}

}  // namespace

Result<ObjectBytes> compile::do_symbols(MessageReader& in, Diagnostics& diags) {
  const std::string name = in.text();
  return symbols_of(name, compile::bytes_of(in.view()), diags);
}

Result<ObjectBytes> compile::do_rename(MessageReader& in, Diagnostics& diags) {
  const std::string name = in.text();
  const std::string_view module = in.view();
  return renamed(name, compile::bytes_of(module), in.text_map(), diags);
}

Result<LlvmSymbols> read_llvm_symbols(const std::string& name, std::span<const std::byte> module,
                                      const std::optional<WorkerLimits>& limits, Diagnostics& diags) {
  MessageWriter asked;
  if (limits) {
    asked.put(name);
    asked.put(compile::text_of(module));
  }
  const auto told = limits ? compile::run_in_worker(name, compile::Ask::symbols, asked.bytes(), diags, *limits)
                           : symbols_of(name, module, diags);
  if (!told) return failure;
  MessageReader in({reinterpret_cast<const char*>(told->data()), told->size()});
  LlvmSymbols out;
  for (auto* list : {&out.defined, &out.used})
    for (std::string& symbol : in.texts()) list->insert(std::move(symbol));
  if (!in.ended()) return diags.error(name, {}, "the compiler was damaged by it", "an answer that is none", "symbols");
  return out;
}

Result<ObjectBytes> rename_llvm_symbols(const std::string& name, std::span<const std::byte> module,
                                        const std::map<std::string, std::string>& names,
                                        const std::optional<WorkerLimits>& limits, Diagnostics& diags) {
  if (!limits) return renamed(name, module, names, diags);
  MessageWriter asked;
  asked.put(name);
  asked.put(compile::text_of(module));
  asked.put(names);
  return compile::run_in_worker(name, compile::Ask::rename, asked.bytes(), diags, *limits);
}

}  // namespace byoc
