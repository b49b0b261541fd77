#include "sdk/base/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/base/page/drawing.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::page {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Text, figures) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(spaced(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(spaced(999), "999");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(3ull << 30), "3.0 GiB");
}

TEST(Text, theLargestPartsOfAWhole) {
  EXPECT_EQ(largest_parts({{"a", 10}, {"b", 40}, {"c", 30}, {"d", 20}}), "b 40.0 %, c 30.0 %, d 20.0 %");
  EXPECT_EQ(largest_parts({{"a", 10}, {"b", 40}, {"c", 30}}), "");
  EXPECT_EQ(largest_parts({{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}}), "");
}

TEST(Text, namesThatConvertersMade) {
  EXPECT_EQ(short_name("model/block_1/conv/Relu;model/block_1/bn/FusedBatchNormV3;x", 40), "conv/Relu");
  EXPECT_EQ(short_name("plain", 40), "plain");
  EXPECT_EQ(short_name("", 40), "");
  EXPECT_EQ(short_node("Conv 'a/b/c;a/b/d' (#3)", 40), "Conv b/c (#3)");
  EXPECT_EQ(short_node("Relu (#4)", 40), "Relu (#4)");
  EXPECT_EQ(cut("äöüäöü", 6), "äöüäöü");
  EXPECT_EQ(cut("äöüäöü", 4), "äöü…");
  EXPECT_EQ(byoc::utf8("a\xff"
                       "b"),
            "a\xef\xbf\xbd"
            "b");
}

TEST(Page, isOneFileThatFetchesNothing) {
  Page page("kws for cortex-m4f", "an export");
  const Figure figures[] = {{"flash", "22.5 KiB", "of 1 MiB", 0.5}};
  page.figures(figures);
  page.table("steps", {{{"layer"}, {"cost", true}}, {{name_cell("conv"), number_cell(1200, 2400)}}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "<td class=\"number\" data-order=\"1200.0\"><i class=\"bar\" style=\"--share:50.0%\"></i>1\u202f200</td>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#s1\">steps</a>"));
  for (const char* outside : {"http://", "https://", "src=", "@import"}) EXPECT_THAT(html, Not(HasSubstr(outside)));
}

TEST(Page, saysWhatItWasMadeOf) {
  Page page("t", "");
  page.headline("kws: 41.6 ms", "Hottest layers: <a>");
  const Facts facts = {{"file", "<kws>.tflite"}, {"options", "--cycles"}};
  const std::string html = with_facts(page.html(), facts);
  EXPECT_THAT(html,
              HasSubstr("<p class=\"headline\">kws: 41.6 ms</p>\n<p class=\"note\">Hottest layers: &lt;a&gt;</p>"));
  EXPECT_THAT(html, testing::ContainsRegex("<dt>byoc</dt><dd>[0-9.]+</dd>"));
  EXPECT_THAT(html,
              HasSubstr("<dt>file</dt><dd>&lt;kws&gt;.tflite</dd></div>\n<div><dt>options</dt><dd>--cycles</dd>"));
}

TEST(Page, aNameIsNoPlaceForFacts) {
  const Facts facts = {{"file", "kws"}};
  const std::string html = with_facts(Page("<!-- further facts -->", "").html(), facts);
  EXPECT_THAT(html, HasSubstr("<dl class=\"facts\">"));
  EXPECT_GT(html.find("<dt>file</dt>"), html.find("<dl class=\"facts\">"));
}

TEST(Page, sharesAndIdentifiers) {
  EXPECT_EQ(share_cell(1, 8).text, "12.5\u202f%");
  EXPECT_DOUBLE_EQ(share_cell(1, 8).share, 0.125);
  EXPECT_EQ(share_cell(1, 0).text, "");
  Page page("t", "");
  page.table("steps", {{{"kernel"}}, {{identifier_cell("conv_<s8>")}}});
  EXPECT_THAT(page.html(), HasSubstr("<td>conv_<wbr>&lt;s8&gt;</td>"));
}

TEST(Page, escapesWhateverItIsGiven) {
  Page page("<u>&", "<i>");
  const Warning warnings[] = {{"<script>", "\"&"}};
  page.warnings(warnings);
  page.table("<h>", {{{"<c>"}}, {{text_cell("<script>alert(1)</script>")}}}, "<note>");
  const Detail details[] = {{"n0", "<t>", {{"<k>", "<v>"}}}};
  page.drawing("<d>", "", details);
  page.remark("<r>", "<script>");
  page.headline("<f>", "<g>");
  page.table("i", {{{"k"}}, {{identifier_cell("<j>")}}});
  const Facts facts = {{"<l>", "<m>"}};
  const std::string html = with_facts(page.html(), facts);
  for (const char* raw : {"<f>", "<g>", "<j>", "<l>", "<m>", "<u>&", "<i>", "<script>alert", "<h>", "<c>", "<note>",
                          "<t>", "<k>", "<v>", "<d>", "<r>"})
    EXPECT_THAT(html.substr(html.find("<body>")), Not(HasSubstr(raw))) << raw;
}

