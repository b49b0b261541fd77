#include "functions.hpp"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace bitcode {
namespace {

// One LLVM module under construction.
class Module {
 public:
  explicit Module(const Machine& machine)
      : machine_(machine),
        context_(LLVMContextCreate()),
        module_(LLVMModuleCreateWithNameInContext("bitcode", context_)),
        builder_(LLVMCreateBuilderInContext(context_)) {
    LLVMSetTarget(module_, machine.triple.c_str());
    LLVMSetDataLayout(module_, machine.layout.c_str());
  }
  ~Module() {
    LLVMDisposeBuilder(builder_);
    LLVMDisposeModule(module_);
    LLVMContextDispose(context_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  LLVMBuilderRef at() const { return builder_; }
  LLVMTypeRef i32() const { return LLVMInt32TypeInContext(context_); }
  LLVMTypeRef real() const { return LLVMFloatTypeInContext(context_); }
  LLVMTypeRef pointer() const { return LLVMPointerTypeInContext(context_, 0); }
  LLVMTypeRef nothing() const { return LLVMVoidTypeInContext(context_); }
  LLVMTypeRef vector() const { return machine_.lanes == 1 ? real() : LLVMVectorType(real(), machine_.lanes); }
  LLVMValueRef number(std::uint64_t n) const { return LLVMConstInt(i32(), n, 0); }

  // Begins a function of the module; what is built next is its body.
  LLVMValueRef begin(const std::string& symbol, LLVMTypeRef result, unsigned pointers) {
    std::vector<LLVMTypeRef> parameters(pointers, pointer());
    function_ = LLVMAddFunction(module_, symbol.c_str(), LLVMFunctionType(result, parameters.data(), pointers, 0));
    attribute("nounwind", "");
    // On hosts code may be for more than the lowest CPU of the triple; what the attributes ask for must be there.
    if (!machine_.cpu.empty()) attribute("target-cpu", machine_.cpu);
    if (!machine_.features.empty()) attribute("target-features", machine_.features);
    const std::string bits = std::to_string(machine_.lanes * 32);
    if (machine_.lanes > 1) attribute("min-legal-vector-width", bits), attribute("prefer-vector-width", bits);
    LLVMPositionBuilderAtEnd(builder_, LLVMAppendBasicBlockInContext(context_, function_, "entry"));
    return function_;
  }
  // A pointer parameter that nothing else of the function's is reached through.
  void alone(unsigned parameter) {
    const unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddAttributeAtIndex(function_, parameter + 1, LLVMCreateEnumAttribute(context_, kind, 0));
  }
  LLVMValueRef parameter(unsigned i) const { return LLVMGetParam(function_, i); }

  // Declares what others define: byoc links it.
  LLVMValueRef constant(const std::string& symbol) {
    LLVMValueRef known = LLVMGetNamedGlobal(module_, symbol.c_str());
    if (known != nullptr) return known;
    LLVMValueRef global = LLVMAddGlobal(module_, LLVMInt8TypeInContext(context_), symbol.c_str());
    LLVMSetGlobalConstant(global, 1);
    return global;
  }
  LLVMValueRef call(const std::string& symbol, LLVMTypeRef result, std::vector<LLVMValueRef> arguments) {
    std::vector<LLVMTypeRef> types;
    for (LLVMValueRef a : arguments) types.push_back(LLVMTypeOf(a));
    LLVMTypeRef type = LLVMFunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0);
    LLVMValueRef function = LLVMGetNamedFunction(module_, symbol.c_str());
    if (function == nullptr) function = LLVMAddFunction(module_, symbol.c_str(), type);
    return LLVMBuildCall2(builder_, type, function, arguments.data(), static_cast<unsigned>(arguments.size()),
                          LLVMGetTypeKind(result) == LLVMVoidTypeKind ? "" : "called");
  }

  // Indices are signed: an address is computed from 64 bits of them, and a loop whose index may wrap stays as it is.
  // body(i, sum) for i = 0 .. count - 1, at least one; returns the last sum. `sum` may be null.
  LLVMValueRef loop(std::uint64_t count, LLVMValueRef sum,
                    const std::function<LLVMValueRef(LLVMValueRef i, LLVMValueRef sum)>& body) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder_);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(context_, function_, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context_, function_, "done");
    LLVMBuildBr(builder_, head);
    LLVMPositionBuilderAtEnd(builder_, head);
    LLVMValueRef i = LLVMBuildPhi(builder_, i32(), "i");
    LLVMValueRef carried = sum == nullptr ? nullptr : LLVMBuildPhi(builder_, LLVMTypeOf(sum), "sum");
    LLVMValueRef next_sum = body(i, carried);
    LLVMValueRef next = LLVMBuildNSWAdd(builder_, i, number(1), "next");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(builder_);
    LLVMBuildCondBr(builder_, LLVMBuildICmp(builder_, LLVMIntULT, next, number(count), "more"), head, done);
    LLVMValueRef indices[] = {number(0), next}, sums[] = {sum, next_sum};
    LLVMBasicBlockRef blocks[] = {before, latch};
    LLVMAddIncoming(i, indices, blocks, 2);
    if (sum != nullptr) LLVMAddIncoming(carried, sums, blocks, 2);
    LLVMPositionBuilderAtEnd(builder_, done);
    return next_sum;
  }
  LLVMValueRef element(LLVMValueRef pointer, LLVMValueRef index) {
    return LLVMBuildInBoundsGEP2(builder_, real(), pointer, &index, 1, "at");
  }
  // Vectors lie at any multiple of four bytes.
  LLVMValueRef load(LLVMTypeRef type, LLVMValueRef pointer) {
    LLVMValueRef out = LLVMBuildLoad2(builder_, type, pointer, "x");
    LLVMSetAlignment(out, 4);
    return out;
  }
  LLVMValueRef lane(LLVMValueRef vector, unsigned i) {
    return machine_.lanes == 1 ? vector : LLVMBuildExtractElement(builder_, vector, number(i), "lane");
  }
  LLVMValueRef spread(LLVMValueRef scalar) {
    if (machine_.lanes == 1) return scalar;
    LLVMValueRef none = LLVMGetPoison(vector());
    LLVMValueRef first = LLVMBuildInsertElement(builder_, none, scalar, number(0), "first");
    return LLVMBuildShuffleVector(builder_, first, none, LLVMConstNull(LLVMVectorType(i32(), machine_.lanes)), "all");
  }

