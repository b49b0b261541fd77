// A codegen around a library that programs link themselves: MatMul, Gemm and FullyConnected of float32 as calls of
// cblas_sgemm, on hosts. README.md says how it came about.
#include <byoc/nodes/activation.hpp>
#include <byoc/nodes/matmul.hpp>
#include <byoc/plugin.hpp>
#include <cmath>
#include <optional>

namespace {

namespace nodes = byoc::nodes;
using byoc::codegen::Node;
using byoc::codegen::Region;
using byoc::codegen::Value;
using byoc::codegen::ValueId;

// y = alpha * a * b + beta * c, between bounds. The integers of CBLAS's enumerations are part of its interface.
constexpr const char* kHeader = R"(#include <stdint.h>
void cblas_sgemm(int order, int trans_a, int trans_b, int rows, int columns, int depth, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc);
enum { BLAS_ROW_MAJOR = 101, BLAS_AS_IT_IS = 111, BLAS_TRANSPOSED = 112 };
)";

struct Product {
  nodes::MatMul m;
  ValueId c = byoc::codegen::kNoValue;
  nodes::Bounds bounds;
};

std::optional<Product> read(const Region& region, const Node& node, std::string& why) {
  Product p;
  std::optional<nodes::MatMul> m;
  if (node.domain.empty() && node.op == "MatMul") {
    m = nodes::read_matmul(region, node, 0, 1, why);
  } else if (node.domain.empty() && node.op == "Gemm") {
    m = nodes::read_gemm(region, node, why);
  } else if (node.domain == "byoc" && node.op == "FullyConnected") {
    const nodes::RowsByMatrix d = nodes::read_fully_connected(region, node);
    if (d.units > 0) {
      m.emplace();
      m->rows = d.rows, m->depth = d.depth, m->columns = d.units;
      m->a_row = d.depth, m->a_depth = 1, m->b_depth = 1, m->b_column = d.depth, m->c_column = 1;
    }
  } else {
    why = "OpenBLAS has no function for it";
  }
  if (!m) return std::nullopt;
  const auto bounds = nodes::activation_bounds(node);
  if (!bounds) {
    why = "found activation " + node.text("activation", "");
    return std::nullopt;
  }
  p.m = *m;
  p.bounds = *bounds;
  if (node.inputs.size() > 2) p.c = node.inputs[2];
  return p;
}

std::string number(std::int64_t n) { return std::to_string(n); }

