// The shape rules of layers: transposed convolutions, normalisation, recurrent layers, losses, signals.
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

std::string of_inputs(const std::string& inputs, const std::string& node) {
  std::string text;
  std::size_t n = 0;
  for (std::size_t at = 0; at < inputs.size();) {
    const std::size_t end = std::min(inputs.find(' ', at), inputs.size());
    text += "input %i" + std::to_string(n++) + " : " + inputs.substr(at, end - at) + " ";
    at = end + 1;
  }
  return text + node + " output %y";
}

std::string transposed(const std::string& attributes, const std::string& x = "f32[1,4,5,6]") {
  return of_inputs(x + " f32[4,2,3,3]", "%y = ConvTranspose.11(%i0, %i1) {" + attributes + "}");
}

TEST(LayerRules, convTranspose) {
  EXPECT_EQ(types_of(transposed("group=1")), "f32[1,2,7,8]");
  EXPECT_EQ(types_of(transposed("group=2, strides=[2, 3]")), "f32[1,4,11,18]");
  EXPECT_EQ(types_of(transposed("dilations=[2, 1], pads=[1, 0, 1, 2]")), "f32[1,2,7,6]");
  EXPECT_EQ(types_of(transposed("strides=[2, 2], output_padding=[1, 0]")), "f32[1,2,12,13]");
  EXPECT_EQ(types_of(transposed("strides=[2, 2], auto_pad=\"SAME_UPPER\"")), "f32[1,2,10,12]");
  EXPECT_EQ(types_of(transposed("strides=[2, 2], output_shape=[13, 9]")), "f32[1,2,13,9]");
  EXPECT_EQ(types_of(transposed("strides=[2, 2], output_shape=[1, 2, 13, 9]")), "f32[1,2,13,9]");
  EXPECT_EQ(types_of(transposed("group=1", "f32[N,4,5,6]")), "f32[N,2,7,8]");
  EXPECT_THAT(inference_error(transposed("auto_pad=\"LEFT\"")), HasSubstr("unknown auto_pad"));
  EXPECT_THAT(inference_error(transposed("output_padding=[1]")), HasSubstr("output_padding has the wrong length"));
  EXPECT_THAT(inference_error(transposed("output_padding=[-1, 0]")), HasSubstr("output_padding is out of range"));
  EXPECT_THAT(inference_error(transposed("output_shape=[4]")), HasSubstr("output_shape has the wrong length"));
  EXPECT_THAT(inference_error(transposed("output_shape=[0, 4]")), HasSubstr("output_shape is out of range"));
  EXPECT_THAT(inference_error(transposed("pads=[9, 0, 9, 0]")), HasSubstr("the pads leave nothing of the result"));
  EXPECT_THAT(inference_error(transposed("group=3")), HasSubstr("input channels are not a multiple of group"));
  EXPECT_THAT(inference_error(transposed("group=1", "f32[1,3,5,6]")), HasSubstr("the filter does not fit"));
  EXPECT_THAT(inference_error(transposed("kernel_shape=[2, 2]")), HasSubstr("kernel_shape is not the filter's"));
}

TEST(LayerRules, convTransposeInTflitesLayout) {
  const std::string attributes = "data_layout=\"NHWC\", filter_layout=\"OHWI\", strides=[2, 1], output_padding=[0, 3]";
  auto quantised = [&](const std::string& bias) {
    return "input %x : i8[2,5,6,4] q(0.5, 1) input %w : i8[3,3,2,4] q(0.5, 0) input %b : " + bias +
           " %y : i8[2,11,10,3] q(0.5, 0) = ConvTranspose.18(%x, %w, %b) {" + attributes + "} output %y";
  };
  EXPECT_EQ(types_of(of_inputs("f32[2,5,6,4] f32[3,3,2,4]", "%y = ConvTranspose.18(%i0, %i1) {" + attributes + "}")),
            "f32[2,11,10,3]");
  EXPECT_EQ(types_of(quantised("i32[3]")), "i8[2,11,10,3]");
  EXPECT_EQ(types_of(quantised("i64[3]")), "i8[2,11,10,3]");
  EXPECT_THAT(inference_error(quantised("f32[3]")), HasSubstr("element type"));
  EXPECT_THAT(inference_error(quantised("i32[4]")), HasSubstr("the bias must have one element"));
  EXPECT_THAT(
      inference_error(of_inputs("f32[1,5,6,4] f32[3,3,2,5]", "%y = ConvTranspose.18(%i0, %i1) {" + attributes + "}")),
      HasSubstr("the filter does not fit the input's channels"));
  EXPECT_THAT(inference_error(transposed("filter_layout=\"OIHW\"")),
              HasSubstr("unknown filter_layout (found OIHW, expected IOHW or OHWI)"));
}