  // byoc verifies what it gets, and says what is wrong in LLVM's words; here it is an error of this plug-in's tests.
  std::vector<std::byte> bytes() const {
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module_);
    std::vector<std::byte> out(LLVMGetBufferSize(buffer));
    std::memcpy(out.data(), LLVMGetBufferStart(buffer), out.size());
    LLVMDisposeMemoryBuffer(buffer);
    return out;
  }

 private:
  void attribute(const std::string& name, const std::string& value) {
    LLVMAttributeRef a = nullptr;
    if (value.empty())
      a = LLVMCreateEnumAttribute(context_, LLVMGetEnumAttributeKindForName(name.c_str(), name.size()), 0);
    else
      a = LLVMCreateStringAttribute(context_, name.c_str(), static_cast<unsigned>(name.size()), value.c_str(),
                                    static_cast<unsigned>(value.size()));
    LLVMAddAttributeAtIndex(function_, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex), a);
  }

  const Machine& machine_;
  LLVMContextRef context_;
  LLVMModuleRef module_;
  LLVMBuilderRef builder_;
  LLVMValueRef function_ = nullptr;
};

void write(Module& m, const Elementwise& e) {
  m.begin(e.symbol, m.i32(), e.inputs + 1);
  LLVMBuilderRef b = m.at();
  m.loop(e.count, nullptr, [&](LLVMValueRef i, LLVMValueRef) -> LLVMValueRef {
    LLVMValueRef x = m.load(m.real(), m.element(m.parameter(0), i));
    LLVMValueRef y = e.inputs > 1 ? m.load(m.real(), m.element(m.parameter(1), i)) : nullptr;
    LLVMValueRef z = e.op == "Add"   ? LLVMBuildFAdd(b, x, y, "z")
                     : e.op == "Sub" ? LLVMBuildFSub(b, x, y, "z")
                     : e.op == "Mul" ? LLVMBuildFMul(b, x, y, "z")
                     : e.op == "Neg" ? LLVMBuildFNeg(b, x, "z")
                                     : m.call(e.helper, m.real(), {x});
    LLVMBuildStore(b, z, m.element(m.parameter(e.inputs), i));
    return nullptr;
  });
  LLVMBuildRet(b, m.number(0));
}

}  // namespace

