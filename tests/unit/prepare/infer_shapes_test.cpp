#include "sdk/model/shapes/infer_shapes.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

TEST(InferShapes, convolutions) {
  EXPECT_EQ(types_of(R"(input %x : f32[N,3,32,32] input %w : f32[8,3,3,3]
    %y = Conv.13(%x, %w) {pads=[1,1,1,1], strides=[2,2]} output %y)"),
            "f32[N,8,16,16]");
  EXPECT_EQ(types_of(R"(input %x : f32[1,49,10,4] input %w : f32[8,10,4,4]
    %y = Conv.13(%x, %w) {data_layout="NHWC", filter_layout="OHWI"} output %y)"),
            "f32[1,40,7,8]");
  EXPECT_EQ(types_of(R"(input %x : f32[1,9,4] input %w : f32[1,3,8]
    %y = Conv.13(%x, %w) {data_layout="NHWC", filter_layout="IHWO", group=4, dilations=[2]} output %y)"),
            "f32[1,5,8]");
  // An open size stays itself under a window that keeps sizes, and becomes a new symbol otherwise.
  EXPECT_EQ(types_of(R"(input %x : f32[1,3,N,M] input %w : f32[8,3,3,3]
    %y = Conv.13(%x, %w) {pads=[1,0,1,0]} output %y)"),
            "f32[1,8,N,y.dim3]");
}

TEST(InferShapes, makesTheWindowExplicit) {
  ir::Graph g = graph_of(R"(input %x : f32[1,1,6,5] input %w : f32[1,1,3,2]
    %y = Conv.13(%x, %w) {auto_pad="SAME_UPPER", strides=[2,2]}
    %z = Conv.13(%x, %w) {auto_pad="SAME_LOWER", strides=[2,1]}
    %v = Conv.13(%x, %w) {auto_pad="VALID"}
    output %y output %z output %v)");
  Diagnostics diags;
  ASSERT_TRUE(infer_shapes(g, diags)) << all_errors(diags);
  using List = std::vector<std::int64_t>;
  for (const ir::Node& n : g.nodes) {
    EXPECT_EQ(n.find<std::string>("auto_pad"), nullptr);
    EXPECT_EQ(n.integers("kernel_shape", {}), (List{3, 2}));
    EXPECT_EQ(n.integers("dilations", {}), (List{1, 1}));
    EXPECT_EQ(n.integer("group", 0), 1);
  }
  // 6 rows, kernel 3, stride 2: three outputs need one more row, after the input. 5 columns, kernel 2, stride 2: one.
  EXPECT_EQ(g.nodes[0].integers("pads", {}), (List{0, 0, 1, 1}));
  EXPECT_EQ(g.nodes[1].integers("pads", {}), (List{1, 1, 0, 0}));
  EXPECT_EQ(g.nodes[1].integers("strides", {}), (List{2, 1}));
  EXPECT_EQ(g.nodes[2].integers("pads", {}), (List{0, 0, 0, 0}));
  EXPECT_EQ(to_string(g.values[g.outputs[0]].type, g), "f32[1,1,3,3]");
  EXPECT_EQ(to_string(g.values[g.outputs[1]].type, g), "f32[1,1,3,5]");
  EXPECT_EQ(to_string(g.values[g.outputs[2]].type, g), "f32[1,1,4,4]");
}

