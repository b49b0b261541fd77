#include "backends/llvm/ir/code.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <cassert>
#include <numeric>

namespace byoc::bitcode {

struct Code::State {
  explicit State(const std::string& name) : module(name, context), builder(context) {}
  llvm::LLVMContext context;
  llvm::Module module;
  llvm::IRBuilder<> builder;
  llvm::Function* function = nullptr;
  bool returns_status = false;

  // The latch of a loop that is written as it is to run.
  llvm::MDNode* as_written() {
    const auto flag = [&](const char* name, bool on) -> llvm::Metadata* {
      llvm::SmallVector<llvm::Metadata*, 2> parts{llvm::MDString::get(context, name)};
      if (on) parts.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context)));
      return llvm::MDNode::get(context, parts);
    };
    llvm::Metadata* parts[] = {nullptr, flag("llvm.loop.unroll.disable", false),
                               flag("llvm.loop.vectorize.enable", true)};
    llvm::MDNode* node = llvm::MDNode::getDistinct(context, parts);
    node->replaceOperandWith(0, node);
    return node;
  }
  [[nodiscard]] static llvm::Type* lanes_type(llvm::Type* one, std::int64_t lanes) {
    return lanes == 1 ? one : llvm::FixedVectorType::get(one, static_cast<unsigned>(lanes));
  }
  [[nodiscard]] llvm::Type* floats(std::int64_t lanes) { return lanes_type(builder.getFloatTy(), lanes); }
  [[nodiscard]] Value scaled(Value sums, const Requantisation& how);  // as 64 bits
  [[nodiscard]] llvm::Type* integers(std::int64_t lanes) { return lanes_type(builder.getInt32Ty(), lanes); }
};

Code::Code(const Machine& machine, const std::string& name)
    : machine_(machine), state_(std::make_unique<State>(name)) {}
Code::~Code() = default;
std::int64_t Code::lanes_of(Value v) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector == nullptr ? 1 : static_cast<std::int64_t>(vector->getNumElements());
}
llvm::Type* Code::lanes_type(llvm::Type* one, std::int64_t lanes) { return State::lanes_type(one, lanes); }
llvm::IRBuilderBase& Code::builder() { return state_->builder; }
llvm::Module& Code::module() { return state_->module; }
llvm::Function& Code::function() { return *state_->function; }

void Code::begin_function(const std::string& symbol, std::size_t pointers, bool returns_status, bool alone,
                          bool by_range) {
  State& s = *state_;
  std::vector<llvm::Type*> types(pointers, s.builder.getPtrTy());
  if (by_range) types.insert(types.end(), 2, s.builder.getIntNTy(machine_.pointer_width));
  llvm::Type* result = returns_status ? s.builder.getInt32Ty() : s.builder.getVoidTy();
  s.function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::Function::ExternalLinkage,
                                      symbol, s.module);
  s.returns_status = returns_status;
  s.function->setDoesNotThrow();
  // Vectors as wide as the code has them, whatever the CPU would rather have of compilers.
  const std::string bits = std::to_string(machine_.lanes * 32);
  s.function->addFnAttr("min-legal-vector-width", bits);
  s.function->addFnAttr("prefer-vector-width", bits);
  if (!machine_.features.empty()) s.function->addFnAttr("target-features", machine_.features);
  for (llvm::Argument& a : s.function->args())
    if (alone && a.getType()->isPointerTy()) a.addAttr(llvm::Attribute::NoAlias);
  s.builder.SetInsertPoint(llvm::BasicBlock::Create(s.context, "entry", s.function));
}

void Code::end_function() {
  if (state_->returns_status)
    state_->builder.CreateRet(state_->builder.getInt32(0));
  else
    state_->builder.CreateRetVoid();
}

Value Code::argument(std::size_t index) { return state_->function->getArg(static_cast<unsigned>(index)); }
Value Code::range_from() { return argument(state_->function->arg_size() - 2); }
Value Code::range_to() { return argument(state_->function->arg_size() - 1); }

Value Code::external_constant(const std::string& symbol) {
  if (llvm::GlobalVariable* known = state_->module.getNamedGlobal(symbol)) return known;
  return new llvm::GlobalVariable(state_->module, state_->builder.getInt8Ty(), true, llvm::GlobalValue::ExternalLinkage,
                                  nullptr, symbol);
}