TEST(Page, namesTurnNoTextAround) {
  Page page("t\xe2\x80\xae", "");
  page.table("nodes", {{{"name"}}, {{text_cell("a\xe2\x81\xa6 b\x1b"), name_cell("c\xe2\x80\xae")}}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("a\\xe2\\x81\\xa6 b\\x1b"));
  EXPECT_THAT(html, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(Page, longNamesOpenOnDemand) {
  const std::string whole(200, 'x');
  const Cell cell = name_cell(whole);
  EXPECT_LE(cell.text.size(), 40u);
  EXPECT_EQ(cell.whole, whole);
  Page page("t", "");
  page.table("nodes", {{{"name"}}, {{cell}}});
  EXPECT_THAT(page.html(), HasSubstr("<details class=\"name\"><summary>"));
}

TEST(Page, aTableWithoutRowsIsNotThere) {
  Page page("t", "");
  page.table("empty", {{{"name"}}, {}});
  EXPECT_THAT(page.html(), Not(HasSubstr("<h2>empty")));
}

TEST(Drawing, boxesLeadToWhatIsKnownOfThem) {
  Box box{"Conv <1>", "i8[1,2]"};
  box.link = "#n0";
  box.whole = "Conv \"whole\"";
  box.tone = Tone::other;
  box.number = 7;  // the second colour again
  box.share = 0.5;
  const Box boxes[] = {{"input x", "i8[1]"}, box};
  const Edge edges[] = {{0, 1}};
  const std::string svg = draw_graph(boxes, edges, "graph");
  EXPECT_THAT(svg, HasSubstr("<a href=\"#n0\"><title>Conv &quot;whole&quot;</title><rect class=\"box t1\""));
  EXPECT_THAT(svg, HasSubstr(">Conv &lt;1&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"edge\" d=\"M115 52L115 78\"/>"));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"share\""));
}

TEST(Drawing, tooManyBoxesAreNone) { EXPECT_EQ(draw_graph(std::vector<Box>(kMostBoxes + 1), {}, "graph"), ""); }

TEST(Drawing, memoryOverSteps) {
  const Span spans[] = {{"a", 0, 100, 0, 1}, {"b", 100, 300, 1, 1}};
  const std::uint64_t live[] = {100, 400};
  const std::string svg = draw_memory(spans, live, 400, "workspace");
  // Two steps of 450, 400 bytes over 300: b fills three quarters of the second.
  EXPECT_THAT(svg, HasSubstr("<title>b: 300 bytes at 100, steps 1 to 1</title><rect class=\"span t1\" x=\"520\" "
                             "y=\"10\" width=\"450\" height=\"225\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"live\" d=\"M70 235h450L520 10h450\"/>"));
}

TEST(Drawing, labelsOfMemoryDoNotTouch) {
  // Two names of one thing, as where a result is written over what the step reads.
  const Span spans[] = {{"first", 0, 400, 0, 1}, {"second", 0, 400, 0, 1}};
  const std::uint64_t live[] = {400, 400};
  const std::string svg = draw_memory(spans, live, 400, "workspace");
  EXPECT_THAT(svg, HasSubstr(">first</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">second</text>")));
  EXPECT_THAT(svg, HasSubstr("<title>second: 400 bytes at 0, steps 0 to 1</title>"));
}

TEST(Drawing, axesShowHowValuesDiffer) {
  EXPECT_THAT(axis_of(0, 4000).ticks, testing::ElementsAre(0, 1000, 2000, 3000, 4000));
  EXPECT_THAT(axis_of(1000, 4000).ticks, testing::ElementsAre(0, 1000, 2000, 3000, 4000));
  EXPECT_THAT(axis_of(19594, 36954).ticks, testing::ElementsAre(15000, 20000, 25000, 30000, 35000, 40000));
  EXPECT_THAT(axis_of(4611937, 4768000).ticks, testing::ElementsAre(4600000, 4650000, 4700000, 4750000, 4800000));
  EXPECT_THAT(axis_of(7, 7).ticks, testing::ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(axis_of(0, 0).ticks, testing::ElementsAre(0, 1));
}

TEST(Drawing, aCurveHasLabels) {
  const CurvePoint points[] = {{900, 2000, "a", "900, +3.4 %"}, {1000, 1900, "b", "1000"}};
  const std::string svg = draw_curve(points, "bytes", "cycles", "curve");
  EXPECT_THAT(svg, HasSubstr(">900, +3.4 %</text>"));
  EXPECT_THAT(svg, HasSubstr("<text class=\"type end\""));  // at the right edge
  EXPECT_THAT(svg, HasSubstr(">bytes, from 900 on</text>"));
  EXPECT_THAT(svg, HasSubstr(">cycles, from 1\u202f900 on</text>"));
}

}  // namespace
}  // namespace byoc::page
