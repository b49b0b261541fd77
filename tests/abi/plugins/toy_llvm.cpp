// A second backend in little: float Add and MatMul as LLVM modules, in text. Two kernels that models of a program
// share, each a module with one definition, and a module of the model's own with the functions of its steps, which call
// them.
#include <byoc/plugin.hpp>

namespace {

using byoc::codegen::ArtifactDecl;
using byoc::codegen::ArtifactKind;
using byoc::codegen::Effort;

struct ToyKernel {
  const char* symbol;
  Effort effort;
  const char* module;
};

constexpr ToyKernel kAdd = {"toy_add", Effort::light, R"(
define void @toy_add(ptr %a, ptr %b, ptr %y, i32 %n) {
start:
  br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %next, %loop ]
  %pa = getelementptr float, ptr %a, i32 %i
  %pb = getelementptr float, ptr %b, i32 %i
  %py = getelementptr float, ptr %y, i32 %i
  %va = load float, ptr %pa
  %vb = load float, ptr %pb
  %sum = fadd float %va, %vb
  store float %sum, ptr %py
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
)"};

// y[m][n] = a[m][k] b[k][n].
constexpr ToyKernel kMatMul = {"toy_matmul", Effort::hot, R"(
define internal float @dot(ptr %a, ptr %b, i32 %k, i32 %n) {
start:
  br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %more_sum, %loop ]
  %at = mul i32 %i, %n
  %pa = getelementptr float, ptr %a, i32 %i
  %pb = getelementptr float, ptr %b, i32 %at
  %va = load float, ptr %pa
  %vb = load float, ptr %pb
  %product = fmul float %va, %vb
  %more_sum = fadd float %sum, %product
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %k
  br i1 %more, label %loop, label %end
end:
  ret float %more_sum
}

define void @toy_matmul(ptr %a, ptr %b, ptr %y, i32 %m, i32 %k, i32 %n) {
start:
  %count = mul i32 %m, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %next, %loop ]
  %row = udiv i32 %i, %n
  %column = urem i32 %i, %n
  %from = mul i32 %row, %k
  %pa = getelementptr float, ptr %a, i32 %from
  %pb = getelementptr float, ptr %b, i32 %column
  %v = call float @dot(ptr %pa, ptr %pb, i32 %k, i32 %n)
  %py = getelementptr float, ptr %y, i32 %i
  store float %v, ptr %py
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
)"};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

class Toy final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (!node.domain.empty() || (node.op != "Add" && node.op != "MatMul"))
      return refuse(Reason::unsupported_op, "only Add and MatMul");
    for (const auto v : {node.inputs[0], node.inputs[1], node.outputs[0]})
      if (model.values[v].dtype != byoc::DType::f32 || model.values[v].elements() == 0)
        return refuse(Reason::unsupported_dtype, "only floats");
    const auto& a = model.values[node.inputs[0]].dims;
    const auto& b = model.values[node.inputs[1]].dims;
    if (node.op == "Add" ? a != b : a.size() != 2 || b.size() != 2)
      return refuse(Reason::unsupported_shape, node.op == "Add" ? "only equal shapes" : "only matrices");
    Verdict yes = claim();
    yes.exactness = byoc::codegen::Exactness::relative;
    yes.tolerance = 1e-5;
    return yes;
  }

  bool compile(const Request& request, Host& host) override {
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) emit(region, n, host);
    ArtifactDecl own;
    own.kind = ArtifactKind::llvm_bitcode;
    own.name = host.claim("toy");
    own.defines = steps_;
    host.artifact(own, bytes_of(declarations_ + functions_));
    return true;
  }

 private:
  void emit(const Region& region, byoc::codegen::NodeId n, Host& host) {
    const Node& node = region.nodes[n];
    Step step;
    step.symbol = host.claim("toy_" + node.op);
    step.nodes = {n};
    step.outputs = {{node.outputs[0]}};
    std::string parameters, arguments;
    for (const auto v : node.inputs) {
      std::string operand = "%in" + std::to_string(step.inputs.size());
      if (region.values[v].is_constant) {
        operand = "@" + byoc::constant_symbol(host, region, v, "toy_constant");
        declarations_ += operand + " = external constant i8\n";
      } else {
        step.inputs.push_back({v});
        parameters += "ptr " + operand + ", ";
      }
      arguments += "ptr " + operand + ", ";
    }
    const auto& y = region.values[node.outputs[0]];
    const auto& a = region.values[node.inputs[0]];
    const bool is_add = node.op == "Add";
    const ToyKernel& kernel = is_add ? kAdd : kMatMul;
    std::vector<std::int64_t> sizes = {y.elements()};
    if (!is_add) sizes = {a.dims[0], a.dims[1], y.dims[1]};
    step.kernel = kernel.symbol;
    std::string types = "ptr, ptr, ptr", values = arguments + "ptr %out";
    for (const std::int64_t size : sizes) {
      types += ", i32";
      values += ", i32 " + std::to_string(size);
    }
    share(kernel, types, host);
    functions_ += "define i32 @" + step.symbol + "(" + parameters + "ptr %out) {\n  call void @" + kernel.symbol + "(" +
                  values + ")\n  ret i32 0\n}\n";
    steps_.push_back(step.symbol);
    host.step(region, step);
  }

  void share(const ToyKernel& kernel, const std::string& types, Host& host) {
    ArtifactDecl decl;
    decl.kind = ArtifactKind::llvm_bitcode;
    decl.name = decl.symbol = kernel.symbol;
    decl.shared = true;
    decl.effort = kernel.effort;
    host.artifact(decl, bytes_of(kernel.module));
    const std::string declaration = "declare void @" + std::string(kernel.symbol) + "(" + types + ")\n";
    if (declarations_.find(declaration) == std::string::npos) declarations_ += declaration;
  }

  std::vector<std::string> steps_;
  std::string declarations_, functions_;
};

}  // namespace

BYOC_PLUGIN(Toy, {.id = "test.toy", .name = "Toy", .vendor = "byoc", .version = "1.0", .license = "0BSD"});