TEST(LayerRules, aQuantisedProductMayChangeTheElementType) {
  const std::string operands = "input %x : u8[1,4] q(0.5, 1) input %w : i8[3,4] q(0.5, 0) ";
  EXPECT_EQ(types_of(operands + "%y : i8[1,3] q(0.5, 0) = byoc.FullyConnected.1(%x, %w) output %y"), "i8[1,3]");
  EXPECT_EQ(types_of("input %x : u8[1,4,5] q(0.5, 1) input %w : i8[3,4,1] q(0.5, 0) "
                     "%y : i8[1,3,5] q(0.5, 0) = Conv.18(%x, %w) output %y"),
            "i8[1,3,5]");
}

TEST(LayerRules, integerProducts) {
  EXPECT_EQ(types_of(of_inputs("u8[1,2,5,5] i8[3,2,3,3] u8[] i8[3]", "%y = ConvInteger.10(%i0, %i1, %i2, %i3)")),
            "i32[1,3,3,3]");
  EXPECT_EQ(types_of(of_inputs("u8[7,2,3] i8[3,4] u8[2]", "%y = MatMulInteger.10(%i0, %i1, %i2)")), "i32[7,2,4]");
  EXPECT_THAT(inference_error(of_inputs("i32[2,3] i8[3,4]", "%y = MatMulInteger.10(%i0, %i1)")),
              HasSubstr("element type"));
  EXPECT_THAT(inference_error(of_inputs("u8[2,3] i8[3,4] i8[]", "%y = MatMulInteger.10(%i0, %i1, %i2)")),
              HasSubstr("different element types"));
  EXPECT_EQ(types_of(of_inputs("f32[2,3]", "%y, %s, %z = DynamicQuantizeLinear.11(%i0) output %s output %z")),
            "f32[] u8[] u8[2,3]");
}

TEST(LayerRules, deformConv) {
  const std::string node = "%y = DeformConv.19(%i0, %i1, %i2) {offset_group=2}";
  EXPECT_EQ(types_of(of_inputs("f32[1,4,5,5] f32[2,4,3,3] f32[1,36,3,3]", node)), "f32[1,2,3,3]");
  EXPECT_THAT(inference_error(of_inputs("f32[1,4,5,5] f32[2,4,3,3] f32[1,18,3,3]", node)),
              HasSubstr("input 2 does not fit the result (found f32[1,18,3,3], expected [1,36,3,3])"));
  EXPECT_THAT(inference_error(of_inputs("f32[1,3,5,5] f32[2,3,3,3] f32[1,36,3,3]", node)),
              HasSubstr("group or offset_group does not divide the channels"));
}

TEST(LayerRules, normalisation) {
  EXPECT_EQ(types_of(of_inputs("f16[2,3,4] f16[3] f16[3]", "%y = InstanceNormalization.6(%i0, %i1, %i2)")),
            "f16[2,3,4]");
  EXPECT_THAT(inference_error(of_inputs("f32[2,3,4] f32[4] f32[3]", "%y = InstanceNormalization.6(%i0, %i1, %i2)")),
              HasSubstr("input 1 has the wrong length"));
  const std::string layer = "%y, %m, %v = LayerNormalization.17(%i0, %i1) {axis=-2} output %m output %v";
  EXPECT_EQ(types_of(of_inputs("f16[2,3,4] f16[4]", layer)), "f32[2,1,1] f32[2,1,1] f16[2,3,4]");
  EXPECT_THAT(inference_error(of_inputs("f16[2,3,4] f16[5]", layer)), HasSubstr("do not broadcast"));
  EXPECT_THAT(inference_error(of_inputs("f32[2] f32[2]", "%y = LayerNormalization.17(%i0, %i1) {stash_type=16}")),
              HasSubstr("stash_type is not supported (found 16"));
  const std::string group = "(%i0, %i1, %i1) {num_groups=2}";
  EXPECT_EQ(types_of(of_inputs("f32[1,4,3] f32[2]", "%y = GroupNormalization.18" + group)), "f32[1,4,3]");
  EXPECT_EQ(types_of(of_inputs("f32[1,4,3] f32[4]", "%y = GroupNormalization.21" + group)), "f32[1,4,3]");
  EXPECT_THAT(inference_error(of_inputs("f32[1,4,3] f32[4]", "%y = GroupNormalization.18" + group)),
              HasSubstr("wrong length"));
  EXPECT_THAT(inference_error(of_inputs("f32[1,5,3] f32[2]", "%y = GroupNormalization.18" + group)),
              HasSubstr("num_groups does not divide the channels"));
  EXPECT_THAT(inference_error(of_inputs("f32[2]", "%y = LpNormalization.1(%i0) {p=3}")),
              HasSubstr("p is out of range"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,2]", "%y = LRN.13(%i0)")), HasSubstr("size is out of range"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,2]", "%y = MeanVarianceNormalization.13(%i0)")),
              HasSubstr("axis out of range"));
  EXPECT_EQ(
      types_of(of_inputs("f32[2,3] f32[3]",
                         "%y, %m, %v = BatchNormalization.15(%i0, %i1, %i1, %i1, %i1) {training_mode=1} output %v")),
      "f32[3] f32[2,3]");
}