void Code::call(const std::string& symbol, std::span<const Value> pointers) {
  State& s = *state_;
  const std::vector<llvm::Type*> types(pointers.size(), s.builder.getPtrTy());
  const llvm::FunctionCallee callee =
      s.module.getOrInsertFunction(symbol, llvm::FunctionType::get(s.builder.getVoidTy(), types, false));
  s.builder.CreateCall(callee, llvm::ArrayRef<Value>(pointers.data(), pointers.size()))->setDoesNotThrow();
}

Value Code::integer(std::int64_t n) {
  return llvm::ConstantInt::get(state_->builder.getIntNTy(machine_.pointer_width), static_cast<std::uint64_t>(n), true);
}
Value Code::plus(Value a, Value b) { return state_->builder.CreateNSWAdd(a, b); }
Value Code::minus(Value a, Value b) { return state_->builder.CreateNSWSub(a, b); }
Value Code::times(Value a, std::int64_t b) { return b == 1 ? a : times(a, integer(b)); }
Value Code::times(Value a, Value b) { return state_->builder.CreateNSWMul(a, b); }
Value Code::half(Value a) { return state_->builder.CreateExactUDiv(a, integer(2)); }
Value Code::lesser(Value a, Value b) { return state_->builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }
Value Code::greater(Value a, Value b) { return state_->builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b); }

llvm::Type* Code::stored_type(Real real) {
  llvm::IRBuilder<>& b = state_->builder;
  return real == Real::f32 ? b.getFloatTy() : b.getIntNTy(static_cast<unsigned>(8 * size_of(real)));
}

Value Code::at(Value pointer, Value elements, Real real) {
  llvm::IRBuilder<>& b = state_->builder;
  return b.CreateInBoundsGEP(stored_type(real), pointer, elements);
}

Value Code::load(Value pointer, std::int64_t lanes, std::int64_t valid, Real real) {
  llvm::IRBuilder<>& b = state_->builder;
  llvm::Type* one = stored_type(real);
  const auto align = static_cast<std::uint64_t>(size_of(real));
  Value part = b.CreateAlignedLoad(lanes_type(one, valid), pointer, llvm::Align(align));
  if (valid != lanes && valid == 1) {
    part = b.CreateInsertElement(llvm::Constant::getNullValue(lanes_type(one, lanes)), part, std::uint64_t{0});
  } else if (valid != lanes) {
    // Lanes beyond those that were loaded come from the zero behind them.
    std::vector<int> mask(static_cast<std::size_t>(lanes), static_cast<int>(valid));
    std::iota(mask.begin(), mask.begin() + valid, 0);
    part = b.CreateShuffleVector(part, llvm::Constant::getNullValue(part->getType()), mask);
  }
  return real == Real::f32 ? part : widened(part, real);
}

void Code::store(Value value, Value pointer, std::int64_t valid, Real real) {
  const std::int64_t lanes = lanes_of(value);
  if (real != Real::f32) value = narrowed(value, real);
  if (valid != lanes && valid == 1) {
    value = state_->builder.CreateExtractElement(value, std::uint64_t{0});
  } else if (valid != lanes) {
    std::vector<int> mask(static_cast<std::size_t>(valid));
    std::iota(mask.begin(), mask.end(), 0);
    value = state_->builder.CreateShuffleVector(value, mask);
  }
  state_->builder.CreateAlignedStore(value, pointer, llvm::Align(static_cast<std::uint64_t>(size_of(real))));
}

void Code::prefetch(Value pointer, std::int64_t bytes) {
  llvm::IRBuilder<>& b = state_->builder;
  pointer = b.CreateGEP(b.getInt8Ty(), pointer, integer(bytes));
  constexpr std::uint32_t kRead = 0, kAllCaches = 3, kData = 1;
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                    {pointer, b.getInt32(kRead), b.getInt32(kAllCaches), b.getInt32(kData)});
}

Value Code::real(float value, std::int64_t lanes) {
  return llvm::ConstantFP::get(state_->floats(lanes), static_cast<double>(value));
}
Value Code::spread(Value scalar, std::int64_t lanes) {
  return lanes == 1 ? scalar : state_->builder.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}
Value Code::add(Value a, Value b) { return state_->builder.CreateFAdd(a, b); }
Value Code::subtract(Value a, Value b) { return state_->builder.CreateFSub(a, b); }
Value Code::multiply(Value a, Value b) { return state_->builder.CreateFMul(a, b); }
Value Code::divide(Value a, Value b) { return state_->builder.CreateFDiv(a, b); }
Value Code::negate(Value a) { return state_->builder.CreateFNeg(a); }
Value Code::absolute(Value a) { return state_->builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }
Value Code::square_root(Value a) { return state_->builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a); }

