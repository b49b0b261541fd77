#include "sdk/library/pack/linker_fragment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/library/pack/manifest.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;

// Names of tensors in TFLite models are paths through the network that was trained.
TEST(LinkerFragment, TakesNamesOfAnyLength) {
  Diagnostics diags;
  const std::string symbol = "net_" + std::string(300, 'a');
  const std::vector<ConstantArtifact> constants{{.symbol = symbol, .bytes = test::blob("weights!"), .align = 8}};
  const TargetSpec target = test::target("cortex-m4f");
  auto object = ConstantObject::create(target, constants, diags);
  ASSERT_TRUE(object) << text_of(diags);
  auto read = read_constant_regions(write_constants_manifest(target, constants, &*object, {}), "net.json", diags);
  ASSERT_TRUE(read) << text_of(diags);
  const auto fragment = write_linker_fragment({*read}, {{"flash", "QSPI"}}, "regions", diags);
  ASSERT_TRUE(fragment) << text_of(diags);
  EXPECT_THAT(fragment->script, HasSubstr("*(.rodata." + symbol + ") /* 8 bytes */"));
}

}  // namespace
}  // namespace byoc