TEST(InferShapes, refusesConvolutionsThatDoNotFit) {
  auto error = [](const std::string& w, const std::string& attributes, const std::string& x = "f32[1,4,5,5]") {
    return inference_error("input %x : " + x + " input %w : " + w + " %y = Conv.13(%x, %w) {" + attributes +
                           "} output %y");
  };
  EXPECT_THAT(error("f32[8,3,3,3]", ""), HasSubstr("found 3 filter channels in 1 groups, expected 4 input channels"));
  EXPECT_THAT(error("f32[8,4,3,3]", "group=3"),
              HasSubstr("not a multiple of group (found 8, expected a multiple of 3)"));
  EXPECT_THAT(error("f32[8,4,3,3]", "group=0"), HasSubstr("group is out of range"));
  EXPECT_THAT(error("f32[8,4,3]", ""), HasSubstr("input 1 has the wrong rank (found f32[8,4,3], expected rank 4)"));
  EXPECT_THAT(error("f32[8,4,7,7]", ""), HasSubstr("the window does not fit into the padded input"));
  EXPECT_THAT(error("f32[8,4,3,3]", "auto_pad=\"SOMEHOW\""), HasSubstr("unknown auto_pad (found SOMEHOW"));
  EXPECT_THAT(error("f32[8,4,3,3]", "auto_pad=\"VALID\", pads=[1,1,1,1]"), HasSubstr("both auto_pad and pads"));
  EXPECT_THAT(error("f32[8,4,3,3]", "strides=[0,1]"), HasSubstr("attribute strides is out of range (found 0"));
  EXPECT_THAT(error("f32[8,4,3,3]", "pads=[-1,0,0,0]"), HasSubstr("attribute pads is out of range (found -1"));
  EXPECT_THAT(error("f32[8,4,3,3]", "kernel_shape=[3,2]"), HasSubstr("kernel_shape is not the filter's (found [3,2]"));
  EXPECT_THAT(error("f64[8,4,3,3]", ""), HasSubstr("different element types (found f64, expected f32)"));
  EXPECT_THAT(error("i32[8,4,3,3]", "", "i32[1,4,5,5]"), HasSubstr("element type of input 0 is not one"));
  EXPECT_THAT(error("f32[8,4,3,3]", "", "f32[4]"),
              HasSubstr("input 0 has the wrong rank (found f32[4], expected rank 3 or more)"));
  EXPECT_THAT(inference_error(
                  "input %x : f32[1,1,4] input %w : f32[2,1,1] input %b : f32[3] %y = Conv.13(%x, %w, %b) output %y"),
              HasSubstr("one element for each output channel (found f32[3], expected 2)"));
  EXPECT_THAT(inference_error("input %x : i8[1,1,4] q(1.0, 0) input %w : i8[2,1,1] q(1.0, 0) input %b : f32[2] "
                              "%y : i8[1,2,4] q(1.0, 0) = Conv.13(%x, %w, %b) output %y"),
              HasSubstr("element type of input 2 is not one that the operator takes (found f32, expected i32, i64)"));
}

TEST(InferShapes, comparesWithWhatTheModelStates) {
  EXPECT_THAT(inference_error("input %x : f32[2] %y : f32[3] = Relu.13(%x) @\"act\" #7 output %y"),
              HasSubstr("t.byoc: error: 'Relu 'act' (#7)': output 0 does not have the type that the model states "
                        "(found f32[3], expected f32[2])"));
  EXPECT_THAT(inference_error("input %x : f32[2] %y : f64[2] = Relu.13(%x) output %y"), HasSubstr("found f64[2]"));
  EXPECT_THAT(inference_error("input %x : f32[2] %y : f32[2,1] = Relu.13(%x) output %y"), HasSubstr("found f32[2,1]"));
  // Lengths refine what was open, open dims take over stated lengths.
  EXPECT_EQ(types_of("input %x : f32[2,N] %y : f32[M,3] = Relu.13(%x) output %y"), "f32[2,3]");
  // A stated quantisation and its element type stay.
  EXPECT_EQ(types_of("input %x : i8[2] q(1.0, 0) %y : u8[2] q(0.5, 0) = Relu.13(%x) output %y"), "u8[2]");
}

TEST(InferShapes, broadcasts) {
  EXPECT_EQ(types_of("input %a : f32[N,1,3] input %b : f32[2,1] %y = Add.13(%a, %b) output %y"), "f32[N,2,3]");
  EXPECT_EQ(types_of("input %a : f32[N] input %b : f32[4] %y = Add.13(%a, %b) output %y"), "f32[4]");
  EXPECT_EQ(types_of("input %a : f32[] input %b : f32[] %y = Add.13(%a, %b) output %y"), "f32[]");
  EXPECT_THAT(inference_error("input %a : f32[2] input %b : f32[3] %y = Add.13(%a, %b) output %y"),
              HasSubstr("the shapes of the inputs do not broadcast (found [2] and [3])"));
}

