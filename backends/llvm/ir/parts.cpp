// Calls of kernels by range whose parts threads of the program's share.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cassert>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {
namespace {

// The struct that parts of a call share: the kernel's pointers, then the number of parts.
llvm::StructType* work_type(llvm::IRBuilderBase& b, std::size_t pointers, unsigned pointer_width) {
  std::vector<llvm::Type*> members(pointers, b.getPtrTy());
  members.push_back(b.getIntNTy(pointer_width));
  return llvm::StructType::get(b.getContext(), members);
}

// byoc_threads_t
llvm::StructType* threads_type(llvm::IRBuilderBase& b) {
  return llvm::StructType::get(b.getContext(), {b.getInt32Ty(), b.getInt32Ty(), b.getPtrTy(), b.getPtrTy()});
}
enum ThreadsMember : std::uint8_t { struct_size, parts, context, parallel_for };

}  // namespace

// void part(const void* work, uint32_t index): the kernel, from piece `pieces` * index / parts on.
llvm::Function* Code::part_function(llvm::Function* kernel, std::int64_t pieces) {
  const std::string name = kernel->getName().str() + ".part." + std::to_string(pieces);
  if (llvm::Function* known = module().getFunction(name)) return known;
  llvm::IRBuilderBase& b = builder();
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::Type* word = b.getIntNTy(machine_.pointer_width);
  auto* part = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}, false),
                                      llvm::Function::InternalLinkage, name, module());
  part->setDoesNotThrow();
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", part));
  const std::size_t pointers = kernel->arg_size() - 2;
  llvm::StructType* type = work_type(b, pointers, machine_.pointer_width);
  Values arguments;
  const auto member = [&](std::size_t i, llvm::Type* of) {
    return b.CreateLoad(of, b.CreateStructGEP(type, part->getArg(0), static_cast<unsigned>(i)));
  };
  for (std::size_t i = 0; i < pointers; ++i) arguments.push_back(member(i, b.getPtrTy()));
  Value count = member(pointers, word), index = b.CreateZExt(part->getArg(1), word);
  Value all = llvm::ConstantInt::get(word, static_cast<std::uint64_t>(pieces));
  const auto start = [&](Value i) { return b.CreateUDiv(b.CreateMul(all, i), count); };
  arguments.push_back(start(index));
  arguments.push_back(start(b.CreateAdd(index, llvm::ConstantInt::get(word, 1))));
  b.CreateCall(kernel, arguments)->setDoesNotThrow();
  b.CreateRetVoid();
  return part;
}

void Code::call_by_parts(const std::string& symbol, std::span<const Value> pointers, std::int64_t pieces,
                         Value threads) {
  llvm::IRBuilderBase& b = builder();
  llvm::Type* word = b.getIntNTy(machine_.pointer_width);
  std::vector<llvm::Type*> types(pointers.size(), b.getPtrTy());
  types.insert(types.end(), 2, word);
  auto* kernel = llvm::cast<llvm::Function>(
      module().getOrInsertFunction(symbol, llvm::FunctionType::get(b.getVoidTy(), types, false)).getCallee());
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, &function()); };
  llvm::BasicBlock *given = block("given"), *shared = block("shared"), *alone = block("alone"), *done = block("done");
  b.CreateCondBr(b.CreateIsNull(threads), alone, given);

  b.SetInsertPoint(given);
  llvm::StructType* handle = threads_type(b);
  const auto member = [&](ThreadsMember m) {
    return b.CreateLoad(handle->getElementType(m), b.CreateStructGEP(handle, threads, m));
  };
  Value most = llvm::ConstantInt::get(b.getInt32Ty(), static_cast<std::uint64_t>(pieces));
  Value count = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, member(parts), most);
  b.CreateCondBr(b.CreateICmpUGT(count, b.getInt32(1)), shared, alone);

  b.SetInsertPoint(shared);
  llvm::StructType* type = work_type(b, pointers.size(), machine_.pointer_width);
  llvm::BasicBlock& entry = function().getEntryBlock();
  Value work = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  for (std::size_t i = 0; i < pointers.size(); ++i)
    b.CreateStore(pointers[i], b.CreateStructGEP(type, work, static_cast<unsigned>(i)));
  b.CreateStore(b.CreateZExt(count, word), b.CreateStructGEP(type, work, static_cast<unsigned>(pointers.size())));
  auto* run = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty(), b.getPtrTy(), b.getPtrTy()}, false);
  b.CreateCall(run, member(parallel_for), {member(context), count, part_function(kernel, pieces), work})
      ->setDoesNotThrow();
  b.CreateBr(done);

  b.SetInsertPoint(alone);
  Values all(pointers.begin(), pointers.end());
  all.push_back(integer(0));
  all.push_back(integer(pieces));
  b.CreateCall(kernel, all)->setDoesNotThrow();
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

Value Code::take_place(Value taken, std::int64_t places) {
  assert(places >= 1 && places <= 32);
  llvm::IRBuilderBase& b = builder();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, &function()); };
  llvm::BasicBlock *look = block("look"), *found = block("found"), *mine = block("mine");
  b.CreateBr(look);

  b.SetInsertPoint(look);
  llvm::LoadInst* seen = b.CreateLoad(b.getInt32Ty(), taken);
  seen->setAtomic(llvm::AtomicOrdering::Monotonic);
  seen->setAlignment(llvm::Align(4));
  Value all = b.getInt32(static_cast<std::uint32_t>((std::uint64_t{1} << places) - 1));
  Value free = b.CreateAnd(b.CreateNot(seen), all);
  b.CreateCondBr(b.CreateIsNull(free), look, found);

  b.SetInsertPoint(found);
  Value bit = b.CreateAnd(free, b.CreateNeg(free));
  Value old = b.CreateAtomicRMW(llvm::AtomicRMWInst::Or, taken, bit, llvm::Align(4), llvm::AtomicOrdering::Acquire);
  b.CreateCondBr(b.CreateIsNull(b.CreateAnd(old, bit)), mine, look);

  b.SetInsertPoint(mine);
  Value place = b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::cttz, {bit, b.getTrue()});
  return b.CreateZExt(place, b.getIntNTy(machine_.pointer_width));
}

void Code::leave_place(Value taken, Value place) {
  llvm::IRBuilderBase& b = builder();
  Value bit = b.CreateShl(b.getInt32(1), b.CreateTrunc(place, b.getInt32Ty()));
  b.CreateAtomicRMW(llvm::AtomicRMWInst::And, taken, b.CreateNot(bit), llvm::Align(4), llvm::AtomicOrdering::Release);
}

Value Code::load_pointer(Value pointer) { return builder().CreateLoad(builder().getPtrTy(), pointer); }

}  // namespace byoc::bitcode
