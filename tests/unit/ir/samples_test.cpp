// Every .byoc file in samples/: good ones parse, keep the graph's rules and print to a fixed point; bad-*.byoc fail
// with what their first line says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sdk/base/support/file.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/ir/verify.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::ir {
namespace {

std::vector<std::string> samples() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + "/tests/unit/ir/samples"))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

class Sample : public testing::TestWithParam<std::string> {};

TEST_P(Sample, isAsItsNameSays) {
  Diagnostics diags;
  auto text = read_text(test::source_dir() + "/tests/unit/ir/samples/" + GetParam(), diags);
  ASSERT_TRUE(text);
  auto graph = parse(*text, GetParam(), diags);
  if (GetParam().starts_with("bad-")) {
    const std::string_view marker = "// error: ";
    ASSERT_EQ(text->substr(0, marker.size()), marker);
    ASSERT_FALSE(graph);
    const std::string expected = text->substr(marker.size(), text->find('\n') - marker.size());
    EXPECT_THAT(to_string(diags.all().at(0)), testing::HasSubstr(expected));
    return;
  }
  ASSERT_TRUE(graph) << to_string(diags.all().at(0));
  EXPECT_TRUE(verify(*graph, diags)) << to_string(diags.all().at(0));
  const std::string printed = print(*graph);
  auto again = parse(printed, "printed", diags);
  ASSERT_TRUE(again) << printed << to_string(diags.all().at(0));
  EXPECT_EQ(print(*again), printed);
  ASSERT_EQ(again->values.size(), graph->values.size());
  for (std::size_t i = 0; i < graph->values.size(); ++i) EXPECT_EQ(again->values[i].type, graph->values[i].type);
}

INSTANTIATE_TEST_SUITE_P(Text, Sample, testing::ValuesIn(samples()), [](const auto& file) {
  std::string name = file.param.substr(0, file.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace byoc::ir
