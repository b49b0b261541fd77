// CUSTOM TFLite_Detection_PostProcess.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/flex_options.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Model {
  TensorType type = kF32;
  std::vector<std::vector<std::int32_t>> shapes = {{1, 6, 4}, {1, 6, 3}, {6, 4}};
  FlexOptions options = {{"max_detections", 3},
                         {"max_classes_per_detection", 1},
                         {"num_classes", 2},
                         {"use_regular_nms", 1},
                         {"detections_per_class", 7}};
  FlexReals reals = {{"nms_score_threshold", 0.25},
                     {"nms_iou_threshold", 0.5},
                     {"y_scale", 10},
                     {"x_scale", 10},
                     {"h_scale", 5},
                     {"w_scale", 5}};

  [[nodiscard]] TfliteWriter writer() const {
    TfliteWriter w;
    std::vector<std::int32_t> from, to;
    for (std::size_t i = 0; i < 3; ++i) {
      from.push_back(w.add("x" + std::to_string(i), type, shapes[i], type == kF32 ? TfliteQuantisation{} : q(0.5F, 3)));
    }
    to.push_back(w.add("boxes", kF32, {1, 3, 4}));
    for (const char* name : {"classes", "scores", "count"}) to.push_back(w.add(name, kF32, {}));  // shapes left empty
    add_custom(w, "TFLite_Detection_PostProcess", from, to, options, reals);
    w.boundary(from, to);
    return w;
  }
};

TEST(ImportDetection, isImported) {
  const std::string text = imported(Model().writer());
  EXPECT_THAT(text, HasSubstr("\"classes\" : f32[1,3]"));
  EXPECT_THAT(text, HasSubstr("\"count\" : f32[1] #6 = byoc.DetectionPostProcess.1(%0, %1, %2)"));
  EXPECT_THAT(text, AllOf(HasSubstr("detections_per_class=7"), HasSubstr("nms_score_threshold=0.25"),
                          HasSubstr("y_scale=10"), HasSubstr("use_regular_nms=1")));
  Model m;
  m.options.resize(3);
  EXPECT_THAT(imported(m.writer()), AllOf(HasSubstr("detections_per_class=100"), HasSubstr("use_regular_nms=0")));
  m.type = TensorType::UINT8;
  EXPECT_THAT(imported(m.writer()), HasSubstr("byoc.Dequantize.1(%2)"));
}

TEST(ImportDetection, refusesWhatDoesNotFit) {
  const auto refused = [](const auto& change) {
    Model m;
    change(m);
    return errors(m.writer().bytes());
  };
  EXPECT_THAT(refused([](Model& m) { m.shapes[1] = {1, 6, 4}; }), HasSubstr("the scores do not fit the classes"));
  EXPECT_THAT(refused([](Model& m) { m.shapes[0] = {1, 6, 3}; }), HasSubstr("the boxes have too few numbers"));
  EXPECT_THAT(refused([](Model& m) { m.shapes[2] = {5, 4}; }), HasSubstr("the shape of input 2 'x2' does not fit"));
  EXPECT_THAT(refused([](Model& m) { m.reals[1].second = 1.5; }),
              HasSubstr("option 'nms_iou_threshold' is out of range"));
  EXPECT_THAT(refused([](Model& m) { m.reals[3].second = 0; }), HasSubstr("option 'x_scale' is out of range"));
  EXPECT_THAT(refused([](Model& m) { m.reals[3].second = HUGE_VAL; }), HasSubstr("expected a finite number"));
  EXPECT_THAT(refused([](Model& m) { m.reals.pop_back(); }), HasSubstr("the options have no number 'w_scale'"));
  EXPECT_THAT(refused([](Model& m) { m.options[0].second = 0; }), HasSubstr("option 'max_detections' is out of range"));
  EXPECT_THAT(refused([](Model& m) { m.type = kI16; }), HasSubstr("unsupported element type of input 0"));
}

}  // namespace
}  // namespace byoc::test