TEST(LayerRules, recurrent) {
  const std::string lstm = "%y, %h, %c = LSTM.14(%i0, %i1, %i2) {direction=\"bidirectional\"} output %h output %c";
  EXPECT_EQ(types_of(of_inputs("f32[7,2,3] f32[2,20,3] f32[2,20,5]", lstm)), "f32[2,2,5] f32[2,2,5] f32[7,2,2,5]");
  EXPECT_EQ(
      types_of(of_inputs("f32[7,2,3] f32[1,5,3] f32[1,5,5]", "%y, %h = RNN.14(%i0, %i1, %i2) {layout=1} output %h")),
      "f32[7,1,5] f32[7,2,1,5]");
  EXPECT_THAT(inference_error(of_inputs("f32[7,2,3] f32[1,20,3] f32[2,20,5]", lstm)),
              HasSubstr("input 1 has the wrong shape (found f32[1,20,3], expected [2,20,3])"));
  const auto bad = [](const std::string& attribute) {
    return inference_error(
        of_inputs("f32[7,2,3] f32[1,5,3] f32[1,5,5]", "%y = RNN.14(%i0, %i1, %i2) {" + attribute + "}"));
  };
  EXPECT_THAT(bad("direction=\"both\""), HasSubstr("unknown direction"));
  EXPECT_THAT(bad("layout=2"), HasSubstr("layout is out of range"));
  EXPECT_THAT(bad("hidden_size=4"), HasSubstr("hidden_size is not that of input 2"));
}

TEST(LayerRules, losses) {
  const std::string sce = "%y, %l = SoftmaxCrossEntropyLoss.13(%i0, %i1)";
  EXPECT_EQ(types_of(of_inputs("f32[2,5,3] i32[2,3]", sce + " output %l")), "f32[2,5,3] f32[]");
  EXPECT_EQ(types_of(of_inputs("f32[2,5,3] i64[2,3]", sce + " {reduction=\"none\"}")), "f32[2,3]");
  EXPECT_THAT(inference_error(of_inputs("f32[2,5,3] i64[2,4]", sce)), HasSubstr("the labels do not fit the scores"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,5] i64[2]", sce + " {reduction=\"max\"}")),
              HasSubstr("unknown reduction"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,5] i64[2] f32[4]", "%y = NegativeLogLikelihoodLoss.13(%i0, %i1, %i2)")),
              HasSubstr("one element for each class"));
}

TEST(LayerRules, optimisers) {
  const std::string op = "%y, %h = ai.onnx.preview.training.Momentum.1";
  EXPECT_EQ(types_of(of_inputs("f32[] i64[] f32[2]", op + "(%i0, %i1, %i2, %i2, %i2) {mode=\"standard\"} output %h")),
            "f32[2] f32[2]");
  EXPECT_THAT(inference_error(of_inputs("f32[] i64[] f32[2]", op + "(%i0, %i1, %i2, %i2, %i2) {mode=\"fast\"}")),
              HasSubstr("unknown mode"));
  EXPECT_THAT(
      inference_error(of_inputs("f32[] i64[] f32[2]", op + "(%i0, %i1, %i2, %i2, %i2, %i2) {mode=\"standard\"}")),
      HasSubstr("wrong number of inputs (found 6, expected 2, and 3 for each tensor)"));
  EXPECT_THAT(
      inference_error(of_inputs("f32[] i64[] f32[2] f32[3]", op + "(%i0, %i1, %i2, %i2, %i3) {mode=\"standard\"}")),
      HasSubstr("does not have the shape of its tensor"));
}

