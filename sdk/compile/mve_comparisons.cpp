#include "sdk/compile/mve_comparisons.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

namespace byoc {
namespace {

bool is_splat(llvm::Value* v) { return llvm::getSplatValue(v) != nullptr; }

// As many bytes as a vector register, or fewer: what is wider is cut up first.
bool is_one_register(const llvm::Type* t) {
  const auto* v = llvm::dyn_cast<llvm::FixedVectorType>(t);
  return v != nullptr && v->getPrimitiveSizeInBits() == 128 &&
         (v->getElementType()->isFloatTy() || v->getElementType()->isHalfTy());
}

class MendComparisons : public llvm::PassInfoMixin<MendComparisons> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    llvm::SmallVector<llvm::FCmpInst*> found;
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i);
          compare != nullptr && is_one_register(compare->getOperand(0)->getType()) &&
          compare->getPredicate() != llvm::FCmpInst::FCMP_TRUE && compare->getPredicate() != llvm::FCmpInst::FCMP_FALSE)
        found.push_back(compare);
    for (llvm::FCmpInst* compare : found)
      for (llvm::Use& operand : compare->operands())
        if (is_splat(operand)) operand = opaque(operand, compare);
    return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  static llvm::Value* opaque(llvm::Value* v, llvm::Instruction* before) {
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::FunctionType::get(v->getType(), {v->getType()}, false);
    auto* nothing = llvm::InlineAsm::get(type, "", "=w,0", false);
    return builder.CreateCall(nothing, {v});
  }
};

}  // namespace

void mend_mve_comparisons(llvm::PassBuilder& passes) {
  passes.registerOptimizerLastEPCallback([](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(MendComparisons()));
  });
}

}  // namespace byoc
