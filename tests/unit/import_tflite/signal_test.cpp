// CUSTOM operators of TensorFlow Lite Micro's signal library, and CIRCULAR_BUFFER.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/flex_options.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kU32 = TensorType::UINT32;
constexpr auto kU64 = TensorType::UINT64;

struct Tensor {
  TensorType type;
  std::vector<std::int32_t> shape;
};

// An operator of these inputs and outputs; constants are zeros.
struct Custom {
  std::string name;
  std::vector<Tensor> inputs, outputs;
  FlexOptions options = {};
  std::vector<std::size_t> constants = {};

  [[nodiscard]] TfliteWriter writer() const {
    TfliteWriter w;
    std::vector<std::int32_t> from, to, given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string label = "x" + std::to_string(i);
      if (std::find(constants.begin(), constants.end(), i) == constants.end()) {
        from.push_back(w.add(label, inputs[i].type, inputs[i].shape));
        given.push_back(from.back());
      } else {
        std::size_t elements = 1;
        for (const std::int32_t d : inputs[i].shape) elements *= static_cast<std::size_t>(d);
        from.push_back(w.constant(label, inputs[i].type, inputs[i].shape, std::vector<std::int16_t>(elements)));
      }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      to.push_back(w.add("y" + std::to_string(i), outputs[i].type, outputs[i].shape));
    add_custom(w, name, from, to, options);
    w.boundary(given, to);
    return w;
  }
  [[nodiscard]] std::string text() const { return imported(writer()); }
  [[nodiscard]] Custom with(std::string option, std::int64_t value) const {
    Custom c = *this;
    for (auto& [key, old] : c.options)
      if (key == option) old = value;
    return c;
  }
  [[nodiscard]] Custom of(std::size_t input, Tensor type) const {
    Custom c = *this;
    c.inputs[input] = std::move(type);
    return c;
  }
  [[nodiscard]] Custom giving(std::size_t output, Tensor type) const {
    Custom c = *this;
    c.outputs[output] = std::move(type);
    return c;
  }
};

const Custom kWindow{"SignalWindow", {{kI16, {1, 8}}, {kI16, {8}}}, {{kI16, {1, 8}}}, {{"shift", 12}}};
const Custom kScale{"SignalFftAutoScale", {{kI16, {8}}}, {{kI16, {8}}, {kI32, {}}}};
const Custom kRfft{"SignalRfft", {{kI16, {6}}}, {{kI16, {10}}}, {{"T", 7}, {"fft_length", 8}}};
const Custom kIrfft{"SignalIrfft", {{kI32, {10}}}, {{kI32, {8}}}, {{"T", 2}, {"fft_length", 8}}};
const Custom kEnergy{"SignalEnergy", {{kI16, {10}}}, {{kU32, {5}}}, {{"end_index", 4}, {"start_index", 1}}};
const Custom kBank{"SignalFilterBank",
                   {{kU32, {9}}, {kI16, {4}}, {kI16, {4}}, {kI16, {3}}, {kI16, {3}}, {kI16, {3}}},
                   {{kU64, {2}}},
                   {{"num_channels", 2}},
                   {1, 2, 3, 4, 5}};
const Custom kRoot{"SignalFilterBankSquareRoot", {{kU64, {3}}, {kI32, {}}}, {{kU32, {3}}}};
const Custom kNoise{"SignalFilterBankSpectralSubtraction",
                    {{kU32, {3}}},
                    {{kU32, {3}}, {kU32, {3}}},
                    {{"alternate_one_minus_smoothing", 1},
                     {"alternate_smoothing", 2},
                     {"clamping", 1},
                     {"min_signal_remaining", 3},
                     {"num_channels", 3},
                     {"one_minus_smoothing", 4},
                     {"smoothing", 5},
                     {"smoothing_bits", 6},
                     {"spectral_subtraction_bits", 14}}};
const Custom kLog{
    "SignalFilterBankLog", {{kU32, {3}}}, {{kI16, {3}}}, {{"input_correction_bits", 3}, {"output_scale", 64}}};
const Custom kPcan{"SignalPCAN", {{kU32, {3}}, {kU32, {3}}, {kI16, {125}}}, {{kU32, {3}}}, {{"snr_shift", 6}}};
const Custom kStacker{
    "SignalStacker",
    {{kI16, {3}}},
    {{kI16, {12}}, {kBool, {}}},
    {{"num_channels", 3}, {"stacker_left_context", 1}, {"stacker_right_context", 2}, {"stacker_step", 2}}};
