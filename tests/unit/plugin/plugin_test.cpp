// Regions of a graph, and what the host says to a codegen that breaks the rules.
#include <gtest/gtest.h>

#include <functional>

#include "sdk/codegen/codegen/compilation.hpp"

namespace byoc::plugin {
namespace {

ir::Graph diamond() {
  ir::Graph g;
  g.name = "diamond";
  for (const char* name : {"x", "a", "b", "y"}) {
    ir::Value v;
    v.name = name;
    v.type.dtype = DType::f32;
    v.type.dims = {4};
    g.add_value(v);
  }
  g.add_constant("w", g.values[0].type, Blob::own(std::vector<std::byte>(16)));
  const auto node = [&](const char* op, std::vector<ir::ValueId> in, ir::ValueId out) {
    ir::Node n;
    n.op = op;
    n.inputs = std::move(in);
    n.outputs = {out};
    g.add_node(n);
  };
  node("Abs", {0}, 1);
  node("Add", {1, 4}, 2);
  node("Mul", {1, 2}, 3);
  g.inputs = {0};
  g.outputs = {3};
  return g;
}

TEST(Region, knowsItsBorders) {
  const ir::Graph g = diamond();
  const ir::NodeId nodes[] = {1};
  const BoundRegion r = make_region(g, nodes, "r");
  ASSERT_EQ(r.region.inputs.size(), 1u);
  EXPECT_EQ(r.region.values[r.region.inputs[0]].name, "a");
  ASSERT_EQ(r.region.outputs.size(), 1u);
  EXPECT_EQ(r.region.values[r.region.outputs[0]].name, "b");
  EXPECT_TRUE(r.region.values[r.region.nodes[0].inputs[1]].is_constant);
  EXPECT_EQ(make_region(g).region.nodes.size(), 3u);
}

class Scripted final : public codegen::Codegen {
 public:
  explicit Scripted(std::function<bool(const codegen::Region&, codegen::Host&)> script) : script_(std::move(script)) {}
  std::string_view id() const override { return "scripted"; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    return std::vector<codegen::Verdict>(r.nodes.size(), {true, codegen::Reason::none, {}});
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    const codegen::Region& r = request.regions[0];
    const bool ok = script_(r, host);
    // What the script does not compute.
    if (completes) host.alias(r, r.outputs[0], r.inputs[0]);
    return ok;
  }
  bool completes = true;

 private:
  std::function<bool(const codegen::Region&, codegen::Host&)> script_;
};

std::string error_of(std::function<void(const codegen::Region&, codegen::Host&)> script, bool result = true,
                     bool completes = true) {
  const ir::Graph g = diamond();
  Scripted codegen([&](const codegen::Region& r, codegen::Host& h) {
    script(r, h);
    return result;
  });
  codegen.completes = completes;
  const BoundRegion region = make_region(g);
  TargetSpec target;
  NameTable names;
  Compilation out;
  Diagnostics diags;
  const bool ok =
      bool(compile_regions(codegen, {&region, 1}, {g, target, Objective::balanced, "m", "m_i.h"}, names, out, diags));
  EXPECT_EQ(ok, !diags.has_errors());
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

TEST(Host, namesTheCodegenThatBreaksARule) {
  using codegen::Host;
  using codegen::Region;
  EXPECT_EQ(error_of([](const Region&, Host&) {}), "");
  EXPECT_EQ(error_of([](const Region&, Host&) {}, true, false),
            "error: codegen 'scripted': claimed Mul '' and computes 'y' in no step");
  EXPECT_EQ(error_of([](const Region& r, Host& h) { h.alias(r, r.outputs[0], r.outputs[0]); }, true, false),
            "error: codegen 'scripted': 'y' is an alias of itself");
  EXPECT_NE(error_of([](const Region&, Host&) {}, false).find("failed without saying why"), std::string::npos);
  EXPECT_NE(error_of([](const Region& r, Host& h) { h.step(r, {.symbol = "printf"}); }).find("was not claimed"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region& r, Host& h) {
              h.step(r, {.symbol = h.claim("s"), .inputs = {{99, 0}}});
            }).find("names value 99"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region& r, Host& h) {
              h.step(r, {.symbol = h.claim("s"), .inputs = {{r.nodes[1].inputs[1], 0}}});
            }).find("has constant 'w' as an operand"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region& r, Host& h) {
              h.constant_from_value({.symbol = h.claim("c")}, r, r.nodes[1].inputs[1], 8, 9);
            }).find("reaches past the end of 'w' (found 8 + 9, expected at most 16 bytes)"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region&, Host& h) { h.private_value({16, 3, {}}); }).find("no power of two"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region&, Host& h) {
              h.source({"k", "k", true}, "one");
              h.source({"k", "k", true}, "two");
            }).find("given twice with different text"),
            std::string::npos);
  EXPECT_NE(error_of([](const Region& r, Host& h) {
              h.diag(codegen::Severity::error, r, 1, "no such thing");
            }).find("codegen 'scripted': no such thing"),
            std::string::npos);
}

