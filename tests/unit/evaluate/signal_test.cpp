// TensorFlow Lite Micro's signal library by hand; the sweep of TFLite operators has random cases.
#include <cstdint>
#include <optional>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

std::string list_text(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const std::int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return "[" + out + "]";
}

// `type`[n] %x -> the operator's first output.
template <class T>
std::vector<std::int64_t> row_of(const std::string& type, const std::vector<std::int64_t>& x, const std::string& call) {
  const auto found = result_of<T>("const %x : " + type + "[" + std::to_string(x.size()) + "] = " + list_text(x) + " " +
                                  call + " output %y");
  return {found.begin(), found.end()};
}

TEST(Signal, windowRoundsDownAndSaturates) {
  const std::string call = "const %w : i16[2] = [3, -32768] %y = byoc.SignalWindow.1(%x, %w) {shift=";
  EXPECT_THAT((row_of<std::int16_t>("i16", {-1, 1, 5, -32768}, call + "1}")), ElementsAre(-2, -16384, 7, 32767));
  EXPECT_THAT((row_of<std::int16_t>("i16", {-1, 1, 5, -32768}, call + "31}")), ElementsAre(-1, -1, 0, 0));
  EXPECT_THAT(error_of("const %x : i16[3] = zeros " + call + "1} output %y"),
              HasSubstr("the window does not fit the samples"));
  EXPECT_THAT(error_of("const %x : i16[2] = zeros " + call + "32} output %y"),
              HasSubstr("attribute 'shift' is out of range (found 32, expected 0 to 31)"));
  EXPECT_THAT(error_of("const %x : i32[2] = zeros " + call + "1} output %y"), HasSubstr("i16"));
}

TEST(Signal, autoScaleUsesAllBits) {
  const std::string call = "%y, %s = byoc.SignalFftAutoScale.1(%x)";
  EXPECT_THAT((row_of<std::int16_t>("i16", {100, -3}, call)), ElementsAre(25600, -768));
  EXPECT_THAT((row_of<std::int16_t>("i16", {0, 0}, call)), ElementsAre(0, 0));
  EXPECT_THAT((row_of<std::int16_t>("i16", {1, -32768}, call)), ElementsAre(1, -32768));
  // Behind the one number without a magnitude, what follows is thought louder.
  EXPECT_THAT((row_of<std::int16_t>("i16", {-32768, 5}, call)), ElementsAre(0, 20480));
  EXPECT_THAT(result_of<std::int32_t>("const %x : i16[2] = [100, -3] %y, %s = byoc.SignalFftAutoScale.1(%x) output %s"),
              ElementsAre(8));
}