const Custom kDelay{"SignalDelay", {{kI16, {2, 3}}}, {{kI16, {2, 3}}}, {{"delay_length", 4}}};
const Custom kFramer{"SignalFramer",
                     {{kI16, {2, 4}}},
                     {{kI16, {2, 2, 5}}, {kBool, {}}},
                     {{"frame_size", 5}, {"frame_step", 2}, {"prefill", 1}}};
const Custom kOverlap{"SignalOverlapAdd", {{kF32, {3, 4}}}, {{kF32, {9}}}, {{"T", 0}, {"frame_step", 3}}};

TEST(TfliteSignal, areNodesWithTheirOptions) {
  EXPECT_THAT(kWindow.text(), HasSubstr("= byoc.SignalWindow.1(%0, %1) {shift=12}"));
  EXPECT_THAT(kScale.text(), HasSubstr("%1 \"y0\" : i16[8] #1, %2 \"y1\" : i32[] #2 = byoc.SignalFftAutoScale.1(%0)"));
  EXPECT_THAT(kRfft.text(), HasSubstr("byoc.SignalRfft.1(%0) {fft_length=8}"));
  EXPECT_THAT(kIrfft.text(), HasSubstr("byoc.SignalIrfft.1(%0) {fft_length=8}"));
  EXPECT_THAT(kEnergy.text(), HasSubstr("byoc.SignalEnergy.1(%0) {end_index=4, start_index=1}"));
  EXPECT_THAT(kBank.text(), HasSubstr("byoc.SignalFilterBank.1(%0, %1, %2, %3, %4, %5) {num_channels=2}"));
  EXPECT_THAT(kRoot.text(), HasSubstr("byoc.SignalFilterBankSquareRoot.1(%0, %1)"));
  EXPECT_THAT(kLog.text(), HasSubstr("byoc.SignalFilterBankLog.1(%0) {input_correction_bits=3, output_scale=64}"));
  EXPECT_THAT(kPcan.text(), HasSubstr("byoc.SignalPCAN.1(%0, %1, %2) {snr_shift=6}"));
}

TEST(TfliteSignal, keepStates) {
  EXPECT_THAT(kNoise.text(),
              AllOf(HasSubstr("state %3 : u32[3] -> %2"),
                    HasSubstr("byoc.SignalFilterBankSpectralSubtraction.1(%0, %3) {alternate_one_minus_smoothing=1, "
                              "alternate_smoothing=2, clamping=1, min_signal_remaining=3, one_minus_smoothing=4, "
                              "smoothing=5, smoothing_bits=6, spectral_subtraction_bits=14}")));
  EXPECT_THAT(kStacker.text(),
              AllOf(HasSubstr("state %3 : i16[12] -> %1"), HasSubstr("state %4 : i32[1] -> %5"),
                    HasSubstr("byoc.SignalStacker.1(%0, %3, %4) {left_context=1, right_context=2, step=2}")));
  EXPECT_THAT(kFramer.text(),
              AllOf(HasSubstr("state %3 : i16[2,3] -> %5"), HasSubstr("state %4 : i32[1] -> %6"),
                    HasSubstr("byoc.SignalFramer.1(%0, %3, %4) {frame_size=5, frame_step=2, prefill=1}")));
  EXPECT_THAT(kOverlap.text(), AllOf(HasSubstr("state %2 : f32[1,4] -> %3"),
                                     HasSubstr("byoc.SignalOverlapAdd.1(%0, %2) {frame_step=3}")));
  EXPECT_THAT(kDelay.text(), AllOf(HasSubstr("state %2 : i16[2,4] -> %3"), HasSubstr("Concat.18(%2, %0) {axis=1}"),
                                   HasSubstr("Split.18(")));
  EXPECT_THAT(kDelay.with("delay_length", 0).text(), HasSubstr("Identity.18(%0)"));
}