Value Code::multiply_add(Value a, Value b, Value c) {
  if (!machine_.fused) return add(multiply(a, b), c);
  return state_->builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value Code::at_least(Value a, Value low) { return where_less(a, low, low, a); }
Value Code::at_most(Value a, Value high) { return where_less(high, a, high, a); }
Value Code::greatest(Value a, Value b) { return unless_nan(b, at_least(a, b)); }
Value Code::least(Value a, Value b) { return unless_nan(a, where_less(a, b, a, b)); }
Value Code::where_less(Value a, Value b, Value yes, Value no) {
  return state_->builder.CreateSelect(state_->builder.CreateFCmpOLT(a, b), yes, no);
}

Value Code::first_lanes(Value a, Value rest, std::int64_t count) {
  const std::int64_t lanes = lanes_of(a);
  if (count >= lanes) return a;
  std::vector<int> mask(static_cast<std::size_t>(lanes));
  std::iota(mask.begin(), mask.end(), 0);
  for (auto i = static_cast<std::size_t>(count); i < mask.size(); ++i) mask[i] += static_cast<int>(lanes);
  return state_->builder.CreateShuffleVector(a, rest, mask);
}

Value Code::sum_of_lanes(Value a) {
  std::int64_t lanes = lanes_of(a);
  for (; lanes > 1; lanes /= 2) {
    const auto half = static_cast<std::size_t>(lanes / 2);
    std::vector<int> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(half));
    a = add(state_->builder.CreateShuffleVector(a, low), state_->builder.CreateShuffleVector(a, high));
  }
  return a->getType()->isVectorTy() ? state_->builder.CreateExtractElement(a, std::uint64_t{0}) : a;
}

Value Code::greatest_of_lanes(Value a) {
  const std::int64_t lanes = lanes_of(a);
  if (lanes == 1) return a;
  Value out = state_->builder.CreateExtractElement(a, std::uint64_t{0});
  for (std::int64_t i = 1; i < lanes; ++i)
    out = at_least(out, state_->builder.CreateExtractElement(a, static_cast<std::uint64_t>(i)));
  return out;
}

Value Code::at_byte(Value pointer, Value bytes) {
  return state_->builder.CreateInBoundsGEP(state_->builder.getInt8Ty(), pointer, bytes);
}
Value Code::word(std::int32_t value, std::int64_t lanes) {
  return llvm::ConstantInt::getSigned(state_->integers(lanes), value);
}
Value Code::load_words(Value pointer, std::int64_t lanes) {
  return state_->builder.CreateAlignedLoad(state_->integers(lanes), pointer, llvm::Align(1));
}
void Code::store_words(Value value, Value pointer) {
  state_->builder.CreateAlignedStore(value, pointer, llvm::Align(1));
}
Value Code::flip(Value words, std::uint32_t bits) {
  return state_->builder.CreateXor(words, llvm::ConstantInt::get(words->getType(), bits));
}
Value Code::load_bytes(Value pointer, std::int64_t lanes, std::int64_t valid) {
  llvm::IRBuilder<>& b = state_->builder;
  llvm::Type* one = b.getInt8Ty();
  llvm::Type* type = valid == 1 ? one : llvm::FixedVectorType::get(one, static_cast<unsigned>(valid));
  Value bytes = b.CreateAlignedLoad(type, pointer, llvm::Align(1));
  if (valid != lanes && valid == 1) {
    llvm::Type* all = llvm::FixedVectorType::get(one, static_cast<unsigned>(lanes));
    bytes = b.CreateInsertElement(llvm::Constant::getNullValue(all), bytes, std::uint64_t{0});
  } else if (valid != lanes) {
    std::vector<int> mask(static_cast<std::size_t>(lanes), static_cast<int>(valid));
    std::iota(mask.begin(), mask.begin() + valid, 0);
    bytes = b.CreateShuffleVector(bytes, llvm::Constant::getNullValue(type), mask);
  }
  return b.CreateSExt(bytes, state_->integers(lanes));
}
Value Code::multiply_words(Value a, Value b) { return state_->builder.CreateMul(a, b); }
Value Code::add_words(Value a, Value b) { return state_->builder.CreateAdd(a, b); }