TEST(InferShapes, reshapes) {
  auto to = [](const std::string& shape, const std::string& attributes = "", const std::string& x = "f32[2,3,4]") {
    return "input %x : " + x + " const %s : i64" + shape + " %y = Reshape.13(%x, %s) {" + attributes + "} output %y";
  };
  EXPECT_EQ(types_of(to("[2] = [6, -1]")), "f32[6,4]");
  EXPECT_EQ(types_of(to("[3] = [0, -1, 2]")), "f32[2,6,2]");
  EXPECT_EQ(types_of(to("[0] = []", "", "f32[1,1]")), "f32[]");
  EXPECT_EQ(types_of(to("[2] = [0, 5]", "allowzero=1", "f32[0,3]")), "f32[0,5]");
  EXPECT_EQ(types_of(to("[2] = [0, -1]", "", "f32[N,3,4]")), "f32[N,12]");
  EXPECT_EQ(types_of(to("[2] = [-1, 12]", "", "f32[N,3,4]")), "f32[y.dim0,12]");
  EXPECT_EQ(types_of("input %x : f32[2] input %s : i64[1] %y = Reshape.13(%x, %s) output %y"), "f32?");
  EXPECT_THAT(inference_error(to("[2] = [5, -1]")),
              HasSubstr("does not hold the input's elements (found [5,-1], expected f32[2,3,4])"));
  EXPECT_THAT(inference_error(to("[2] = [5, 5]")), HasSubstr("does not hold the input's elements"));
  EXPECT_THAT(inference_error(to("[2] = [-1, -1]")), HasSubstr("more than one -1"));
  EXPECT_THAT(inference_error(to("[1] = [-2]")), HasSubstr("negative dim (found -2"));
  EXPECT_THAT(inference_error(to("[4] = [2, 3, 4, 0]")), HasSubstr("a dim that the input does not have (found 3"));
  EXPECT_THAT(inference_error(to("[2] = [4611686018427387904, 4]")), HasSubstr("the shape is too large"));
}

TEST(InferShapes, fullyConnected) {
  auto fc = [](const std::string& x, const std::string& w, const std::string& attributes = "") {
    return "input %x : " + x + " input %w : " + w + " %y = byoc.FullyConnected.1(%x, %w) {" + attributes +
           "} output %y";
  };
  EXPECT_EQ(types_of(fc("f32[2,3,4]", "f32[5,12]")), "f32[2,5]");
  EXPECT_EQ(types_of(fc("f32[N,12]", "f32[5,12]")), "f32[N,5]");
  EXPECT_EQ(types_of(fc("f32[2,3,4]", "f32[5,4]", "keep_num_dims=1")), "f32[2,3,5]");
  EXPECT_THAT(inference_error(fc("f32[2,3]", "f32[5,4]")), HasSubstr("does not divide into rows"));
  EXPECT_THAT(inference_error(fc("f32[2,3]", "f32[5,4]", "keep_num_dims=1")),
              HasSubstr("keep_num_dims needs an input"));
  EXPECT_THAT(inference_error(fc("f32[2,3]", "f32[3]")), HasSubstr("input 1 has the wrong rank"));
  EXPECT_THAT(inference_error(fc("f32[2,3]", "f32[5,D]")), HasSubstr("the depth of the weights is not known"));
  EXPECT_THAT(inference_error(fc("f32[2,0]", "f32[5,0]")),
              HasSubstr("the depth of the weights is out of range (found f32[5,0], expected at least 1)"));
  EXPECT_THAT(inference_error("input %x : f32[1,2] input %w : f32[3,2] input %b : f32[2] "
                              "%y = byoc.FullyConnected.1(%x, %w, %b) output %y"),
              HasSubstr("one element for each unit (found f32[2], expected 3)"));
}

