#include <array>
#include <cstring>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/prepare/fold.hpp"
#include "sdk/model/prepare/fold_budget.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

TEST(Prepare, bindsDimensionsByName) {
  ir::Graph g = graph_of("input %x : f32[N,3] %y = Relu.13(%x) output %y");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {.lift = true, .dims = {{"N", 4}}}, diags)) << all_errors(diags);
  EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "f32[4,3]");
}

TEST(Prepare, refusesBindingsThatDoNotFit) {
  const std::string text = "input %x : f32[N,3] %y = Relu.13(%x) output %y";
  EXPECT_THAT(prepare_error(text, {.lift = true, .dims = {{"batch", 4}}}),
              HasSubstr("no open dimension of this name (found batch, expected 'N', 'M')"));
  EXPECT_THAT(prepare_error(text, {.lift = true, .dims = {{"N", -4}}}),
              HasSubstr("dimension 'N' is negative (found -4"));
}

TEST(Prepare, makesConstantsOfInputsThatAreSet) {
  ir::Graph g = graph_of(
      "input %x : f32[N,2] input %s : f32[2] input %c : bool[] %z = Mul.14(%x, %s) %y = Where.16(%c, %z, %x) output "
      "%y");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {.dims = {{"N", 4}}, .inputs = {{"s", "0.5,-2"}, {"c", "1"}}}, diags)) << all_errors(diags);
  ASSERT_EQ(g.inputs.size(), 1U);
  EXPECT_THAT(print(g), HasSubstr("f32[2] = [0.5, -2.0]"));
  ir::Graph same = graph_of("input %x : i16[3] input %s : i16[3] %y = Add.14(%x, %s) output %y");
  ASSERT_TRUE(prepare(same, {.dims = {}, .inputs = {{"s", "-7"}}}, diags)) << all_errors(diags);
  EXPECT_THAT(print(same), HasSubstr("i16[3] = [-7, -7, -7]"));
}

TEST(Prepare, refusesInputsThatCannotBeSet) {
  const std::string text =
      "input %x : f32[N] input %s : i8[3] input %b : bool[1] input %h : f16[1] %y = Relu.13(%x) %z = Abs.13(%s) "
      "%n = Not.1(%b) %r = Relu.13(%h) output %y output %z output %n output %r";
  const auto error = [&](const std::string& name, const std::string& value) {
    return prepare_error(text, {.dims = {}, .inputs = {{name, value}}});
  };
  EXPECT_THAT(error("t", "1"), HasSubstr("the model has no input of this name (found t, expected 'x', 's', 'b', 'h')"));
  EXPECT_THAT(error("x", "1"), HasSubstr("'x': an input that is set needs a known shape (found f32[N], expected "
                                         "lengths, bound with --dim)"));
  EXPECT_THAT(error("s", "1,2"), HasSubstr("'s': an input is set to another number of elements than it has (found 2, "
                                           "expected 1 or 3)"));
  EXPECT_THAT(error("s", "128"),
              HasSubstr("'s': an input is set to what is no element of it (found '128', expected i8)"));
  EXPECT_THAT(error("s", "1,,2"), HasSubstr("(found '', expected i8)"));
  EXPECT_THAT(error("b", "2"), HasSubstr("(found '2', expected bool)"));
  EXPECT_THAT(error("h", "1"), HasSubstr("'h': an input of this type cannot be set (found f16, expected numbers"));
}

TEST(Prepare, namesDimensionsThatStayOpen) {
  EXPECT_THAT(
      prepare_error("input %x : f32[2,N] %y = Relu.13(%x) output %y"),
      HasSubstr("'x': dimension 1 is open (found 'N' in f32[2,N], expected a length, bound with --dim N=LENGTH, or "
                "--executor vm on a host)"));
}

TEST(Prepare, namesValuesWhoseTypeDependsOnData) {
  EXPECT_THAT(prepare_error("input %x : f32[2] input %s : i64[1] %y = Reshape.13(%x, %s) output %y"),
              HasSubstr("'y': its type could not be found from the model (found f32?"));
}

TEST(Prepare, namesOperatorsWhoseResultsHaveARunTimeShape) {
  PrepareOptions unbounded;
  unbounded.bound_shapes = false;
  const auto error = [&](const std::string& text) { return prepare_error(text, unbounded); };
  EXPECT_THAT(error("input %x : f32[2] %y = NonZero.13(%x) output %y"),
              HasSubstr("'NonZero': its result has a shape that is known only at run time (found i64[1,y.dim1], "));
  EXPECT_THAT(error("input %x : f32[2] %y, %i = Unique.11(%x) output %y"), HasSubstr("Unique"));
  EXPECT_THAT(error("input %x : f32[2] input %c : bool[2] %y = Compress.11(%x, %c) output %y"), HasSubstr("Compress"));
  EXPECT_THAT(error("input %b : f32[1,2,4] input %s : f32[1,1,2] %y = NonMaxSuppression.11(%b, %s) output %y"),
              HasSubstr("NonMaxSuppression"));
}

