#include "sdk/library/compile/llvm_constants.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "sdk/base/support/want_of_memory.hpp"

namespace byoc {
namespace {

llvm::GlobalValue::LinkageTypes linkage(const ConstantObject::Place& p) {
  return p.global ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
}

llvm::GlobalVariable* add_content(llvm::Module& module, const ConstantObject::Content& content,
                                  const ConstantObject::Place& p) {
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(
      module.getContext(), {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()},
      /*AddNull=*/false);
  auto* global = new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true, linkage(p), bytes, p.symbol);
  global->setAlignment(llvm::Align(content.align));
  if (!content.is_large()) global->setSection(content.section);
  return global;
}

}  // namespace

std::vector<std::byte> write_llvm_constants(const ConstantObject& constants) {
  const NoBadAlloc no_bad_alloc;
  llvm::LLVMContext context;
  llvm::Module module("constants", context);
  std::vector<llvm::GlobalVariable*> globals(constants.contents().size());
  llvm::SmallVector<llvm::GlobalValue*> local;
  for (const ConstantObject::Place& p : constants.places()) {
    llvm::GlobalVariable*& content = globals[p.content];
    llvm::GlobalValue* made = content;
    if (content == nullptr)
      made = content = add_content(module, constants.contents()[p.content], p);
    else
      made = llvm::GlobalAlias::create(content->getValueType(), 0, linkage(p), p.symbol, content, &module);
    if (!p.global) local.push_back(made);
  }
  llvm::appendToCompilerUsed(module, local);  // nothing in the module refers to them
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  const auto* data = reinterpret_cast<const std::byte*>(bitcode.data());
  return {data, data + bitcode.size()};
}

}  // namespace byoc