TEST(InferShapes, pools) {
  EXPECT_EQ(types_of(R"(input %x : f32[1,25,5,64]
    %y = AveragePool.13(%x) {data_layout="NHWC", kernel_shape=[25,5], strides=[25,5]} output %y)"),
            "f32[1,1,1,64]");
  EXPECT_EQ(types_of(R"(input %x : f32[1,3,32,32]
    %y = AveragePool.13(%x) {kernel_shape=[3,3], strides=[2,2], ceil_mode=1} output %y)"),
            "f32[1,3,16,16]");
  EXPECT_THAT(inference_error("input %x : f32[1,3,4] %y = AveragePool.13(%x) output %y"),
              HasSubstr("attribute kernel_shape is missing"));
  EXPECT_THAT(inference_error("input %x : f32[1,3,4] %y = AveragePool.13(%x) {kernel_shape=[2,2]} output %y"),
              HasSubstr("the kernel does not have as many dims as the input has spatial ones (found 2, expected 1)"));
}

TEST(InferShapes, refusesOperatorsAndCountsItDoesNotKnow) {
  EXPECT_THAT(inference_error("input %x : f32[1] %y = Frobnicate.7(%x) @\"f\" output %y"),
              HasSubstr("'Frobnicate 'f'': operator is not supported (found Frobnicate version 7)"));
  EXPECT_THAT(inference_error("input %x : f32[1] %y = Add.13(%x) output %y"),
              HasSubstr("wrong number of inputs (found 1"));
  EXPECT_THAT(inference_error("input %x : f32[1] %y = Add.13(%x, _) output %y"), HasSubstr("input 1 is missing"));
  EXPECT_THAT(inference_error("input %x : f32[1] %y, %z = Add.13(%x, %x) output %y"),
              HasSubstr("wrong number of outputs"));
}

// Operators that only a codegen knows have the types that the model states, and what reads them has its own from there.
TEST(InferShapes, operatorsOfOtherDomains) {
  EXPECT_EQ(types_of("input %x : f32[2] %y : i8[7] = acme.Mystery.3(%x, _) %z = Neg.13(%y) output %z"), "i8[7]");
  EXPECT_THAT(inference_error("input %x : f32[1] %y : f32[1] = ai.onnx.other.Odd.1(%x) output %y"),
              HasSubstr("operator is not supported (found ai.onnx.other.Odd version 1)"));
  EXPECT_THAT(prepare_error("input %x : f32[2] %y = acme.Mystery.3(%x) @\"m\" output %y"),
              HasSubstr("'acme.Mystery 'm'': operator is not supported, and the model does not state the type of 'y' "
                        "(found acme.Mystery version 3, expected a known operator, or one of a codegen's with a "
                        "stated element type and shape (value_info))"));
}

TEST(InferShapes, expected) {
  const std::string expect = " %y = byoc.Expect.1(%x, %f) {expected=[1, 4]} output %y";
  EXPECT_EQ(types_of("input %x : f32[3] input %f : i32[2]" + expect), "f32[3]");
  EXPECT_EQ(types_of("input %x : f32[3] const %f : i64[2] = [1, 4]" + expect), "f32[3]");
  EXPECT_THAT(inference_error("input %x : f32[3] const %f : i64[2] = [1, 5]" + expect),
              HasSubstr("the model was made for other numbers (found [1,5], expected [1,4])"));
  EXPECT_THAT(inference_error("input %x : f32[3] input %f : i64[3]" + expect),
              HasSubstr("there must be one expected number for each that is found (found i64[3], expected 2)"));
  EXPECT_THAT(inference_error("input %x : f32[3] input %f : i64[2] %y = byoc.Expect.1(%x, %f) output %y"),
              HasSubstr("expected the attribute expected"));
}

TEST(InferShapes, refusesSizesThatOverflow) {
  EXPECT_THAT(inference_error("input %a : f32[4611686018427387,1] input %b : f32[1,4611686018427387] "
                              "%y = Add.13(%a, %b) output %y"),
              HasSubstr("output 0 is too large (found [4611686018427387,4611686018427387]"));
}

}  // namespace
}  // namespace byoc::test