Machine machine_of(const byoc::TargetSpec& target) {
  Machine out{target.triple, {}, {}, {}, 1, {}};
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMTargetRef found = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(target.triple.c_str(), &found, &message) != 0) {
    out.why = message;
    LLVMDisposeMessage(message);
    return out;
  }
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(found, target.triple.c_str(), target.cpu.c_str(), "", LLVMCodeGenLevelDefault,
                              LLVMRelocDefault, LLVMCodeModelDefault);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char* text = LLVMCopyStringRepOfTargetData(layout);
  out.layout = text;
  LLVMDisposeMessage(text);
  LLVMDisposeTargetData(layout);
  LLVMDisposeTargetMachine(machine);
  // Words of the description, no names of CPUs.
  struct Row {
    const char *triple, *isa;
    unsigned lanes;
  };
  constexpr Row kRows[] = {
      {"x86_64", "avx512", 16}, {"x86_64", "avx2", 8}, {"x86_64", "", 4}, {"aarch64", "", 4}, {"thumb", "mve.fp", 4}};
  for (const Row& r : kRows)
    if (target.triple.rfind(r.triple, 0) == 0 && (*r.isa == '\0' || target.has(r.isa))) {
      out.lanes = r.lanes;
      break;
    }
  return out;
}

std::vector<std::byte> elementwise(const Machine& machine, const std::vector<Elementwise>& functions) {
  Module m(machine);
  for (const Elementwise& e : functions) write(m, e);
  return m.bytes();
}

std::vector<std::byte> product_steps(const Machine& machine, const std::vector<Product>& functions) {
  Module m(machine);
  for (const Product& p : functions) {
    m.begin(p.symbol, m.i32(), 2);
    m.call(p.kernel, m.nothing(), {m.parameter(0), m.constant(p.weights), m.parameter(1)});
    LLVMBuildRet(m.at(), m.number(0));
  }
  return m.bytes();
}

std::vector<std::byte> product_kernel(const Machine& machine, const std::string& symbol, const Matrix& of) {
  Module m(machine);
  m.begin(symbol, m.nothing(), 3);
  for (unsigned i = 0; i < 3; ++i) m.alone(i);
  LLVMBuilderRef b = m.at();
  const auto times = [&](LLVMValueRef a, std::uint64_t n) { return LLVMBuildNSWMul(b, a, m.number(n), "times"); };
  const auto block = [&](LLVMValueRef row, LLVMValueRef panel, unsigned valid) {
    LLVMValueRef x = m.element(m.parameter(0), times(row, of.depth));
    LLVMValueRef w = m.element(m.parameter(1), times(panel, of.depth * machine.lanes));
    LLVMValueRef sum = m.loop(of.depth, LLVMConstNull(m.vector()), [&](LLVMValueRef k, LLVMValueRef before) {
      LLVMValueRef weights = m.load(m.vector(), m.element(w, times(k, machine.lanes)));
      LLVMValueRef product = LLVMBuildFMul(b, m.spread(m.load(m.real(), m.element(x, k))), weights, "product");
      return LLVMBuildFAdd(b, before, product, "after");
    });
    LLVMValueRef to =
        m.element(m.parameter(2), LLVMBuildNSWAdd(b, times(row, of.columns), times(panel, machine.lanes), ""));
    for (unsigned i = 0; i < valid; ++i) LLVMBuildStore(b, m.lane(sum, i), m.element(to, m.number(i)));
  };
  const std::uint64_t full = of.columns / machine.lanes, rest = of.columns % machine.lanes;
  m.loop(of.rows, nullptr, [&](LLVMValueRef row, LLVMValueRef) -> LLVMValueRef {
    if (full != 0)
      m.loop(full, nullptr, [&](LLVMValueRef panel, LLVMValueRef) -> LLVMValueRef {
        block(row, panel, machine.lanes);
        return nullptr;
      });
    if (rest != 0) block(row, m.number(full), static_cast<unsigned>(rest));
    return nullptr;
  });
  LLVMBuildRetVoid(b);
  return m.bytes();
}

}  // namespace bitcode
