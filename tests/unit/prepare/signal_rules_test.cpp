// The shape rules of TensorFlow Lite Micro's signal library.
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {
namespace {

// Operands %a, %b ... of these types, as many results as asked for.
std::string call(const std::string& op, const std::vector<std::string>& operands, const std::string& attributes,
                 int results = 1) {
  std::string text, names, out, outputs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "%i" + std::to_string(i);
    text += "input " + name + " : " + operands[i] + " ";
    names += (i == 0 ? "" : ", ") + name;
  }
  for (int i = 0; i < results; ++i) {
    out += (i == 0 ? "%r" : ", %r") + std::to_string(i);
    outputs += " output %r" + std::to_string(i);
  }
  return text + out + " = byoc." + op + ".1(" + names + ") {" + attributes + "}" + outputs;
}

TEST(SignalRules, rows) {
  EXPECT_EQ(types_of(call("SignalWindow", {"i16[2,8]", "i16[4]"}, "shift=1")), "i16[2,8]");
  EXPECT_THAT(inference_error(call("SignalWindow", {"i16[2,8]", "i16[3]"}, "shift=1")),
              HasSubstr("the window does not fit the samples"));
  EXPECT_THAT(inference_error(call("SignalWindow", {"i16[2,8]", "i16[4]"}, "")),
              HasSubstr("attribute 'shift' is out of range (found none, expected 0 to 31)"));
  EXPECT_EQ(types_of(call("SignalFftAutoScale", {"i16[8]"}, "", 2)), "i16[8] i32[]");
  EXPECT_EQ(types_of(call("SignalEnergy", {"i16[10]"}, "start_index=1, end_index=5")), "u32[5]");
  EXPECT_THAT(inference_error(call("SignalEnergy", {"i16[10]"}, "start_index=1, end_index=6")),
              HasSubstr("attribute 'end_index' is out of range"));
  EXPECT_EQ(types_of(call("SignalFilterBankSquareRoot", {"u64[5]", "i32[]"}, "")), "u32[5]");
  EXPECT_EQ(types_of(call("SignalFilterBankLog", {"u32[5]"}, "input_correction_bits=3, output_scale=64")), "i16[5]");
  EXPECT_EQ(types_of(call("SignalPCAN", {"u32[5]", "u32[5]", "i16[125]"}, "snr_shift=6")), "u32[5]");
  EXPECT_THAT(inference_error(call("SignalPCAN", {"u32[5]", "u32[4]", "i16[125]"}, "snr_shift=6")),
              HasSubstr("input 1 does not fit"));
  EXPECT_THAT(inference_error(call("SignalPCAN", {"u32[5]", "u32[5]", "i16[124]"}, "snr_shift=6")),
              HasSubstr("the table of gains is too short"));
}

TEST(SignalRules, transforms) {
  EXPECT_EQ(types_of(call("SignalRfft", {"i16[2,6]"}, "fft_length=8")), "i16[2,10]");
  EXPECT_EQ(types_of(call("SignalIrfft", {"i32[2,10]"}, "fft_length=8")), "i32[2,8]");
  EXPECT_THAT(inference_error(call("SignalRfft", {"i16[9]"}, "fft_length=8")), HasSubstr("the samples do not fit"));
  EXPECT_THAT(inference_error(call("SignalRfft", {"i16[7]"}, "fft_length=7")), HasSubstr("fft_length is odd"));
  EXPECT_THAT(inference_error(call("SignalIrfft", {"f32[8]"}, "fft_length=8")), HasSubstr("the spectrum does not fit"));
}

TEST(SignalRules, filterBank) {
  const auto bank = [](const std::string& widths) {
    return call("SignalFilterBank", {"u32[9]", "i16[4]", "i16[4]", "i16[3]", "i16[3]", widths}, "num_channels=2");
  };
  EXPECT_EQ(types_of(bank("i16[3]")), "u64[2]");
  EXPECT_THAT(inference_error(bank("i16[2]")), HasSubstr("input 5 does not fit (found i16[2], expected 3 elements)"));
}

TEST(SignalRules, spectralSubtraction) {
  const std::string a =
      "smoothing=1, one_minus_smoothing=1, alternate_smoothing=1, alternate_one_minus_smoothing=1, "
      "min_signal_remaining=1, clamping=0, spectral_subtraction_bits=14, smoothing_bits=";
  const std::string op = "SignalFilterBankSpectralSubtraction";
  EXPECT_EQ(types_of(call(op, {"u32[5]", "u32[5]"}, a + "10", 2)), "u32[5] u32[5]");
  EXPECT_THAT(inference_error(call(op, {"u32[5]", "u32[5]"}, a + "32", 2)),
              HasSubstr("attribute 'smoothing_bits' is out of range"));
  EXPECT_THAT(inference_error(call(op, {"u32[5]", "u32[4]"}, a + "10", 2)), HasSubstr("input 1 does not fit"));
}

TEST(SignalRules, streams) {
  const std::string framer = "frame_size=5, frame_step=2, prefill=";
  EXPECT_EQ(types_of(call("SignalFramer", {"i16[3,4]", "i16[3,4]", "i32[1]"}, framer + "0", 4)),
            "i16[3,2,5] bool[] i16[3,4] i32[1]");
  EXPECT_EQ(types_of(call("SignalFramer", {"i16[3,4]", "i16[3,3]", "i32[1]"}, framer + "1", 4)),
            "i16[3,2,5] bool[] i16[3,3] i32[1]");
  EXPECT_THAT(inference_error(call("SignalFramer", {"i16[3,4]", "i16[3,4]", "i32[1]"}, framer + "1", 4)),
              HasSubstr("the history does not fit (found i16[3,4], expected [3,3])"));
  EXPECT_THAT(inference_error(call("SignalFramer", {"i16[5]", "i16[1,4]", "i32[1]"}, framer + "0", 4)),
              HasSubstr("the samples are no multiple of the step"));
  EXPECT_THAT(inference_error(
                  call("SignalFramer", {"i16[6]", "i16[1,1]", "i32[1]"}, "frame_size=1, frame_step=2, prefill=1", 4)),
              HasSubstr("frames are shorter than their step"));
  EXPECT_EQ(
      types_of(call("SignalStacker", {"i16[3]", "i16[12]", "i32[1]"}, "left_context=1, right_context=2, step=4", 3)),
      "i16[12] bool[] i32[1]");
  EXPECT_THAT(inference_error(
                  call("SignalStacker", {"i16[3]", "i16[9]", "i32[1]"}, "left_context=1, right_context=2, step=4", 3)),
              HasSubstr("input 1 does not fit"));
  EXPECT_EQ(types_of(call("SignalOverlapAdd", {"f32[2,3,4]", "f32[2,4]"}, "frame_step=3", 2)), "f32[2,9] f32[2,4]");
  EXPECT_THAT(inference_error(call("SignalOverlapAdd", {"f32[2,3,4]", "f32[2,4]"}, "frame_step=5", 2)),
              HasSubstr("attribute 'frame_step' is out of range"));
  EXPECT_THAT(inference_error(call("SignalOverlapAdd", {"f32[2,3,4]", "f32[3,4]"}, "frame_step=3", 2)),
              HasSubstr("what is left of earlier frames does not fit"));
  EXPECT_THAT(inference_error(call("SignalOverlapAdd", {"f32[2,0,4]", "f32[2,4]"}, "frame_step=3", 2)),
              HasSubstr("no frames, or empty ones"));
}

}  // namespace
}  // namespace byoc::test
