// Diagnostics as data: how many of them are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {
namespace {

TEST(Diagnostics, theFirstErrorsAreKeptAndTheRestCounted) {
  Diagnostics diags;
  diags.warning("f", "n", "a warning");
  for (int i = 0; i < 100; ++i) diags.error("f", "n", "error " + std::to_string(i));
  EXPECT_EQ(diags.all().size(), 101u);
  for (int i = 100; i < 1000; ++i) diags.error("f", "n", "error " + std::to_string(i));
  ASSERT_EQ(diags.all().size(), 102u);
  EXPECT_EQ(diags.all()[100].message, "error 99");
  EXPECT_EQ(to_string(diags.all()[101]), "note: further errors and warnings are left out (found 900)");
  EXPECT_EQ(diags.errors(), 1000u);
  EXPECT_EQ(diags.count(), 1001u);
}

TEST(Diagnostics, sayWhoseWorkTheyAreAbout) {
  Diagnostics diags;
  {
    const Diagnostics::Origin outer(diags, "acme");
    diags.error("npu.o", "f", "is undefined", "none");
    diags.error({Level::error, "", "", "is of another", {}, {}, "other"});
    {
      const Diagnostics::Origin inner(diags, "");
      diags.warning("root.o", "", "is of none");
    }
    diags.warning("npu.o", "", "is again of acme");
  }
  diags.error("model.onnx", "", "is of none");
  ASSERT_EQ(diags.all().size(), 5u);
  EXPECT_EQ(to_string(diags.all()[0]), "npu.o: error: 'f': codegen 'acme': is undefined (found none)");
  EXPECT_EQ(to_string(diags.all()[1]), "error: codegen 'other': is of another");
  EXPECT_EQ(to_string(diags.all()[2]), "root.o: warning: is of none");
  EXPECT_EQ(to_string(diags.all()[3]), "npu.o: warning: codegen 'acme': is again of acme");
  EXPECT_EQ(to_string(diags.all()[4]), "model.onnx: error: is of none");
  EXPECT_EQ(diags.all()[0].message, "is undefined");
}

TEST(Diagnostics, warningsDoNotHideErrors) {
  Diagnostics diags;
  for (int i = 0; i < 101; ++i) diags.warning("f", "n", "a warning");
  EXPECT_FALSE(diags.has_errors());
  diags.error("f", "n", "an error");
  ASSERT_EQ(diags.all().size(), 102u);
  EXPECT_EQ(diags.all()[100].message, "an error");
  EXPECT_EQ(diags.all()[101].found, "1");
  EXPECT_TRUE(diags.has_errors());
}

}  // namespace
}  // namespace byoc