class OpenBlas final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  [[nodiscard]] Verdict verdict(const Region& model, const Node& node) const override {
    if (target.triple.find("linux") == std::string::npos)
      return refuse(Reason::vendor, "OpenBLAS is for hosts, not for " + target.name);
    std::string why;
    if (!read(model, node, why)) return refuse(Reason::unsupported_op, why.empty() ? "found no product" : why);
    for (const auto* ids : {&node.inputs, &node.outputs})
      for (const ValueId id : *ids) {
        if (id == byoc::codegen::kNoValue) continue;
        const Value& v = model.values[id];
        if (v.dtype != byoc::DType::f32)
          return refuse(Reason::unsupported_dtype, "found " + std::string(to_string(v.dtype)) + ", expected f32");
        if (v.elements() < 1 || v.elements() > INT32_MAX)
          return refuse(Reason::unsupported_shape,
                        "found " + nodes::shape_text(v) + ", expected 1 to 2^31 - 1 elements");
      }
    Verdict out = claim();
    // It adds up in an order of its own.
    out.exactness = byoc::codegen::Exactness::relative;
    out.tolerance = 1e-4;
    return out;
  }

  bool compile(const Request& request, Host& host) override {
    host.header("byoc_openblas.h", kHeader);
    host.artifact({byoc::codegen::ArtifactKind::link_library, "openblas", {}}, {});
    byoc::CFile file(request, host, "openblas");
    file.include("\"byoc_openblas.h\"");
    for (const Region& region : request.regions)
      for (const Node& node : region.nodes) add_step(region, node, host, file);
    file.finish();
    return true;
  }

 private:
  static void add_step(const Region& region, const Node& node, Host& host, byoc::CFile& file) {
    std::string ignored;
    const Product p = *read(region, node, ignored);
    const nodes::MatMul& m = p.m;
    Step step;
    step.nodes = {static_cast<byoc::codegen::NodeId>(&node - region.nodes.data())};
    step.outputs = {{node.outputs[0]}};
    step.macs = static_cast<std::uint64_t>(m.rows * m.columns * m.depth);
    const auto operand = [&](ValueId id) -> std::string {
      if (region.values[id].is_constant) return byoc::constant_symbol(host, region, id, "matrix", 16);
      step.inputs.push_back({id});
      return "in" + number(static_cast<std::int64_t>(step.inputs.size()) - 1);
    };
    const std::string a = operand(node.inputs[0]), b = operand(node.inputs[1]);
    const bool adds = p.c != byoc::codegen::kNoValue && m.beta != 0;
    const std::string rows = number(m.rows), columns = number(m.columns), size = number(m.rows * m.columns);
    std::string body, a_at = a, b_at = b, out_at = "out0", indent = "  ";
    if (adds)
      body += "  for (int64_t i = 0; i < " + size + "; ++i) out0[i] = " + byoc::c_float(m.beta) + " * " + operand(p.c) +
              "[i / " + columns + " * " + number(m.c_row) + " + i % " + columns + " * " + number(m.c_column) + "];\n";
    std::string index;  // of the product among all
    for (std::size_t i = 0; i < nodes::kMatMulBatchRank; ++i) {
      if (m.batch[i] == 1) continue;
      const std::string k = "k" + number(static_cast<std::int64_t>(i));
      body += indent + "for (int64_t " + k + " = 0; " + k + " < " + number(m.batch[i]) + "; ++" + k + ")\n";
      indent += "  ";
      a_at += " + " + k + " * " + number(m.a_batch[i]);
      b_at += " + " + k + " * " + number(m.b_batch[i]);
      index = index.empty() ? k : "(" + index + " * " + number(m.batch[i]) + " + " + k + ")";
    }
    if (!index.empty()) out_at += " + " + index + " * " + size;
    // Of `width` columns, whose rows are at least as long: a matrix of one column may be stored either way.
    const auto matrix = [](std::int64_t row, std::int64_t column, std::int64_t width) {
      const bool as_it_is = column == 1 && row >= width;
      return std::pair(as_it_is ? "BLAS_AS_IT_IS" : "BLAS_TRANSPOSED", number(as_it_is ? row : column));
    };
    const auto [trans_a, lda] = matrix(m.a_row, m.a_depth, m.depth);
    const auto [trans_b, ldb] = matrix(m.b_depth, m.b_column, m.columns);
    body += indent + "cblas_sgemm(BLAS_ROW_MAJOR, " + trans_a + ", " + trans_b + ", " + rows + ", " + columns + ", " +
            number(m.depth) + ", " + byoc::c_float(m.alpha) + ", " + a_at + ", " + lda + ", " + b_at + ", " + ldb +
            ", " + (adds ? "1.0f" : "0.0f") + ", " + out_at + ", " + columns + ");\n";
    const std::string all = number(region.values[node.outputs[0]].elements());
    const auto bound = [&](float at, const char* compare) {
      if (std::isfinite(at))
        body += "  for (int64_t i = 0; i < " + all + "; ++i) if (out0[i] " + compare + " " + byoc::c_float(at) +
                ") out0[i] = " + byoc::c_float(at) + ";\n";
    };
    bound(p.bounds.lo, "<");
    bound(p.bounds.hi, ">");
    file.add(region, step, body);
  }
};

}  // namespace

BYOC_PLUGIN(
    OpenBlas,
    {.id = "org.example.openblas", .name = "OpenBLAS", .vendor = "Example", .version = "1.0", .license = "Apache-2.0"});