TEST(Prepare, foldsWhatConstantsGiveALength) {
  ir::Graph g = graph_of(R"(const %x : f32[2,2] = [0, 3, 0, 5] %nz = NonZero.13(%x) output %nz
    const %u : i32[4] = [5, 2, 5, 1] %v, %first, %inverse, %counts = Unique.11(%u) output %v output %first output %counts
    input %d : f32[3] const %c : bool[3] = [1, 0, 1] %kept = Compress.11(%d, %c) {axis=0} output %kept
    %size = Size.13(%d) output %size)");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "i64[2,2]");
  EXPECT_TRUE(g.is_constant(g.outputs[0]));
  EXPECT_EQ(to_string(g.values[g.outputs[1]].type, g), "i32[3]");
  EXPECT_EQ(to_string(g.values[g.outputs[2]].type, g), "i64[3]");
  EXPECT_EQ(to_string(g.values[g.outputs[4]].type, g), "f32[2]");
  EXPECT_FALSE(g.is_constant(g.outputs[4]));
  EXPECT_TRUE(g.is_constant(g.outputs[5]));
}

TEST(Prepare, foldsConstantsAndDropsWhatNobodyReads) {
  ir::Graph g = graph_of(R"(input %x : f32[2]
    const %a : f32[2] = [1, 2] const %b : f32[1] = [10]
    %c = Add.13(%a, %b)
    %unused = Relu.13(%a)
    %y = Add.13(%x, %c)
    output %y output %c)");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
  EXPECT_EQ(ir::print(g), R"(graph "t" requant=onnx symbols=[N, M] {
  input %0 "x" : f32[2]
  const %1 "c" : f32[2] = [11.0, 12.0]
  %2 "y" : f32[2] = Add.13(%0, %1)
  output %2
  output %1
}
)");
}

TEST(Prepare, foldsTheShapeOfAComputedValue) {
  ir::Graph g = graph_of(R"(input %x : f32[N,3,2]
    %a = Relu.13(%x)
    %s = Shape.13(%a)
    %f = Flatten.13(%a) {axis=1}
    %y = Reshape.13(%f, %s)
    output %y output %s)");
  Diagnostics diags;
  ASSERT_TRUE(prepare(g, {.lift = true, .dims = {{"N", 5}}}, diags)) << all_errors(diags);
  ASSERT_TRUE(g.is_constant(g.outputs[1]));
  EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "f32[5,3,2]");
  EXPECT_EQ(ir::print(g).find("Shape"), std::string::npos);
}

