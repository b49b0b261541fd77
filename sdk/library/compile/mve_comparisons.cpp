#include "sdk/library/compile/mve_comparisons.hpp"

#include <clang/Basic/CodeGenOptions.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

namespace byoc {
namespace {

using llvm::FCmpInst;

constexpr unsigned kRegisterBits = 128;

bool is_splat(llvm::Value* v) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(v);
  return constant != nullptr ? constant->getSplatValue(/*AllowPoison=*/true) != nullptr : llvm::isSplatValue(v);
}

// True if LLVM puts operand `i` behind the other, or compares both ways. Inverting a comparison is correct.
bool is_put_behind(FCmpInst::Predicate predicate, unsigned i) {
  switch (predicate) {
    case FCmpInst::FCMP_OGT:
    case FCmpInst::FCMP_OGE:
    case FCmpInst::FCMP_ULT:
    case FCmpInst::FCMP_ULE: return i == 0;
    case FCmpInst::FCMP_OLT:
    case FCmpInst::FCMP_OLE:
    case FCmpInst::FCMP_UGT:
    case FCmpInst::FCMP_UGE: return i == 1;
    case FCmpInst::FCMP_ONE:
    case FCmpInst::FCMP_UEQ:
    case FCmpInst::FCMP_ORD:
    case FCmpInst::FCMP_UNO: return true;
    default: return false;  // equal or not, whichever comes first
  }
}

class MendComparisons : public llvm::PassInfoMixin<MendComparisons> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    for (llvm::Instruction& i : llvm::instructions(function)) {
      auto* compare = llvm::dyn_cast<FCmpInst>(&i);
      if (compare == nullptr || !is_vector(compare->getOperand(0)->getType())) continue;
      for (llvm::Use& operand : compare->operands()) {
        if (!is_put_behind(compare->getPredicate(), operand.getOperandNo()) || !is_splat(operand)) continue;
        operand = opaque(operand, compare);
        changed = true;
      }
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  static bool is_vector(const llvm::Type* t) {
    const auto* v = llvm::dyn_cast<llvm::FixedVectorType>(t);
    return v != nullptr && (v->getElementType()->isFloatTy() || v->getElementType()->isHalfTy());
  }

  // Vectors of other sizes than a register's are cut up or filled up when code is generated.
  static llvm::Value* opaque(llvm::Value* v, llvm::Instruction* before) {
    llvm::IRBuilder<> builder(before);
    const auto* type = llvm::cast<llvm::FixedVectorType>(v->getType());
    llvm::Value* filled = repeated(v, kRegisterBits / type->getScalarSizeInBits(), builder);
    auto* function = llvm::FunctionType::get(filled->getType(), {filled->getType()}, false);
    auto* nothing = llvm::InlineAsm::get(function, "", "=w,0", false);
    return repeated(builder.CreateCall(nothing, {filled}), type->getNumElements(), builder);
  }

  static llvm::Value* repeated(llvm::Value* v, unsigned elements, llvm::IRBuilder<>& builder) {
    const unsigned given = llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements();
    if (given == elements) return v;
    llvm::SmallVector<int> mask;
    for (unsigned i = 0; i < elements; ++i) mask.push_back(static_cast<int>(i % given));
    return builder.CreateShuffleVector(v, mask);
  }
};

}  // namespace

void mend_mve_comparisons(const TargetSpec& target, clang::CodeGenOptions& options) {
  if (target.has("mve")) mend_mve_comparisons(options);
}

void mend_mve_comparisons(clang::CodeGenOptions& options) {
  options.PassBuilderCallbacks.emplace_back([](llvm::PassBuilder& passes) {
    passes.registerOptimizerLastEPCallback([](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
      manager.addPass(llvm::createModuleToFunctionPassAdaptor(MendComparisons()));
    });
  });
}

}  // namespace byoc
