#include "sdk/base/support/template.hpp"

#include <gtest/gtest.h>

namespace byoc {
namespace {

std::string rendered(std::string_view text, const Scope& scope) {
  const std::pair<std::string_view, std::string_view> files[] = {{"form/file", text}};
  return render(files, "form/file", {&scope});
}

TEST(Render, FieldsOfInnerScopesComeFirst) {
  const Scope scope{{{"name", "out"}, {"other", "x"}}, {{"rows", {{{{"name", "a"}}, {}}, {{{"name", "b"}}, {}}}}}};
  EXPECT_EQ(rendered("@name@\n@each rows@\n<@name@ @other@>@comma@\n@end@\nend\n", scope), "out\n<a x>,\n<b x>\nend\n");
}

TEST(Render, Conditions) {
  const Scope scope{{{"yes", "1"}, {"no", ""}}, {{"rows", {{}}}, {"none", {}}}};
  EXPECT_EQ(
      rendered(
          "@if yes@\n1\n@end@\n@if no@\n2\n@end@\n@unless no@\n3\n@end@\n@if rows@\n4\n@end@\n@if none@\n5\n@end@\n"
          "  @unless unknown@\n6\n  @end@\n",
          scope),
      "1\n3\n4\n6\n");
}

TEST(Render, BlocksInBlocks) {
  const Scope scope{{{"on", "1"}}, {{"rows", {{{{"n", "1"}}, {}}, {{{"n", "2"}}, {}}}}, {"none", {}}}};
  EXPECT_EQ(rendered("@each rows@\n@if on@\n@n@\n@end@\n@each none@\nx\n@end@\n@end@\n", scope), "1\n2\n");
}

TEST(Render, TextIsQuotedForItsSyntax) {
  const Scope scope{{{"t", "a\"b\\c<&>$;@name@"}}, {}};
  EXPECT_EQ(rendered("@t|json@\n", scope), "a\\\"b\\\\c<&>$;@name@\n");
  EXPECT_EQ(rendered("@t|xml@\n", scope), "a&quot;b\\c&lt;&amp;&gt;$;@name@\n");
  EXPECT_EQ(rendered("@t|cmake@\n", scope), "a\\\"b\\\\c<&>\\$\\;@name@\n");
}

TEST(FillTemplate, KeepsTheEndOfTheText) {
  const auto filled = [](std::string_view text) {
    const std::pair<std::string_view, std::string_view> files[] = {{"file", text}};
    return fill_template(files, "file", {{"A", "1\n"}, {"B", ""}});
  };
  EXPECT_EQ(filled(""), "");
  EXPECT_EQ(filled("\n"), "\n");
  EXPECT_EQ(filled("x@A@@B@"), "x1\n");
  EXPECT_EQ(filled("x@A@@B@\n"), "x1\n\n");
}

}  // namespace
}  // namespace byoc
