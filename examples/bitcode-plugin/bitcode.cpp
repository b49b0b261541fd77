// bitcode: a codegen that hands over LLVM bitcode. It claims Add, Sub, Mul and Neg on floats and emits a function with
// a loop for each, so that a model becomes a tree of LLVM and C modules.
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <byoc/plugin.hpp>
#include <cstring>

namespace {

// The name of every target's layout is in the module, so that whoever links it can tell whether it fits.
std::string data_layout(const byoc::TargetSpec& target, std::string& why) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMTargetRef found = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(target.triple.c_str(), &found, &message) != 0) {
    why = message;
    LLVMDisposeMessage(message);
    return {};
  }
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(found, target.triple.c_str(), target.cpu.c_str(), "", LLVMCodeGenLevelDefault,
                              LLVMRelocDefault, LLVMCodeModelDefault);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char* text = LLVMCopyStringRepOfTargetData(layout);
  std::string out = text;
  LLVMDisposeMessage(text);
  LLVMDisposeTargetData(layout);
  LLVMDisposeTargetMachine(machine);
  return out;
}

// One LLVM module under construction.
class Module {
 public:
  explicit Module(const byoc::TargetSpec& target, const std::string& layout)
      : context_(LLVMContextCreate()), module_(LLVMModuleCreateWithNameInContext("bitcode", context_)) {
    LLVMSetTarget(module_, target.triple.c_str());
    LLVMSetDataLayout(module_, layout.c_str());
  }
  ~Module() {
    LLVMDisposeModule(module_);
    LLVMContextDispose(context_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // int32_t symbol(const float *in0 ..., float *out0): out0[i] = op(in0[i] ...) for i below `count`, at least 1.
  void elementwise(const std::string& symbol, const std::string& op, unsigned inputs, std::uint64_t count) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context_), real = LLVMFloatTypeInContext(context_);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context_, 0);
    std::vector<LLVMTypeRef> parameters(inputs + 1, pointer);
    LLVMValueRef function = LLVMAddFunction(
        module_, symbol.c_str(), LLVMFunctionType(i32, parameters.data(), static_cast<unsigned>(parameters.size()), 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context_, function, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context_, function, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context_, function, "done");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context_);

    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildBr(b, loop);

    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef i = LLVMBuildPhi(b, i32, "i");
    const auto element = [&](unsigned parameter) {
      return LLVMBuildInBoundsGEP2(b, real, LLVMGetParam(function, parameter), &i, 1, "at");
    };
    LLVMValueRef x = LLVMBuildLoad2(b, real, element(0), "x");
    LLVMValueRef y = inputs > 1 ? LLVMBuildLoad2(b, real, element(1), "y") : nullptr;
    LLVMValueRef z = op == "Add"   ? LLVMBuildFAdd(b, x, y, "z")
                     : op == "Sub" ? LLVMBuildFSub(b, x, y, "z")
                     : op == "Mul" ? LLVMBuildFMul(b, x, y, "z")
                                   : LLVMBuildFNeg(b, x, "z");
    LLVMBuildStore(b, z, element(inputs));
    LLVMValueRef next = LLVMBuildAdd(b, i, LLVMConstInt(i32, 1, 0), "next");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, LLVMConstInt(i32, count, 0), "more"), loop, done);
    LLVMValueRef values[] = {LLVMConstInt(i32, 0, 0), next};
    LLVMBasicBlockRef blocks[] = {entry, loop};
    LLVMAddIncoming(i, values, blocks, 2);

    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRet(b, LLVMConstInt(i32, 0, 0));
    LLVMDisposeBuilder(b);
  }

  std::vector<std::byte> bytes() const {
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module_);
    std::vector<std::byte> out(LLVMGetBufferSize(buffer));
    std::memcpy(out.data(), LLVMGetBufferStart(buffer), out.size());
    LLVMDisposeMemoryBuffer(buffer);
    return out;
  }

 private:
  LLVMContextRef context_;
  LLVMModuleRef module_;
};

class Bitcode final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (!node.domain.empty() || (node.op != "Add" && node.op != "Sub" && node.op != "Mul" && node.op != "Neg"))
      return refuse(Reason::unsupported_op, "only Add, Sub, Mul and Neg are known");
    if (node.text("activation", "none") != "none")
      return refuse(Reason::unsupported_attribute, "no fused activation is known");
    const Value& out = model.values[node.outputs[0]];
    if (out.elements() == 0 || out.elements() > INT32_MAX)
      return refuse(Reason::unsupported_shape, "found " + std::to_string(out.elements()) + " elements");
    for (auto id : node.inputs) {
      const Value& in = model.values[id];
      if (in.dtype != byoc::DType::f32)
        return refuse(Reason::unsupported_dtype, "found " + std::string(to_string(in.dtype)) + ", expected f32");
      if (in.dims != out.dims) return refuse(Reason::unsupported_shape, "no broadcasting is known");
      if (in.is_constant) return refuse(Reason::not_constant, "constant inputs are not known");
    }
    return claim();
  }

  bool compile(const Request& request, Host& host) override {
    std::string why;
    const std::string layout = data_layout(target, why);
    if (layout.empty()) {
      host.diag(byoc::codegen::Severity::error, request.regions[0], byoc::codegen::kNoNode, why);
      return false;
    }
    Module module(target, layout);
    byoc::codegen::ArtifactDecl artifact;
    artifact.kind = byoc::codegen::ArtifactKind::llvm_bitcode;
    artifact.name = host.claim("bitcode");
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        Step step;
        step.symbol = host.claim("bitcode_" + node.op);
        step.nodes = {n};
        step.kernel = "bitcode";
        step.outputs = {{node.outputs[0]}};
        for (auto id : node.inputs) {
          step.overlays.push_back({0, static_cast<std::uint32_t>(step.inputs.size())});
          step.inputs.push_back({id});
        }
        module.elementwise(step.symbol, node.op, static_cast<unsigned>(node.inputs.size()),
                           static_cast<std::uint64_t>(region.values[node.outputs[0]].elements()));
        artifact.defines.push_back(step.symbol);
        host.step(region, step);
      }
    host.artifact(artifact, module.bytes());
    return true;
  }
};

}  // namespace

BYOC_PLUGIN(
    Bitcode,
    {.id = "org.example.bitcode", .name = "Bitcode", .vendor = "Example", .version = "1.0", .license = "Apache-2.0"});
