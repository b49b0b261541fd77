// byoc.Lookup and byoc.DynamicQuantize: numbers worked out by hand, code beside the evaluator, and refusals.
#include <gmock/gmock.h>

#include <string>

#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"
#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ir::Graph parsed(const std::string& text) {
  Diagnostics diags;
  auto graph = ir::parse("graph \"t\" requant=tflite {\n" + text + "\n}", "t.byoc", diags);
  EXPECT_TRUE(graph) << text << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return graph ? std::move(*graph) : ir::Graph();
}

// Output `i` of a graph without inputs.
template <class T>
std::vector<T> output_of(const std::string& text, std::size_t i = 0) {
  Diagnostics diags;
  const auto out = evaluate::run(parsed(text), {}, diags);
  EXPECT_TRUE(out) << text << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!out) return {};
  const auto* all = reinterpret_cast<const T*>((*out)[i].bytes.data());
  return {all, all + (*out)[i].bytes.size() / sizeof(T)};
}

std::string shape_error_of(const std::string& text) {
  Diagnostics diags;
  ir::Graph graph = parsed(text);
  EXPECT_FALSE(infer_shapes(graph, diags)) << text;
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

// A table of 256 elements: element i is 3 * i, as far as 8 bits go.
std::string table(const std::string& type) {
  std::string out = "const %t : " + type + "[256] = [";
  for (int i = 0; i < 256; ++i) {
    const int element = 3 * i % 256 - (type == "i8" ? 128 : 0);
    out += (i == 0 ? "" : ", ") + std::to_string(element);
  }
  return out + "] ";
}

TEST(Lookup, takesTheElementThatAnIntegerCounts) {
  EXPECT_THAT(output_of<std::int8_t>(table("i8") + "const %x : i8[3] q(0.5, 1) = [-128, -127, 0] "
                                                   "%y : i8[3] q(0.25, 2) = byoc.Lookup.1(%x, %t) output %y"),
              ElementsAre(-128, -125, 0));
  EXPECT_THAT(output_of<std::uint8_t>(table("u8") + "const %x : u8[2] q(0.5, 1) = [1, 255] "
                                                    "%y : u8[2] q(0.25, 2) = byoc.Lookup.1(%x, %t) output %y"),
              ElementsAre(3, 253));
}

TEST(Lookup, compiledCodeAgrees) {
  for (const char* type : {"i8", "u8"})
    EXPECT_EQ(TextBench("input %x : T[5,60] q(0.5, 1) " + table(type) +
                            "%y : T[5,60] q(0.25, 2) = byoc.Lookup.1(%x, %t) output %y",
                        type)
                  .check(host_machine()),
              "")
        << type;
}

TEST(Lookup, refusals) {
  EXPECT_THAT(shape_error_of("input %x : i16[2] input %t : i8[256] %y = byoc.Lookup.1(%x, %t) output %y"),
              HasSubstr("i16"));
  const auto refused = [](const std::string& operands) {
    return TextBench(operands + " %y : i8[2] q(0.5, 0) = byoc.Lookup.1(%x, %t) output %y").refusal();
  };
  EXPECT_THAT(refused("input %x : i8[2] q(0.5, 0) input %t : i8[256]"),
              HasSubstr("table: found a computed one, expected a constant"));
  EXPECT_THAT(refused("input %x : i8[2] q(0.5, 0) const %t : i8[3] = [1, 2, 3]"),
              HasSubstr("expected 256 elements of i8"));
}

TEST(DynamicQuantize, rowsGetTheScalesOfTheirRanges) {
  const std::string rows = "const %x : f32[2,4] = [1, -2, 0.5, 4, 0, 0, 0, 0] ";
  const std::string symmetric =
      rows + "%y, %s, %z = byoc.DynamicQuantize.1(%x) {symmetric=1} output %y output %s output %z";
  EXPECT_THAT(output_of<std::int8_t>(symmetric), ElementsAre(32, -64, 16, 127, 0, 0, 0, 0));
  EXPECT_THAT(output_of<float>(symmetric, 1), ElementsAre(4.0F / 127, 1));
  EXPECT_THAT(output_of<std::int8_t>(symmetric, 2), ElementsAre(0, 0));
  // The range -2 to 4 in steps of 6 / 255: 0 is -128 + 85.
  const std::string whole = rows + "%y, %s, %z = byoc.DynamicQuantize.1(%x) output %y output %s output %z";
  EXPECT_THAT(output_of<std::int8_t>(whole), ElementsAre(-1, -128, -22, 127, 0, 0, 0, 0));
  EXPECT_THAT(output_of<float>(whole, 1), ElementsAre(6.0F / 255, 1));
  EXPECT_THAT(output_of<std::int8_t>(whole, 2), ElementsAre(-43, 0));
}

TEST(DynamicQuantize, compiledCodeAgrees) {
  for (const char* symmetric : {"0", "1"})
    EXPECT_EQ(TextBench("input %x : f32[3,2,5] %y : i8[3,2,5], %s : f32[3], %z : i8[3] = byoc.DynamicQuantize.1(%x) "
                        "{axis=1, symmetric=" +
                        std::string(symmetric) + "} output %y output %s output %z")
                  .check(host_machine()),
              "")
        << symmetric;
}

TEST(DynamicQuantize, refusals) {
  EXPECT_THAT(shape_error_of("input %x : i8[2] %y, %s, %z = byoc.DynamicQuantize.1(%x) output %y output %s output %z"),
              HasSubstr("i8"));
  EXPECT_THAT(shape_error_of("input %x : f32[2] %y, %s, %z = byoc.DynamicQuantize.1(%x) {axis=2} output %y output %s "
                             "output %z"),
              HasSubstr("attribute axis is out of range"));
  EXPECT_THAT(TextBench("input %x : f32[2,3] %y : i8[2,3], _, _ = byoc.DynamicQuantize.1(%x) output %y").refusal(),
              HasSubstr("found output 1 left out"));
}

}  // namespace
}  // namespace byoc::test
