// Folding keeps to a budget: what goes beyond is computed at run time, or refused by name.
#include "sdk/model/prepare/fold_budget.hpp"

#include "tests/unit/prepare/preparing.hpp"

namespace byoc {
namespace {

using test::all_errors;
using test::graph_of;
using testing::HasSubstr;
using testing::Not;

struct Prepared {
  std::string text, told;
  bool ok = false;
};

Prepared prepared(const std::string& statements, const FoldLimit& limit = {}) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  PrepareOptions options;
  options.fold_limit = limit;
  Prepared out;
  out.ok = bool(prepare(g, options, diags));
  out.told = all_errors(diags);
  out.text = ir::print(g, {8});
  return out;
}

const char* const kProduct = R"(
    input %x : f32[128,128]
    const %a : f32[128,128] = splat(1)
    %b : ? = MatMul.13(%a, %a) @"product"
    %y : ? = Add.13(%x, %b)
    output %y)";

TEST(FoldBudget, whatTakesTooManyOperationsIsLeft) {
  EXPECT_THAT(prepared(kProduct).text, Not(HasSubstr("MatMul")));
  EXPECT_EQ(prepared(kProduct).told, "");
  const Prepared bounded = prepared(kProduct, {.bytes = 1 << 30, .operations = 1 << 20});
  EXPECT_TRUE(bounded.ok);
  EXPECT_THAT(bounded.text, HasSubstr("MatMul"));
  EXPECT_EQ(
      bounded.told,
      "t.byoc: warning: 'MatMul 'product'': is left to be computed at run time: folding it goes beyond the fold "
      "limit (found 393216 bytes and 2293760 operations, expected at most 1073741824 bytes and 1048576 operations "
      "for all nodes; --fold-limit sets it)\n");
  EXPECT_THAT(prepared(kProduct, {.bytes = 0, .operations = 0}).text, Not(HasSubstr("MatMul")));
}

// Each is twice the one before: together they take what all may have.
TEST(FoldBudget, bytesCountOverAllNodes) {
  std::string statements = "input %x : u8[1] const %c0 : u8[1024] = splat(1)";
  for (int i = 1; i <= 8; ++i) {
    const std::string from = "%c" + std::to_string(i - 1);
    statements += " %c" + std::to_string(i) + " : ? = Concat.13(" + from + ", " + from + ") {axis=0} @\"d" +
                  std::to_string(i) + "\"";
  }
  statements += " %y : ? = Max.13(%x, %c8) output %y";
  EXPECT_THAT(prepared(statements).text, Not(HasSubstr("Concat")));
  const Prepared bounded = prepared(statements, {.bytes = 32 << 10, .operations = 0});
  EXPECT_TRUE(bounded.ok) << bounded.told;
  // What reads it is computed at run time as well, without a word.
  EXPECT_THAT(bounded.told, HasSubstr("warning: 'Concat 'd5'': is left to be computed at run time"));
  EXPECT_THAT(bounded.told, HasSubstr("expected at most 32768 bytes for all nodes;"));
  EXPECT_EQ(std::count(bounded.told.begin(), bounded.told.end(), '\n'), 1) << bounded.told;
  for (const char* left : {"d5", "d6", "d8"}) EXPECT_THAT(bounded.text, HasSubstr(std::string("@\"") + left));
  EXPECT_THAT(bounded.text, Not(HasSubstr("@\"d4\"")));
}

TEST(FoldBudget, whatOnlyFoldingComputesIsRefused) {
  EXPECT_THAT(
      prepared(R"(
    input %x : f32[1]
    const %s : i64[1] = [536870912]
    %c : ? = ConstantOfShape.9(%s) @"fill"
    %y : ? = Add.13(%x, %c)
    output %y)")
          .told,
      HasSubstr("error: 'ConstantOfShape 'fill'': only folding computes it, and that goes beyond the fold limit "
                "(found 2147483656 bytes"));
  EXPECT_THAT(prepared(R"(
    const %c : f32[4096] = splat(1)
    %i : ? = NonZero.13(%c) @"places"
    output %i)",
                       {.bytes = 1 << 12, .operations = 0})
                  .told,
              HasSubstr("error: 'NonZero 'places'': only folding computes it"));
}

// They are small, and whether a model can be compiled depends on them.
TEST(FoldBudget, shapesAreComputedAllTheSame) {
  const Prepared p = prepared(R"(
    input %x : f32[4,6]
    const %a : f32[64,64] = splat(1)
    %b : ? = MatMul.13(%a, %a)
    %s : ? = Shape.13(%x)
    const %two : i64[1] = [2]
    %m : ? = Mul.13(%s, %two)
    const %half : i64[2] = [1, 4]
    %d : ? = Div.13(%m, %half)
    %y : ? = Reshape.13(%x, %d)
    output %y
    output %b)",
                              {.bytes = 1, .operations = 1});
  EXPECT_TRUE(p.ok) << p.told;
  EXPECT_THAT(p.text, HasSubstr("f32[8,3]"));
  EXPECT_THAT(p.text, HasSubstr("MatMul"));
}

TEST(FoldBudget, roundsOfLoopsCount) {
  const std::string loop = R"(
    const %n : i64[] = [4000]
    const %v : f32[512] = splat(1)
    %r : ? = Loop.13(%n, _, %v) {captures=0, body=graph "b" requant=onnx {
      input %i : i64[]
      input %c : bool[]
      input %a : f32[512]
      const %go : bool[] = [1]
      %b : ? = Add.13(%a, %a)
      output %go
      output %b
    }}
    output %r)";
  EXPECT_THAT(prepared(loop).text, Not(HasSubstr("Loop")));
  EXPECT_THAT(prepared(loop, {.bytes = 1 << 20, .operations = 0}).text, HasSubstr("Loop"));
  EXPECT_THAT(prepared(loop, {.bytes = 0, .operations = 1 << 20}).text, HasSubstr("Loop"));
}

// What takes the square of its elements says so.
TEST(FoldBudget, knowsWhatIsNotLinear) {
  const FoldLimit limit{.bytes = 0, .operations = 1 << 22};
  const auto left = [&](const std::string& statements) { return prepared(statements, limit).told; };
  EXPECT_THAT(left("const %x : f32[1,1024,1] = splat(1) %y : ? = DFT.17(%x) {axis=1} output %y"), HasSubstr("'DFT'"));
  EXPECT_THAT(left("const %x : f32[256,256] = splat(1) %y : ? = Det.11(%x) output %y"), HasSubstr("'Det'"));
  EXPECT_THAT(left("const %x : f32[1,1,128,128] = splat(1) %y : ? = MaxPool.12(%x) {kernel_shape=[64, 64]} output %y"),
              HasSubstr("'MaxPool'"));
  EXPECT_EQ(left("const %x : f32[1,1,128,128] = splat(1) %y : ? = MaxPool.12(%x) {kernel_shape=[2, 2]} output %y"), "");
}

}  // namespace
}  // namespace byoc