TEST(TfliteSignal, refusals) {
  const std::pair<Custom, const char*> kAll[] = {
      {kWindow.with("shift", 32), "option 'shift' is out of range (found 32, expected 0 to 31)"},
      {kWindow.of(1, {kF32, {8}}), "unsupported element type of input 1 'x1' (found f32, expected i16)"},
      {kWindow.giving(0, {kI16, {8}}), "the shape of the output 'y0' does not fit (found [8], expected [1,8])"},
      {kScale.of(0, {kI32, {8}}), "unsupported element type of input 0"},
      {kScale.giving(1, {kI32, {1}}), "the shape of output 1 'y1' does not fit"},
      {kRfft.with("fft_length", 7), "option 'fft_length' is odd (found 7, expected an even number)"},
      {kRfft.with("fft_length", 0), "option 'fft_length' is out of range (found 0, expected 2 to 65536)"},
      {kRfft.with("fft_length", 4), "more samples than 'fft_length' (found 6, expected at most 4)"},
      {kRfft.with("T", 2), "option 'T' is not the type of input 0 'x0' (found 2, expected 7)"},
      {kRfft.of(0, {kI8, {6}}), "unsupported element type of input 0 'x0' (found i8, expected i16, i32 or f32)"},
      {kRfft.of(0, {kI16, {}}), "unsupported shape of input 0 'x0' (found a scalar"},
      {kRfft.giving(0, {kI16, {8}}), "the shape of the output 'y0' does not fit (found [8], expected [10])"},
      {kIrfft.of(0, {kI32, {8}}), "the shape of input 0 'x0' does not fit (found [8], expected [10])"},
      {kEnergy.with("end_index", 6), "option 'end_index' is out of range (found 6, expected 0 to 5)"},
      {kEnergy.giving(0, {kI32, {5}}), "unsupported element type of the output"},
      {kBank.with("num_channels", 3), "the shape of the output 'y0' does not fit (found [2], expected [3])"},
      {kBank.of(5, {kI16, {2}}), "the shape of input 5 'x5' does not fit (found [2], expected [3])"},
      {kRoot.of(0, {kU32, {3}}), "unsupported element type of input 0"},
      {kRoot.of(1, {kI32, {1}}), "the shape of input 1 'x1' does not fit"},
      {kNoise.with("num_channels", 4), "option 'num_channels' is out of range (found 4, expected 3 to 3)"},
      {kNoise.with("clamping", 2), "option 'clamping' is out of range"},
      {kNoise.with("smoothing", -1), "option 'smoothing' is out of range"},
      {kNoise.with("spectral_subtraction_bits", 64), "option 'spectral_subtraction_bits' is out of range"},
      {kLog.with("input_correction_bits", 32), "option 'input_correction_bits' is out of range"},
      {kPcan.of(2, {kI16, {124}}), "the table of gains is too short (found 124, expected 125 or more)"},
      {kPcan.with("snr_shift", 64), "option 'snr_shift' is out of range"},
      {kStacker.with("stacker_step", 5), "option 'stacker_step' is out of range (found 5, expected 1 to 4)"},
      {kStacker.with("num_channels", 2), "option 'num_channels' is out of range"},
      {kStacker.giving(1, {kBool, {1}}), "the shape of output 1 'y1' does not fit"},
      {kDelay.of(0, {kI16, {}}).giving(0, {kI16, {}}), "unsupported shape of input 0 'x0' (found a scalar"},
      {kDelay.with("delay_length", -1), "option 'delay_length' is out of range"},
      {kFramer.with("frame_step", 3), "the samples are no multiple of 'frame_step' (found 4, expected 3)"},
      {kFramer.with("frame_size", 1),
       "frames are shorter than their step (found 1, expected at least 2 with 'prefill')"},
      {kFramer.of(0, {kI16, {}}), "unsupported shape of input 0 'x0' (found a scalar"},
      {kOverlap.with("frame_step", 5), "option 'frame_step' is out of range (found 5, expected 1 to 4)"},
      {kOverlap.with("T", 7), "option 'T' is not the type of input 0 'x0' (found 7, expected 0)"},
      {kOverlap.of(0, {kF32, {4}}), "unsupported shape of input 0 'x0' (found 1 dimensions, expected 2 or more)"},
      {kOverlap.of(0, {kF32, {0, 4}}), "no frames, or empty ones"},
  };
  for (const auto& [custom, message] : kAll) EXPECT_THAT(errors(custom.writer().bytes()), HasSubstr(message));
}