Value Code::dot(Value x, Value w, Value sum) {
  llvm::IRBuilder<>& b = state_->builder;
  const std::int64_t lanes = lanes_of(sum);
  if (machine_.dot == Machine::Dot::vnni) {
    const llvm::Intrinsic::ID id = lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                   : lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                                : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
    return b.CreateIntrinsic(id, {}, {sum, x, w});
  }
  if (machine_.dot == Machine::Dot::sdot && lanes == 4) {
    auto* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 16);
    return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_sdot, {sum->getType(), bytes},
                             {sum, b.CreateBitCast(x, bytes), b.CreateBitCast(w, bytes)});
  }
  if (machine_.dot == Machine::Dot::pairs) {
    // Products of 16 bits are added in pairs: of the even bytes, and of the odd ones.
    const llvm::Intrinsic::ID id = lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                                   : lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                : llvm::Intrinsic::x86_sse2_pmadd_wd;
    auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(2 * lanes));
    const auto parts = [&](Value v) {
      Value all = b.CreateBitCast(v, halves);
      Value eight = llvm::ConstantInt::get(halves, 8);
      return std::pair(b.CreateAShr(b.CreateShl(all, eight), eight), b.CreateAShr(all, eight));
    };
    const auto [x_even, x_odd] = parts(x);
    const auto [w_even, w_odd] = parts(w);
    sum = b.CreateAdd(sum, b.CreateIntrinsic(id, {}, {x_even, w_even}));
    return b.CreateAdd(sum, b.CreateIntrinsic(id, {}, {x_odd, w_odd}));
  }
  for (unsigned byte = 0; byte < 4; ++byte) {
    const auto part = [&](Value v) {
      Value up = b.CreateShl(v, llvm::ConstantInt::get(v->getType(), 24 - 8 * byte));
      return b.CreateAShr(up, llvm::ConstantInt::get(v->getType(), 24));
    };
    sum = b.CreateAdd(sum, b.CreateMul(part(x), part(w)));
  }
  return sum;
}

Value Code::load_longs(Value pointer, std::int64_t lanes) {
  llvm::Type* one = state_->builder.getInt64Ty();
  llvm::Type* type = lanes == 1 ? one : llvm::FixedVectorType::get(one, static_cast<unsigned>(lanes));
  return state_->builder.CreateAlignedLoad(type, pointer, llvm::Align(8));
}

Value Code::longs(std::int64_t value, std::int64_t lanes) {
  llvm::Type* one = state_->builder.getInt64Ty();
  return llvm::ConstantInt::getSigned(lanes == 1 ? one : llvm::FixedVectorType::get(one, static_cast<unsigned>(lanes)),
                                      value);
}

Value Code::State::scaled(Value sums, const Requantisation& how) {
  llvm::Type* longs = how.q->getType();
  const auto constant = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(longs, n); };
  Value wide = builder.CreateSExt(sums, longs);
  Value product = builder.CreateAdd(builder.CreateMul(wide, how.q), how.add);
  if (how.below != nullptr) {
    Value below = builder.CreateSelect(builder.CreateICmpSLT(wide, constant(0)), how.below, constant(0));
    product = builder.CreateSub(product, below);
  }
  Value y = builder.CreateAShr(product, how.shift);
  if (how.ties == nullptr) return y;
  Value is_tie = builder.CreateICmpEQ(builder.CreateAnd(product, how.ties), constant(0));
  return builder.CreateSelect(is_tie, builder.CreateAnd(y, constant(-2)), y);
}

Value Code::scaled(Value sums, const Requantisation& how) {
  return state_->builder.CreateTrunc(state_->scaled(sums, how), sums->getType());
}

Value Code::requantised(Value sums, const Requantisation& how) {
  llvm::IRBuilder<>& b = state_->builder;
  Value y = state_->scaled(sums, how);
  const auto constant = [&](std::int64_t n) { return llvm::ConstantInt::getSigned(y->getType(), n); };
  y = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, y, constant(how.low - how.zero));
  y = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, y, constant(how.high - how.zero));
  return words_as_bytes(b.CreateAdd(y, constant(how.zero)));
}

Value Code::words_as_bytes(Value words) {
  const std::int64_t lanes = lanes_of(words);
  llvm::Type* one = state_->builder.getInt8Ty();
  return state_->builder.CreateTrunc(words,
                                     lanes == 1 ? one : llvm::FixedVectorType::get(one, static_cast<unsigned>(lanes)));
}

Value Code::words_as_reals(Value words) { return state_->builder.CreateSIToFP(words, state_->floats(lanes_of(words))); }

Value Code::nearest(Value reals) {
  // Floats from 2^23 on have no fraction: what is added to them is rounded, as IEEE 754 rounds.
  const Value middle = real(12582912.0F, lanes_of(reals));  // 1.5 * 2^23
  return subtract(add(reals, middle), middle);
}