TEST(LayerRules, signals) {
  const std::string axis = "const %a : i64[] = [1] const %n : i64[] = [6] ";
  EXPECT_EQ(types_of(of_inputs("f32[2,8,3,1]", axis + "%y = DFT.20(%i0, %n, %a)")), "f32[2,6,3,2]");
  EXPECT_EQ(types_of(of_inputs("f32[2,8,3,1]", axis + "%y = DFT.20(%i0, _, %a) {onesided=1}")), "f32[2,5,3,2]");
  EXPECT_EQ(types_of(of_inputs("f32[2,8,2]", axis + "%y = DFT.20(%i0)")), "f32[2,8,2]");
  EXPECT_THAT(inference_error(of_inputs("f32[2,8,3]", "%y = DFT.20(%i0)")), HasSubstr("1 (real) or 2 (complex)"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,8,2]", "%y = DFT.20(%i0) {onesided=1}")),
              HasSubstr("needs real numbers"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,8,1]", "%y = DFT.20(%i0) {onesided=1, inverse=1}")),
              HasSubstr("onesided and inverse need complex numbers"));
  EXPECT_EQ(types_of(of_inputs("f32[2,5,3,2]", axis + "%y = DFT.20(%i0, _, %a) {inverse=1, onesided=1}")),
            "f32[2,8,3,1]");
  EXPECT_EQ(types_of(of_inputs("f32[2,4,3,2]", axis + "%y = DFT.20(%i0, %n, %a) {inverse=1, onesided=1}")),
            "f32[2,6,3,1]");
  EXPECT_THAT(inference_error(of_inputs("f32[2,1,3,2]", axis + "%y = DFT.20(%i0, _, %a) {inverse=1, onesided=1}")),
              HasSubstr("the axis is too short"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,1]", axis + "%y = DFT.20(%i0, _, %a)")),
              HasSubstr("must not be the last"));
  const std::string step = "const %s : i64[] = [4] const %n : i64[] = [6] ";
  EXPECT_EQ(types_of(of_inputs("f32[2,20,1] f32[8]", step + "%y = STFT.17(%i0, %s, %i1)")), "f32[2,4,5,2]");
  EXPECT_EQ(types_of(of_inputs("f32[2,20,2]", step + "%y = STFT.17(%i0, %s, _, %n) {onesided=0}")), "f32[2,4,6,2]");
  EXPECT_THAT(inference_error(of_inputs("f32[2,20]", step + "%y = STFT.17(%i0, %s)")),
              HasSubstr("window or a frame_length"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,20] f32[8]", step + "%y = STFT.17(%i0, %s, %i1, %n)")),
              HasSubstr("frame_length is not the window's"));
  EXPECT_THAT(inference_error(of_inputs("f32[2,5]", step + "%y = STFT.17(%i0, %s, _, %n)")), HasSubstr("does not fit"));
}

TEST(LayerRules, detections) {
  const auto call = [](const std::string& scores, const std::string& more) {
    return "input %e : f32[1,6,5]\ninput %s : f32[1," + scores +
           "]\ninput %a : f32[6,4]\n%b, %c, %v, %n = byoc.DetectionPostProcess.1(%e, %s, %a) {num_classes=2, " + more +
           "}\noutput %b\noutput %c\noutput %v\noutput %n";
  };
  const std::string room = "max_detections=3, max_classes_per_detection=2";
  EXPECT_EQ(types_of(call("6,3", room)), "f32[1,6,4] f32[1,6] f32[1,6] f32[1]");
  EXPECT_EQ(types_of(call("N,2", room)), "f32[1,6,4] f32[1,6] f32[1,6] f32[1]");
  EXPECT_THAT(inference_error(call("6,4", room)), HasSubstr("boxes, scores and anchors do not fit"));
  EXPECT_THAT(inference_error(call("5,3", room)), HasSubstr("boxes, scores and anchors do not fit"));
  EXPECT_THAT(inference_error(call("6,3", "max_detections=0, max_classes_per_detection=2")),
              HasSubstr("the numbers of classes and detections are out of range"));
}

}  // namespace
}  // namespace byoc::test
