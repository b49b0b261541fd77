// TFLite_Detection_PostProcess computed and compiled.
#include <gmock/gmock.h>

#include "tests/support/text_bench.hpp"

namespace byoc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Six boxes: three around one place, two around another, one far off. Two classes behind the background's score.
const char kBoxes[] = R"(
  const %e : f32[1,6,4] = [0, 0, 0, 0,  0, 1, 0, 0,  0, -1, 0, 0,  0, 0, 0, 0,  0, 1, 0, 0,  0, 0, 0, 0]
  const %a : f32[6,4] = [0.5, 0.5, 1, 1,  0.5, 0.5, 1, 1,  0.5, 0.5, 1, 1,  0.5, 10.5, 1, 1,  0.5, 10.5, 1, 1,  0.5, 100.5, 1, 1]
  const %s : f32[1,6,3] = [7, 0.9, 0.8,  7, 0.75, 0.72,  7, 0.6, 0.5,  7, 0.93, 0.95,  7, 0.5, 0.4,  7, 0.3, 0.2]
)";

// The results' types and names, with room for `n` boxes.
std::string results(std::int64_t n) {
  const std::string room = std::to_string(n);
  return "%b : f32[1," + room + ",4], %c : f32[1," + room + "], %v : f32[1," + room + "], %n : f32[1] = ";
}

std::string node(std::int64_t most, std::int64_t each, const std::string& more) {
  return results(most * each) + "byoc.DetectionPostProcess.1(%e, %s, %a) {max_detections=" + std::to_string(most) +
         ", max_classes_per_detection=" + std::to_string(each) +
         ", nms_iou_threshold=0.5, y_scale=10.0, x_scale=10.0, h_scale=5.0, w_scale=5.0, " + more + "}\n";
}

std::vector<float> floats(const std::string& text, const char* output) {
  Diagnostics diags;
  auto graph = ir::parse("graph \"t\" requant=tflite {\n" + text + "\noutput %" + output + "\n}", "t.byoc", diags);
  EXPECT_TRUE(graph) << text;
  if (!graph) return {};
  const auto out = evaluate::run(*graph, {}, diags);
  EXPECT_TRUE(out) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  if (!out) return {};
  const auto all = reinterpret_cast<const float*>((*out)[0].bytes.data());
  return {all, all + (*out)[0].bytes.size() / sizeof(float)};
}

TEST(Detection, fastTakesEachBoxByItsBestClass) {
  const std::string text = kBoxes + node(3, 1, "num_classes=2, nms_score_threshold=0.0, use_regular_nms=0");
  EXPECT_THAT(floats(text, "b"), ElementsAre(0, 10, 1, 11, 0, 0, 1, 1, 0, 100, 1, 101));
  EXPECT_THAT(floats(text, "c"), ElementsAre(1, 0, 0));
  EXPECT_THAT(floats(text, "v"), ElementsAre(0.95F, 0.9F, 0.3F));
  EXPECT_THAT(floats(text, "n"), ElementsAre(3));
}

// Two classes fill two of three places; the box counts as one.
TEST(Detection, fastGivesTheBestClassesOfABox) {
  const std::string text = kBoxes + node(2, 3, "num_classes=2, nms_score_threshold=0.4, use_regular_nms=0");
  EXPECT_THAT(floats(text, "c"), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(floats(text, "v"), ElementsAre(0.95F, 0.93F, 0, 0.9F, 0.8F, 0));
  EXPECT_THAT(floats(text, "n"), ElementsAre(2));
}

TEST(Detection, regularTakesEachClassByItself) {
  const std::string one = kBoxes + node(3, 1,
                                        "num_classes=2, nms_score_threshold=0.0, use_regular_nms=1, "
                                        "detections_per_class=1");
  EXPECT_THAT(floats(one, "b"), ElementsAre(0, 10, 1, 11, 0, 10, 1, 11, 0, 0, 0, 0));
  EXPECT_THAT(floats(one, "c"), ElementsAre(1, 0, 0));
  EXPECT_THAT(floats(one, "v"), ElementsAre(0.95F, 0.93F, 0));
  EXPECT_THAT(floats(one, "n"), ElementsAre(2));
  const std::string all = kBoxes + node(5, 1,
                                        "num_classes=2, nms_score_threshold=0.25, use_regular_nms=1, "
                                        "detections_per_class=9");
  EXPECT_THAT(floats(all, "v"), ElementsAre(0.95F, 0.93F, 0.9F, 0.8F, 0.3F));
  EXPECT_THAT(floats(all, "c"), ElementsAre(1, 0, 0, 1, 0));
}

// Without the background's score all columns count; equal scores keep the order of boxes and classes.
TEST(Detection, isCompiledAsItIsEvaluated) {
  for (const char* columns : {"3", "4"})
    for (const char* regular : {"0", "1"})
      for (const auto& [each, most] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 4}, {5, 1}, {2, 40}}) {
        const std::string graph =
            std::string("input %e : f32[1,30,5] input %s : f32[1,30,") + columns +
            "] input %x : f32[30,4] const %k : f32[] = [0.25] %h : f32[30,4] = Abs.13(%x) %a : f32[30,4] = "
            "Add.14(%h, %k) " +
            node(most, each,
                 "num_classes=3, nms_score_threshold=0.125, detections_per_class=4, use_regular_nms=" +
                     std::string(regular)) +
            "output %b output %c output %v output %n";
        EXPECT_EQ(TextBench(graph).check(host_machine()), "") << columns << regular << each << most;
      }
}

// The evaluator is given operands that no shape rule has seen.
TEST(Detection, doesNotFit) {
  const auto error = [](const std::string& text) {
    Diagnostics diags;
    const auto graph = ir::parse("graph \"t\" requant=tflite {\n" + text + "\noutput %b\n}", "t.byoc", diags);
    EXPECT_TRUE(graph && !evaluate::run(*graph, {}, diags)) << text;
    return diags.all().empty() ? "" : to_string(diags.all()[0]);
  };
  EXPECT_THAT(error(kBoxes + node(3, 1, "num_classes=4")), HasSubstr("boxes, scores and anchors do not fit"));
  EXPECT_THAT(error(kBoxes + node(3, 0, "num_classes=2")), HasSubstr("the number of detections is out of range"));
}

TEST(Detection, failsWhereABoxEndsBeforeItBegins) {
  const std::string text = "input %e : f32[1,1,4] input %s : f32[1,1,1] const %a : f32[1,4] = [0, 0, -1, 1] " +
                           node(1, 1, "num_classes=1, nms_score_threshold=0.0") +
                           "output %b output %c output %v output %n";
  EXPECT_THAT(TextBench(text).run(host_machine()), HasSubstr("a step gave an error code"));
}

}  // namespace
}  // namespace byoc::test