codegen::ArtifactDecl shared_module(codegen::Effort effort) {
  return {.kind = codegen::ArtifactKind::llvm_bitcode, .name = "k", .symbol = "k", .shared = true, .effort = effort};
}

TEST(Host, keepsASharedKernelOnceWithTheMostOfItsEfforts) {
  using codegen::Effort;
  const std::vector<std::byte> one(1), two(2);
  EXPECT_NE(error_of([&](const codegen::Region&, codegen::Host& h) {
              h.artifact(shared_module(Effort::hot), one);
              h.artifact(shared_module(Effort::hot), two);
            }).find("shared source 'k' was given twice with different text"),
            std::string::npos);
  EXPECT_NE(error_of([&](const codegen::Region&, codegen::Host& h) {
              h.source({"k", "k", true}, "text");
              h.artifact(shared_module(Effort::hot), one);
            }).find("given twice"),
            std::string::npos);
  const ir::Graph g = diamond();
  const BoundRegion region = make_region(g);
  Scripted codegen([&](const codegen::Region&, codegen::Host& h) {
    for (const Effort effort : {Effort::usual, Effort::light, Effort::usual, Effort::glue}) {
      h.artifact(shared_module(effort), one);
      h.source({.name = "c", .symbol = "c", .shared = true, .effort = effort}, "text");
    }
    h.source({.name = "c", .symbol = "c", .shared = true, .effort = Effort::hot}, "text");
    return true;
  });
  TargetSpec target;
  NameTable names;
  Compilation out;
  Diagnostics diags;
  ASSERT_TRUE(
      compile_regions(codegen, {&region, 1}, {g, target, Objective::balanced, "m", "m_i.h"}, names, out, diags));
  ASSERT_EQ(out.others.size(), 1u);
  EXPECT_EQ(out.others[0].decl.effort, Effort::light);
  ASSERT_EQ(out.sources.size(), 1u);
  EXPECT_EQ(out.sources[0].decl.effort, Effort::hot);
}

TEST(Host, keepsConstantsByReferenceAndNamesApart) {
  const ir::Graph g = diamond();
  const BoundRegion region = make_region(g);
  Scripted codegen([&](const codegen::Region& r, codegen::Host& h) {
    EXPECT_EQ(h.claim("w"), "m_w");
    const std::string second = h.claim("w");
    EXPECT_EQ(second, "m_w_2");
    h.constant_from_value({.symbol = second}, r, r.nodes[1].inputs[1], 4, 8);
    return true;
  });
  TargetSpec target;
  NameTable names;
  Compilation out;
  Diagnostics diags;
  ASSERT_TRUE(
      compile_regions(codegen, {&region, 1}, {g, target, Objective::balanced, "m", "m_i.h"}, names, out, diags));
  EXPECT_EQ(out.constants[0].bytes.data(), g.values[4].constant->bytes.data() + 4);
}

}  // namespace
}  // namespace byoc::plugin
