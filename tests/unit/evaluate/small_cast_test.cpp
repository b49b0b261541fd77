// Operators on elements of few bits: Cast, CastLike, quantising, and what leaves elements where they are.
#include <cmath>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> raw(const std::string& statements) {
  const auto bytes = result_of<std::uint8_t>(statements);
  return {bytes.begin(), bytes.end()};
}

TEST(SmallCast, stringsBecomeFewBits) {
  EXPECT_THAT(raw("const %x : string[3] = [\"1\", \"15\", \" 2.6\"] %y = Cast.25(%x) {to=21} output %y"),
              ElementsAre(0xf1, 0x03));
}

TEST(SmallCast, integersKeepTheLowBits) {
  EXPECT_THAT(raw("const %x : f32[5] = [-9, 7.9, -1.5, 8, 1000000000] %y = Cast.25(%x) {to=22} output %y"),
              ElementsAre(0x87, 0x8e, 0));  // 7.9 is 8, and -1.5 is -2
  EXPECT_THAT(raw("const %x : f32[7] = [-3, -2, -1, 0, 1, 2, 3] %y = Cast.25(%x) {to=26} output %y"),
              ElementsAre(0x39, 0x39));
  EXPECT_THAT(raw("const %x : i64[3] = [-9, 17, 4294967301] %y = Cast.25(%x) {to=21} output %y"),
              ElementsAre(0x17, 0x05));
  EXPECT_THAT(
      raw("const %x : u64[2] = [18446744073709551615, 18446744073709551615] %y = Cast.25(%x) {to=17} output %y"),
      ElementsAre(0x7e, 0x7e));
  EXPECT_THAT(raw("const %x : i4[3] = hex\"9701\" %y = Cast.25(%x) {to=26} output %y"), ElementsAre(0x17));
}

TEST(SmallCast, fromSmallIsExact) {
  const std::string x = "const %x : i4[3] = hex\"9701\" ";
  EXPECT_THAT(bytes_of(x + "%y = Cast.25(%x) {to=3} output %y"), ElementsAre(7, -7, 1));
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {to=2} output %y"), ElementsAre(7, 249, 1));
  EXPECT_THAT(floats(x + "%y = Cast.25(%x) {to=1} output %y"), ElementsAre(7, -7, 1));
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {to=22} output %y"), ElementsAre(0x97, 0x01));
  EXPECT_THAT(raw("const %x : u2[5] = hex\"e401\" %y = Cast.25(%x) {to=2} output %y"), ElementsAre(0, 1, 2, 3, 1));
  const auto wide = floats("const %x : f8e5m2[4] = hex\"7c7efc80\" %y = Cast.25(%x) {to=1} output %y");
  ASSERT_EQ(wide.size(), 4U);
  EXPECT_TRUE(std::isinf(wide[0]) && std::isnan(wide[1]) && std::isinf(wide[2]) && std::signbit(wide[3]));
  EXPECT_THAT(raw("const %x : f8e4m3fn[3] = hex\"7f0080\" %y = Cast.25(%x) {to=9} output %y"), ElementsAre(1, 0, 0));
  EXPECT_THAT(bytes_of("const %x : f4e2m1[4] = hex\"7f39\" %y = Cast.25(%x) {to=3} output %y"),
              ElementsAre(-6, 6, 0, 1));
}

TEST(SmallCast, attributesSayHowIsRounded) {
  const std::string x = "const %x : f32[3] = [1000000, 3, -1000000] ";
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {to=17} output %y"), ElementsAre(0x7e, 0x44, 0xfe));
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {saturate=0, to=17} output %y"), ElementsAre(0x7f, 0x44, 0xff));
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {saturate=0, to=18} output %y"), ElementsAre(0x80, 0x4c, 0x80));
  EXPECT_THAT(raw(x + "%y = Cast.25(%x) {saturate=0, to=19} output %y"), ElementsAre(0x7c, 0x42, 0xfc));
  EXPECT_THAT(raw(x + "const %l : f8e5m2[0] = hex\"\" %y = CastLike.25(%x, %l) output %y"),
              ElementsAre(0x7b, 0x42, 0xfb));
  for (const auto& [mode, code] : {std::pair{"up", 129}, {"down", 128}, {"nearest", 129}})
    EXPECT_THAT(
        raw("const %x : f32[1] = [3] %y = Cast.25(%x) {round_mode=\"" + std::string(mode) + "\", to=24} output %y"),
        ElementsAre(code));
  EXPECT_THAT(error_of(x + "%y = Cast.25(%x) {round_mode=\"even\", to=24} output %y"),
              HasSubstr("attribute round_mode is not one of its values (found even, expected up, down or nearest)"));
}