TEST(Signal, rfftOfAPulse) {
  const auto rfft = [](int length) { return "%y = byoc.SignalRfft.1(%x) {fft_length=" + std::to_string(length) + "}"; };
  EXPECT_THAT((row_of<std::int16_t>("i16", {1000}, rfft(4))), ElementsAre(250, 0, 250, 0, 250, 0));
  // 1000 times 32767 / 32768, halved once.
  EXPECT_THAT((row_of<std::int16_t>("i16", {1000, 0}, rfft(2))), ElementsAre(500, 0, 500, 0));
  EXPECT_THAT((row_of<std::int32_t>("i32", {1 << 20}, rfft(4))), ElementsAre(1 << 18, 0, 1 << 18, 0, 1 << 18, 0));
  // A constant is in the first bin alone. A quarter is 8191 / 32768: 32767 becomes 8191, four of which are 32764, whose
  // half is 16381.
  EXPECT_THAT((row_of<std::int16_t>("i16", std::vector<std::int64_t>(8, 32767), rfft(8))),
              ElementsAre(32762, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Signal, refusesOddTransforms) {
  for (const std::string op : {"SignalRfft", "SignalIrfft"}) {
    const auto call = [&](const std::string& x, const std::string& length) {
      return error_of("const %x : " + x + " = zeros %y = byoc." + op + ".1(%x) {fft_length=" + length + "} output %y");
    };
    EXPECT_THAT(call("i16[4]", "7"), HasSubstr("fft_length is odd (found 7"));
    EXPECT_THAT(call("i16[4]", "131072"), HasSubstr("attribute 'fft_length' is out of range (found 131072"));
    EXPECT_THAT(call("i8[6]", op == "SignalRfft" ? "6" : "4"), HasSubstr("i16, i32 or f32"));
    EXPECT_THAT(call("i16[9]", "8"), HasSubstr(" not fit"));
  }
}

TEST(Signal, energyOfSomeBins) {
  const std::string call = "%y = byoc.SignalEnergy.1(%x) {start_index=1, end_index=3}";
  EXPECT_THAT((row_of<std::uint32_t>("i16", {9, 9, 3, -4, -32768, -32768, 1, 1}, call)),
              ElementsAre(0, 25, std::int64_t{1} << 31, 0));
  EXPECT_THAT(error_of("const %x : i16[4] = zeros " + call + " output %y"),
              HasSubstr("attribute 'end_index' is out of range (found 3, expected 0 to 2)"));
}

// Two channels of three bands: 1 bin, 2 bins, 1 bin.
std::string bank(const std::string& bins, const std::string& widths = "[1, 2, 1]") {
  return "const %w : i16[4] = [1, 10, 100, 1000] const %u : i16[4] = [-1, 2, 3, 4] const %b : i16[3] = " + bins +
         " const %p : i16[3] = [0, 1, 3] const %n : i16[3] = " + widths +
         " %y = byoc.SignalFilterBank.1(%x, %w, %u, %b, %p, %n) {num_channels=2}";
}

TEST(Signal, filterBankSharesBandsBetweenChannels) {
  // -1 * 5 + 10 * 6 + 100 * 7; 2 * 6 + 3 * 7 + 1000 * 8.
  EXPECT_THAT((row_of<std::uint64_t>("u32", {5, 6, 7, 8}, bank("[0, 1, 3]"))), ElementsAre(755, 8033));
  for (const std::string& outside : {bank("[0, 3, 3]"), bank("[0, -1, 3]"), bank("[0, 1, 3]", "[1, 2, 2]")})
    EXPECT_THAT(error_of("const %x : u32[4] = zeros " + outside + " output %y"),
                HasSubstr("a band lies outside the spectrum or the weights"));
}

TEST(Signal, squareRootsAreRounded) {
  const auto call = [](int shift) {
    return "const %s : i32[] = [" + std::to_string(shift) + "] %y = byoc.SignalFilterBankSquareRoot.1(%x, %s)";
  };
  EXPECT_THAT(
      (row_of<std::uint32_t>("u64", {0, 1, 2, 3, 6, 7, 4294967295, 4294967296, 4294967296LL * 4294967}, call(0))),
      ElementsAre(0, 1, 1, 2, 2, 3, 65535, 65536, 135818787));
  EXPECT_THAT((row_of<std::uint32_t>("u64", {1000000}, call(3))), ElementsAre(125));
  for (const int shift : {-1, 32}) EXPECT_THAT((row_of<std::uint32_t>("u64", {1000000}, call(shift))), ElementsAre(0));
}

std::string subtraction(int clamping) {
  return "const %e : u32[2] = [1024, 5000] %y, %n = byoc.SignalFilterBankSpectralSubtraction.1(%x, %e) {smoothing=1, "
         "one_minus_smoothing=3, alternate_smoothing=2, alternate_one_minus_smoothing=2, min_signal_remaining=1, "
         "smoothing_bits=1, spectral_subtraction_bits=2, clamping=" +
         std::to_string(clamping) + "}";
}

TEST(Signal, noiseIsAveragedAndTakenOff) {
  // (2 * 1000 + 3 * 1024) / 4 = 1268, and 2000 - 1268 is 2 * 366; of 1000 at least 250 stay. (2 * 200 + 2 * 5000) / 4 =
  // 2600 is more than there is.
  EXPECT_THAT((row_of<std::uint32_t>("u32", {1000, 100}, subtraction(0))), ElementsAre(366, 25));
  const auto noise = [](int clamping) {
    return result_of<std::uint32_t>("const %x : u32[2] = [1000, 100] " + subtraction(clamping) + " output %n");
  };
  EXPECT_THAT(noise(0), ElementsAre(1268, 2600));
  EXPECT_THAT(noise(1), ElementsAre(1268, 200));
}

TEST(Signal, logarithms) {
  const auto call = [](int bits, int scale) {
    return "%y = byoc.SignalFilterBankLog.1(%x) {input_correction_bits=" + std::to_string(bits) +
           ", output_scale=" + std::to_string(scale) + "}";
  };
  // ln 2 * 64 = 44.4, ln 1000 * 64 = 442.1, ln(2^31) * 64 = 1375.2
  EXPECT_THAT((row_of<std::int16_t>("u32", {0, 1, 2, 1000, std::int64_t{1} << 31}, call(0, 64))),
              ElementsAre(0, 0, 44, 442, 1375));
  EXPECT_THAT((row_of<std::int16_t>("u32", {0, 1, 2}, call(1, 64))), ElementsAre(0, 44, 89));
  EXPECT_THAT((row_of<std::int16_t>("u32", {1 << 30}, call(0, 5000))), ElementsAre(32767));
}

TEST(Signal, gainControl) {
  std::vector<std::int64_t> gains(125, 0);
  gains[0] = 4096, gains[1] = 8192, gains[2] = -1;
  gains[6] = 1000, gains[7] = 512, gains[8] = 64;  // noise of 3 bits: 1000 + 512 t + 64 t^2, t in [0, 1)
  const auto call = [&](int noise, int shift) {
    return "const %n : u32[1] = [" + std::to_string(noise) + "] const %g : i16[125] = " + list_text(gains) +
           " %y = byoc.SignalPCAN.1(%x, %n, %g) {snr_shift=" + std::to_string(shift) + "}";
  };
  const auto one = [&](std::int64_t x, int noise, int shift) {
    return row_of<std::uint32_t>("u32", {x}, call(noise, shift)).at(0);
  };
  EXPECT_EQ(one(1, 0, 0), 16);                       // 1^2 / 4 in 64ths
  EXPECT_EQ(one(1, 1, 0), 64);                       // 2 - 1
  EXPECT_EQ(one(3, 0, 0), 128);                      // 3 - 1
  EXPECT_EQ(one(8192, 4, 10), (8000 * 8000) >> 20);  // 4 is where its piece begins
  // 6 lies half way in its piece: 1000 + 256 + 16 = 1272, of which ((64 * 512 >> 5) + 512 * 32) * 512 / 2^15 = 272.
  EXPECT_EQ(one(8, 6, 0), (10176 >> 6) - 64);
  EXPECT_THAT(error_of("const %x : u32[1] = zeros const %n : u32[1] = zeros const %g : i16[124] = zeros %y = "
                       "byoc.SignalPCAN.1(%x, %n, %g) {snr_shift=1} output %y"),
              HasSubstr("the table of gains is too short (found i16[124], expected 125 elements)"));
}

// What several runs of one instance give as their first output, and as their second.
struct Stream {
  explicit Stream(const std::string& statements) {
    auto parsed = ir::parse(graph_text(statements), "t.byoc", diags);
    EXPECT_TRUE(parsed) << all_errors(diags);
    graph = std::move(*parsed);
    instance.emplace(graph);
  }
  std::vector<int> run(const std::vector<std::int16_t>& x) {
    std::vector<std::byte> bytes(x.size() * 2);
    std::memcpy(bytes.data(), x.data(), bytes.size());
    const auto out = evaluate::run(
        graph, std::vector<evaluate::Tensor>{{graph.values[graph.inputs[0]].type, Blob::own(std::move(bytes))}}, diags,
        {}, &*instance);
    EXPECT_TRUE(out) << all_errors(diags);
    std::vector<std::int16_t> y((*out)[0].bytes.size() / 2);
    std::memcpy(y.data(), (*out)[0].bytes.data(), y.size() * 2);
    if (out->size() > 1) valid = std::to_integer<int>((*out)[1].bytes.data()[0]);
    return {y.begin(), y.end()};
  }
  Diagnostics diags;
  ir::Graph graph;
  std::optional<evaluate::Instance> instance;
  int valid = -1;
};

TEST(Signal, stackerGivesEverySecondRun) {
  Stream s(
      "input %x : i16[1] state %s : i16[4] -> %y state %h : i32[1] -> %n %y, %v, %n = "
      "byoc.SignalStacker.1(%x, %s, %h) {left_context=1, right_context=2, step=2} output %y output %v");
  std::vector<int> valid;
  std::vector<std::vector<int>> stacks;
  for (std::int16_t i = 1; i <= 7; ++i) {
    stacks.push_back(s.run({i}));
    valid.push_back(s.valid);
  }
  EXPECT_THAT(valid, ElementsAre(0, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(stacks[2], ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(stacks[4], ElementsAre(2, 3, 4, 5));
  s.instance->reset();
  EXPECT_THAT(s.run({9}), ElementsAre(0, 0, 9, 9));
  EXPECT_EQ(s.valid, 0);
}

TEST(Signal, framerWaitsForAWholeFrame) {
  Stream s(
      "input %x : i16[2] state %s : i16[1,4] -> %m state %h : i32[1] -> %n %y, %v, %m, %n = "
      "byoc.SignalFramer.1(%x, %s, %h) {frame_size=5, frame_step=2, prefill=0} output %y output %v");
  s.run({1, 2});
  EXPECT_EQ(s.valid, 0);
  s.run({3, 4});
  EXPECT_EQ(s.valid, 0);
  EXPECT_THAT(s.run({5, 6}), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(s.valid, 1);
  EXPECT_THAT(s.run({7, 8}), ElementsAre(3, 4, 5, 6, 7));
}

TEST(Signal, framerBehindZeros) {
  Stream s(
      "input %x : i16[2] state %s : i16[1,3] -> %m state %h : i32[1] -> %n %y, %v, %m, %n = "
      "byoc.SignalFramer.1(%x, %s, %h) {frame_size=5, frame_step=2, prefill=1} output %y output %v");
  EXPECT_THAT(s.run({1, 2}), ElementsAre(0, 0, 0, 1, 2));
  EXPECT_EQ(s.valid, 1);
  EXPECT_THAT(s.run({3, 4}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Signal, overlapAddSaturates) {
  Stream s(
      "input %x : i16[2,3] state %s : i16[1,3] -> %m %y, %m = byoc.SignalOverlapAdd.1(%x, %s) {frame_step=1} "
      "output %y");
  EXPECT_THAT(s.run({1, 2, 3, 10, 20, 30000}), ElementsAre(1, 12));
  EXPECT_THAT(s.run({100, 10000, 0, 0, 0, 0}), ElementsAre(123, 32767));
}

TEST(Signal, streamsSayWhatDoesNotFit) {
  const auto framer = [](const std::string& x, const std::string& s, const std::string& attributes) {
    return error_of("const %x : " + x + " = zeros const %s : " + s +
                    " = zeros const %h : i32[1] = zeros %y, %v, %m, %n = "
                    "byoc.SignalFramer.1(%x, %s, %h) {" +
                    attributes + "} output %y");
  };
  EXPECT_THAT(framer("i16[3]", "i16[1,2]", "frame_size=4, frame_step=2, prefill=1"),
              HasSubstr("the samples are no multiple of the step"));
  EXPECT_THAT(framer("i16[4]", "i16[1,2]", "frame_size=1, frame_step=2, prefill=1"),
              HasSubstr("frames are shorter than their step"));
  EXPECT_THAT(framer("i16[4]", "i16[1,3]", "frame_size=4, frame_step=2, prefill=1"),
              HasSubstr("input 1 does not fit (found i16[1,3], expected 2 elements)"));
  EXPECT_THAT(error_of("const %x : i16[2] = zeros const %s : i16[4] = zeros const %h : i32[1] = zeros %y, %v, %n = "
                       "byoc.SignalStacker.1(%x, %s, %h) {left_context=0, right_context=1, step=3} output %y"),
              HasSubstr("attribute 'step' is out of range (found 3, expected 1 to 2)"));
  EXPECT_THAT(error_of("const %x : i16[2] = zeros const %s : i16[1,2] = zeros %y, %n = "
                       "byoc.SignalOverlapAdd.1(%x, %s) {frame_step=1} output %y"),
              HasSubstr("frames must have two dims at least"));
}

}  // namespace
}  // namespace byoc::test