// Ten thousand of them once took a gigabyte of messages.
TEST(Prepare, manyOpenDimsAreToldInFewWords) {
  std::string dims = "d0";
  for (int i = 1; i < 10'000; ++i) dims += ",d" + std::to_string(i);
  const std::string told = test::prepare_error("input %x : f32[" + dims + "] %y : ? = Relu.13(%x) output %y");
  EXPECT_THAT(told, HasSubstr("dimension 99 is open (found 'd99' in f32[d0,d1,"));
  EXPECT_THAT(told,
              HasSubstr(",d31,... 10000 dims], expected a length, bound with --dim d99=LENGTH, or "
                        "--executor vm on a host)\nnote: further errors and warnings are left out (found 9900)\n"));
  EXPECT_LT(told.size(), 100'000u);
}

TEST(Prepare, refusesBrokenGraphs) {
  ir::Graph g = graph_of("input %x : f32[2] %y = Relu.13(%x) output %y");
  g.nodes[0].inputs[0] = 99;
  Diagnostics diags;
  EXPECT_FALSE(prepare(g, {}, diags));
  EXPECT_THAT(all_errors(diags), HasSubstr("reads a value that does not exist"));
}

Result<bool> fold_constants(ir::Graph& graph, Diagnostics& diags) {
  FoldBudget budget(graph.fold_limit);
  return fold(graph, FoldDequantise::no, budget, diags);
}

TEST(FoldConstants, reportsWhatCannotBeComputed) {
  ir::Graph g = graph_of("const %x : f32[2] = [1, 2] const %s : i64[1] = [3] %y = Reshape.13(%x, %s) @\"r\" output %y");
  Diagnostics diags;
  EXPECT_FALSE(fold_constants(g, diags));
  EXPECT_THAT(all_errors(diags), HasSubstr("'Reshape 'r'': the shape does not hold the input's elements"));
}

TEST(FoldConstants, shapesOfKnownDims) {
  // The input itself is not known, and may be larger than what could be computed.
  ir::Graph g = test::graph_of(R"(
    input %x : f32[2,3,5]
    %a "a" : ? = Shape.15(%x)
    %b "b" : ? = Shape.15(%x) {end=-1, start=1}
    %c "c" : ? = Shape.15(%x) {end=1, start=2}
    output %a
    output %b
    output %c)");
  Diagnostics diags;
  ASSERT_TRUE(fold_constants(g, diags));
  const std::string text = ir::print(g);
  EXPECT_THAT(text, HasSubstr("\"a\" : i64[3] = [2, 3, 5]"));
  EXPECT_THAT(text, HasSubstr("\"b\" : i64[1] = [3]"));
  EXPECT_THAT(text, HasSubstr("\"c\" : i64[0] = "));
}

// Compilers take the square of the operands of one; results are the same.
TEST(Prepare, concatsOfVeryManyBecomeSeveral) {
  const auto concat = [](std::size_t count) {
    std::string text = "input %x : f32[2,1] input %z : f32[2,3] %y : ? = Concat.13(%z";
    for (std::size_t i = 1; i < count; ++i) text += ", %x";
    ir::Graph g = graph_of(text + ") {axis=-1} output %y");
    Diagnostics diags;
    EXPECT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
    return g;
  };
  EXPECT_EQ(concat(128).nodes.size(), 1U);
  EXPECT_EQ(concat(129).nodes.size(), 2U);
  for (const std::size_t count : {1000U, 20000U}) {
    const ir::Graph g = concat(count);
    std::size_t operands = 0;
    for (const ir::Node& n : g.nodes) {
      EXPECT_LE(n.inputs.size(), 128U);
      operands += n.inputs.size();
    }
    EXPECT_LE(operands, count + count / 64);
    EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "f32[2," + std::to_string(count + 2) + "]");
  }
  ir::Graph g = concat(300);
  std::vector<evaluate::Tensor> inputs;
  for (const ir::ValueId v : g.inputs) {
    std::vector<float> values(static_cast<std::size_t>(g.values[v].type.elements()), v == g.inputs[0] ? 1.0F : 2.0F);
    const auto bytes = std::as_bytes(std::span(values));
    inputs.push_back({g.values[v].type, Blob::own({bytes.begin(), bytes.end()})});
  }
  Diagnostics diags;
  const auto result = evaluate::run(g, inputs, diags);
  ASSERT_TRUE(result) << all_errors(diags);
  std::vector<float> y(604);
  std::memcpy(y.data(), (*result)[0].bytes.data(), (*result)[0].bytes.size());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 302 < 3 ? 2.0F : 1.0F) << i;
}

TEST(Prepare, splitsIntoVeryManyBecomeSeveral) {
  // Pieces of lengths 1 and 2 in turn, added up.
  const auto split = [](std::size_t count) {
    std::string lengths, pieces, types, total = std::to_string(count + count / 2), results;
    for (std::size_t i = 0; i < count; ++i) {
      lengths += (i == 0 ? "" : ", ") + std::to_string(1 + i % 2);
      pieces += (i == 0 ? "%p" : ", %p") + std::to_string(i) + " : ?";
      results += " output %p" + std::to_string(i);
    }
    ir::Graph g = graph_of("input %x : f32[2," + total + "] const %l : i64[" + std::to_string(count) + "] = [" +
                           lengths + "] " + pieces + " = Split.13(%x, %l) {axis=-1}" + results);
    Diagnostics diags;
    EXPECT_TRUE(prepare(g, {}, diags)) << all_errors(diags);
    return g;
  };
  EXPECT_EQ(split(128).nodes.size(), 1U);
  EXPECT_EQ(split(129).nodes.size(), 3U);
  for (const std::size_t count : {1000U, 20000U}) {
    std::size_t pieces = 0;
    for (const ir::Node& n : split(count).nodes) {
      EXPECT_LE(n.outputs.size(), 128U);
      pieces += n.outputs.size();
    }
    EXPECT_LE(pieces, count + count / 64);
  }
  ir::Graph g = split(300);
  std::vector<float> values(900);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto bytes = std::as_bytes(std::span(values));
  const std::vector<evaluate::Tensor> inputs{{g.values[g.inputs[0]].type, Blob::own({bytes.begin(), bytes.end()})}};
  Diagnostics diags;
  const auto result = evaluate::run(g, inputs, diags);
  ASSERT_TRUE(result) << all_errors(diags);
  for (std::size_t i = 0; i < 300; ++i) {
    std::array<float, 4> y{};
    const std::size_t length = 1 + i % 2, from = i + i / 2;
    ASSERT_EQ((*result)[i].bytes.size(), 2 * length * sizeof(float));
    std::memcpy(y.data(), (*result)[i].bytes.data(), (*result)[i].bytes.size());
    EXPECT_EQ(y[0], static_cast<float>(from)) << i;
    EXPECT_EQ(y[length], static_cast<float>(450 + from)) << i;
  }
}

}  // namespace
}  // namespace byoc::test