TEST(TfliteSignal, readsOptionsOrSaysWhatIsWrong) {
  TfliteWriter w = kWindow.writer();
  w.op(0).custom_options.clear();
  EXPECT_THAT(errors(w.bytes()),
              HasSubstr("'CUSTOM 'SignalWindow' 'y0' (#0)': the options are no map of a FlexBuffer"));
  w.op(0).custom_options = flex_options({{"shifty", 1}});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("the options have no number 'shift'"));
  w.op(0).outputs.clear();
  w.boundary({0}, {0});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("wrong number of outputs (found 0, expected 1)"));
  w = kScale.writer();
  w.op(0).outputs.pop_back();
  w.boundary({0}, {1});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("wrong number of outputs (found 1, expected 2)"));
  w = kBank.writer();
  w.tensor(3).buffer = 0;
  w.boundary({0, 3}, {6});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("the bands must be constant (found input 3 'x3', expected a constant)"));
  w = kWindow.writer();
  w.boundary({0}, {2});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("reads a tensor that nothing computes"));
}

// x i8[1,1,2,3] -> y i8[1,4,2,3], which may be a variable.
TfliteWriter circular_buffer(const FlexOptions& options, bool says_valid = false, std::int32_t slots = 4) {
  TfliteWriter w;
  w.add("x", kI8, {1, 1, 2, 3}, q(0.5f, 3));
  w.variable("y", kI8, {1, slots, 2, 3}, q(0.5f, 3));
  w.add("valid", kBool, {1});
  add_custom(w, "CIRCULAR_BUFFER", {0}, {1}, options);
  if (says_valid) w.op(0).outputs.push_back(2);
  w.boundary({0}, w.op(0).outputs);
  return w;
}

TEST(TfliteCircularBuffer, isAHistory) {
  EXPECT_THAT(imported(circular_buffer({{"cycles_max", 1}})),
              AllOf(HasSubstr("state %3 : i8[1,3,2,3] q(0.5, 3) -> %4"), HasSubstr("Concat.18(%3, %0) {axis=1}"),
                    HasSubstr("Slice.18(%1, ")));
  EXPECT_THAT(imported(circular_buffer({{"cycles_max", 3}}, true)),
              AllOf(HasSubstr("state %3 : i32[1] -> "), HasSubstr("Equal.18("), HasSubstr("Where.18(")));
  EXPECT_THAT(imported(circular_buffer({{"cycles_max", 1}}, false, 1)), HasSubstr("Identity.18(%0)"));
  // Without the option upstream knows by the number of slots.
  EXPECT_THAT(imported(circular_buffer({}, false, 5)), HasSubstr("state %3 : i8[1,4,2,3]"));
}

TEST(TfliteCircularBuffer, refusals) {
  EXPECT_THAT(errors(circular_buffer({{"cycles_max", 2}}).bytes()),
              HasSubstr("ends a run before its end where nothing says whether the results count (found every 2 runs, "
                        "expected every run, or a second output that says so)"));
  EXPECT_THAT(errors(circular_buffer({}).bytes()), HasSubstr("found every 2 runs"));
  TfliteWriter w = circular_buffer({{"cycles_max", 1}}, true);
  w.tensor(2).shape = {2};
  EXPECT_THAT(errors(w.bytes()), HasSubstr("the second output must be one truth"));
  w = circular_buffer({{"cycles_max", 1}});
  w.tensor(0).shape = {1, 2, 2, 3};
  EXPECT_THAT(errors(w.bytes()),
              HasSubstr("the shape of input 0 'x' does not fit (found [1,2,2,3], expected [1,1,2,3])"));
  w = circular_buffer({{"cycles_max", 1}});
  w.tensor(1).quantization->scale = {0.25f};
  EXPECT_THAT(errors(w.bytes()), HasSubstr("must be equal"));
  w = circular_buffer({{"cycles_max", 1}}, false, 0);
  EXPECT_THAT(errors(w.bytes()), HasSubstr("a buffer without slots"));
}

TEST(TfliteSignal, statesInABodyAreRefused) {
  TfliteWriter w;
  w.add("c", kBool, {});
  w.add("x", kI16, {2, 3});
  w.add("y", kI16, {2, 3});
  schema::IfOptionsT options;
  options.then_subgraph_index = options.else_subgraph_index = 1;
  w.add_operator(BuiltinOperator::IF, {0, 1}, {2}, options);
  w.boundary({0, 1}, {2});
  w.begin_subgraph("body");
  w.add("x", kI16, {2, 3});
  w.add("y", kI16, {2, 3});
  add_custom(w, "SignalDelay", {0}, {1}, {{"delay_length", 4}});
  w.boundary({0}, {1});
  EXPECT_THAT(errors(w.bytes()), HasSubstr("operators that keep a state are not supported in the body of an operator"));
}

}  // namespace
}  // namespace byoc::test