TEST(SmallQuantise, integersAndFloats) {
  const std::string x = "const %x : f32[5] = [0, 2.5, -30, 6, 40] const %s : f32[] = [2] ";
  EXPECT_THAT(raw(x + "const %z : i4[] = hex\"01\" %y = QuantizeLinear.21(%x, %s, %z) output %y"),
              ElementsAre(0x21, 0x48, 0x07));
  EXPECT_THAT(raw(x + "const %z : u2[] = hex\"01\" %y = QuantizeLinear.25(%x, %s, %z) output %y"),
              ElementsAre(0x01 | 2 << 2 | 0 << 4 | 3 << 6, 3));
  EXPECT_THAT(raw(x + "const %z : f4e2m1[] = hex\"00\" %y = QuantizeLinear.23(%x, %s, %z) output %y"),
              ElementsAre(0x20, 0x5f, 0x07));
  EXPECT_THAT(raw("const %x : f32[2] = [1000, -1000] const %s : f32[] = [1] const %z : f8e4m3fn[] = hex\"00\" "
                  "%y = QuantizeLinear.19(%x, %s, %z) {saturate=0} output %y"),
              ElementsAre(0x7f, 0xff));
  EXPECT_THAT(floats("const %x : i2[4] = hex\"b4\" const %s : f32[] = [2] const %z : i2[] = hex\"01\" "
                     "%y = DequantizeLinear.25(%x, %s, %z) output %y"),
              ElementsAre(-2, 0, -4, -6));
  // Per axis, and in blocks of it.
  EXPECT_THAT(floats("const %x : f8e5m2[2,2] = hex\"3c403cc0\" const %s : f32[2] = [2, 3] "
                     "%y = DequantizeLinear.19(%x, %s) {axis=0} output %y"),
              ElementsAre(2, 4, 3, -6));
  EXPECT_THAT(floats("const %x : u4[1,3] = hex\"2103\" const %s : f32[1,2] = [2, 10] "
                     "%y = DequantizeLinear.21(%x, %s) {axis=1, block_size=2} output %y"),
              ElementsAre(2, 4, 30));
}

TEST(SmallQuantise, precisionIsThatOfTheDivision) {
  const std::string x = "const %x : f32[1] = [3.4999] const %s : f32[] = [1] const %z : i8[] = [0] ";
  EXPECT_THAT(bytes_of(x + "%y = QuantizeLinear.23(%x, %s, %z) output %y"), ElementsAre(3));
  EXPECT_THAT(bytes_of(x + "%y = QuantizeLinear.23(%x, %s, %z) {precision=10} output %y"), ElementsAre(4));
  EXPECT_THAT(bytes_of(x + "%y = QuantizeLinear.23(%x, %s, %z) {precision=16} output %y"), ElementsAre(4));
}

TEST(SmallElements, stayWhereTheyAre) {
  const std::string x = "const %x : i2[5] = hex\"e402\" ";
  for (const std::string op : {"Identity.1(%x)", "Flatten.13(%x)", "BitCast.26(%x) {to=25}"})
    EXPECT_THAT(raw(x + "%y = " + op + " output %y"), ElementsAre(0xe4, 0x02)) << op;
  EXPECT_THAT(raw("const %s : i64[1] = [3] %y = ConstantOfShape.9(%s) {value=tensor(i4[1] = hex\"0d\")} output %y"),
              ElementsAre(0xdd, 0x0d));
  EXPECT_THAT(result_of<std::int64_t>(x + "%y = Shape.15(%x) output %y"), ElementsAre(5));
}

TEST(SmallElements, areNotComputedWith) {
  EXPECT_THAT(error_of("const %x : f8e5m2[1] = hex\"00\" %y = Abs.6(%x) output %y"),
              HasSubstr("element type of input 0 is not supported (found f8e5m2, expected a type that can be computed "
                        "with)"));
  EXPECT_THAT(error_of("const %x : f4e2m1[1] = hex\"00\" %y = Relu.6(%x) output %y"), HasSubstr("found f4e2m1"));
}

}  // namespace
}  // namespace byoc::test