Value Code::nearest_away(Value reals) {
  const std::int64_t lanes = lanes_of(reals);
  const Value magnitude = absolute(reals), whole = nearest(magnitude);
  const Value up = where_less(subtract(magnitude, whole), real(0.5F, lanes), real(0, lanes), real(1, lanes));
  return with_sign_of(add(whole, up), reals);
}

Value Code::with_sign_of(Value magnitude, Value sign) {
  return state_->builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

Value Code::nearest_words(Value reals) {
  return state_->builder.CreateFPToSI(nearest(reals), state_->integers(lanes_of(reals)));
}

void Code::store_bytes(Value bytes, Value pointer, std::int64_t valid) {
  const std::int64_t lanes = lanes_of(bytes);
  if (valid != lanes) {
    std::vector<int> mask(static_cast<std::size_t>(valid));
    std::iota(mask.begin(), mask.end(), 0);
    bytes = valid == 1 ? state_->builder.CreateExtractElement(bytes, std::uint64_t{0})
                       : state_->builder.CreateShuffleVector(bytes, mask);
  }
  state_->builder.CreateAlignedStore(bytes, pointer, llvm::Align(1));
}
void Code::store_byte(std::uint8_t value, Value pointer) {
  state_->builder.CreateAlignedStore(state_->builder.getInt8(value), pointer, llvm::Align(1));
}
void Code::copy_byte(Value to, Value from, std::uint8_t flipped) {
  llvm::IRBuilder<>& b = state_->builder;
  Value v = b.CreateAlignedLoad(b.getInt8Ty(), from, llvm::Align(1));
  b.CreateAlignedStore(b.CreateXor(v, b.getInt8(flipped)), to, llvm::Align(1));
}

Value Code::integer_as_real(Value n) { return state_->builder.CreateSIToFP(n, state_->builder.getFloatTy()); }

Values Code::loop(Value from, Value to, std::int64_t step, const Values& initial,
                  const std::function<Values(Value, const Values&)>& body) {
  State& s = *state_;
  llvm::IRBuilder<>& b = s.builder;
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(s.context, "loop", s.function);
  auto* done = llvm::BasicBlock::Create(s.context, "done", s.function);
  // If both ends are known, no branch is needed to decide whether the loop runs at all.
  const auto *first = llvm::dyn_cast<llvm::ConstantInt>(from), *end = llvm::dyn_cast<llvm::ConstantInt>(to);
  const bool runs = first != nullptr && end != nullptr && first->getSExtValue() < end->getSExtValue();
  if (runs)
    b.CreateBr(head);
  else
    b.CreateCondBr(b.CreateICmpSLT(from, to), head, done);
  b.SetInsertPoint(head);
  llvm::PHINode* index = b.CreatePHI(from->getType(), 2);
  index->addIncoming(from, before);
  std::vector<llvm::PHINode*> phis;
  Values carried;
  for (Value v : initial) {
    phis.push_back(b.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    carried.push_back(phis.back());
  }
  const Values next = body(index, carried);
  assert(next.size() == initial.size());
  Value following = b.CreateNSWAdd(index, integer(step));
  llvm::BasicBlock* latch = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(following, to), head, done)->setMetadata("llvm.loop", s.as_written());
  index->addIncoming(following, latch);
  for (std::size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], latch);
  b.SetInsertPoint(done);
  Values out;
  for (std::size_t i = 0; i < phis.size(); ++i) {
    if (runs) {
      out.push_back(next[i]);
      continue;
    }
    llvm::PHINode* last = b.CreatePHI(initial[i]->getType(), 2);
    last->addIncoming(initial[i], before);
    last->addIncoming(next[i], latch);
    out.push_back(last);
  }
  return out;
}

void Code::loop(Value from, Value to, const std::function<void(Value)>& body) {
  loop(from, to, 1, {}, [&](Value i, const Values&) {
    body(i);
    return Values();
  });
}

void Code::loop(std::int64_t count, const std::function<void(Value)>& body) {
  if (count <= 0) return;
  if (count == 1) return body(integer(0));
  loop(integer(0), integer(count), body);
}

std::vector<std::byte> Code::bitcode() {
  assert(!llvm::verifyModule(state_->module, &llvm::errs()) && "the module is not valid");
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream out(buffer);
  llvm::WriteBitcodeToFile(state_->module, out);
  const auto* data = reinterpret_cast<const std::byte*>(buffer.data());
  return {data, data + buffer.size()};
}

std::string Code::text() {
  std::string out;
  llvm::raw_string_ostream stream(out);
  state_->module.print(stream, nullptr);
  return out;
}

}  // namespace byoc::bitcode
