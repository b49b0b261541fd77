#include "sdk/run/simulate/actual_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/run/simulate/dump.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelInterface model() {
  ModelInterface out;
  out.outputs = {{"y", "y", DType::i8, {2, 3}, 6, {}}, {"y_count", "y_count", DType::i32, {}, 4, {}}};
  out.outputs[0].counted = {{1, 1}};
  return out;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

TEST(ActualOutputs, areAsLongAsTheirCountsSay) {
  Diagnostics diags;
  const auto actual = actual_outputs(model(), {bytes({1, 2, 0, 4, 5, 0}), bytes({2, 0, 0, 0})}, diags);
  ASSERT_TRUE(actual);
  ASSERT_EQ(actual->size(), 1U);
  EXPECT_THAT((*actual)[0].dims, ElementsAre(2, 2));
  EXPECT_EQ((*actual)[0].bytes, bytes({1, 2, 4, 5}));
  EXPECT_EQ(shape_json(model().outputs[0], (*actual)[0].dims),
            "{\n  \"name\": \"y\",\n  \"dtype\": \"i8\",\n  \"dims\": [\n    2,\n    2\n  ]\n}\n");
}

TEST(ActualOutputs, refuseCountsThatAreNone) {
  const auto error = [](const ModelInterface& m, std::vector<std::byte> count) {
    Diagnostics diags;
    EXPECT_FALSE(actual_outputs(m, {bytes({1, 2, 3, 4, 5, 6}), std::move(count)}, diags));
    return to_string(diags.all().at(0));
  };
  EXPECT_THAT(error(model(), bytes({4, 0, 0, 0})),
              HasSubstr("'y': the count of dim 1 is out of range (found 4, expected 0 to 3)"));
  EXPECT_THAT(error(model(), bytes({255, 255, 255, 255})), HasSubstr("found -1"));
  EXPECT_THAT(error(model(), bytes({1})), HasSubstr("found -1"));
  ModelInterface large = model();
  large.outputs[0].dims = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_THAT(error(large, bytes({1, 0, 0, 0})),
              HasSubstr("the buffer has another size than its dims say (found 6 bytes"));
}

}  // namespace
}  // namespace byoc
