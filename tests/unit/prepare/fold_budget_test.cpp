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

// `count` strings of `length` letters each.
std::string strings(const std::string& name, int count, std::size_t length) {
  std::string out = "const %" + name + " : string[" + std::to_string(count) + "] = [";
  for (int i = 0; i < count; ++i) out += (i == 0 ? "\"" : ", \"") + std::string(length, 'a') + "\"";
  return out + "] ";
}

// Each doubles what the one before made: what is made in all is bounded, whatever the number of doublings.
std::string doublings(int count) {
  std::string out = strings("v0", 1, 16);
  for (int i = 0; i < count; ++i)
    out += "%v" + std::to_string(i + 1) + " : string[1] = StringConcat.20(%v" + std::to_string(i) + ", %v" +
           std::to_string(i) + ") ";
  return out + "output %v" + std::to_string(count);
}

TEST(FoldBudget, countsTheBytesOfStrings) {
  const FoldLimit limit{.bytes = 1 << 20, .operations = 0};
  const auto told = [&](const std::string& statements) { return prepared(statements, limit).told; };
  EXPECT_EQ(told(doublings(8)), "");
  EXPECT_THAT(told(doublings(20)), HasSubstr("goes beyond the fold limit"));
  EXPECT_THAT(told(doublings(60)), HasSubstr("goes beyond the fold limit"));
  // Repeated, chosen, joined: a long one each time.
  const std::string long_one = strings("x", 1, 4000);
  EXPECT_THAT(told(long_one + "const %s : i64[1] = [100] %y : string[100] = Expand.13(%x, %s) output %y"),
              HasSubstr("'Expand'"));
  EXPECT_THAT(told(long_one + "const %s : i64[1] = [100] %y : string[100] = Tile.13(%x, %s) output %y"),
              HasSubstr("'Tile'"));
  EXPECT_THAT(told(long_one + "const %i : i64[100] = splat(0) %y : string[100] = Gather.13(%x, %i) output %y"),
              HasSubstr("'Gather'"));
  EXPECT_THAT(told(long_one + strings("z", 30, 2) + "%y : string[30] = StringConcat.20(%z, %x) output %y"),
              HasSubstr("'StringConcat'"));
  EXPECT_THAT(told(long_one + "const %k : i64[1] = [1] const %d : string[1] = [\"\"] const %i : i64[100] = splat(1) "
                              "%y : string[100] = ai.onnx.ml.LabelEncoder.4(%i, %k, %x, %d) output %y"),
              HasSubstr("'ai.onnx.ml.LabelEncoder'"));
  EXPECT_EQ(told(long_one + "const %s : i64[2] = [1, 1] %y : string[1,1] = Reshape.13(%x, %s) output %y"), "");
}

// A header says how large the picture is; nothing is decoded for the question.
TEST(FoldBudget, countsThePixelsOfPictures) {
  const auto picture = [](const std::string& header) {
    std::string out = "const %x : u8[" + std::to_string(header.size()) + "] = [";
    for (const char c : header) out += (out.back() == '[' ? "" : ", ") + std::to_string(int{c});
    return out + "] %y : u8? = ImageDecoder.20(%x) output %y";
  };
  EXPECT_THAT(prepared(picture("P5 8000 8000 255\n"), {.bytes = 100 << 20, .operations = 0}).told,
              HasSubstr("only folding computes it, and that goes beyond the fold limit (found 640000000 bytes"));
  EXPECT_THAT(prepared(picture("P5 8000 8000 255\n"), {.bytes = 0, .operations = 1 << 30}).told,
              HasSubstr("goes beyond the fold limit"));
  EXPECT_EQ(prepared(picture("P5 1 1 255\n1")).told, "");
}

TEST(FoldBudget, countsWhatSamplersDo) {
  const FoldLimit limit{.bytes = 0, .operations = 1 << 22};
  const auto told = [&](const std::string& statements) { return prepared(statements, limit).told; };
  const std::string image = "const %x : f32[1,1,8,8] = splat(1) ";
  EXPECT_EQ(told(image + "const %g : f32[1,8,8,2] = splat(0) %y : ? = GridSample.20(%x, %g) output %y"), "");
  EXPECT_THAT(told(image + "const %g : f32[1,200,200,2] = splat(0) %y : ? = GridSample.20(%x, %g) output %y"),
              HasSubstr("'GridSample'"));
  EXPECT_THAT(told("const %x : f32[1,8,32,32] = splat(1) const %w : f32[8,8,3,3] = splat(1) "
                   "const %o : f32[1,18,30,30] = splat(0) %y : f32[1,8,30,30] = DeformConv.19(%x, %w, %o) output %y"),
              HasSubstr("'DeformConv'"));
}

// Its operands become constants in the same pass, so that nobody has told its type before.
TEST(FoldBudget, countsWhatOnlyNowHasConstantOperands) {
  const FoldLimit limit{.bytes = 1 << 20, .operations = 0};
  const auto told = [&](const std::string& statements) { return prepared(statements, limit).told; };
  const std::string computed =
      "const %n : i64[2] = [1, 1000] const %m : i64[2] = [1000, 1] const %one : i64[2] = [1, 1] "
      "%s : i64[2] = Mul.14(%n, %one) %r : i64[2] = Mul.14(%m, %one) %a : f32? = ConstantOfShape.9(%s) "
      "%b : f32? = ConstantOfShape.9(%r) ";
  EXPECT_THAT(told(computed + "%y : f32? = MatMul.13(%b, %a) output %y"), HasSubstr("'MatMul'"));
  EXPECT_THAT(told(computed + "%y : f32? = Add.14(%b, %a) output %y"), HasSubstr("'Add'"));
  EXPECT_THAT(told("const %n : i64[1] = [1000] const %x : f32[1] = [1] %s : i64[1] = Mul.14(%n, %n) "
                   "%y : f32? = Expand.13(%x, %s) output %y"),
              HasSubstr("'Expand'"));
}

}  // namespace
}  // namespace byoc
