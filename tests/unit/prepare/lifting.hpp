// Tests of lifting: statements in, the statements that they become out.
#pragma once

#include <string>

#include "sdk/model/ir/verify.hpp"
#include "sdk/model/prepare/fold.hpp"
#include "tests/unit/prepare/preparing.hpp"

namespace byoc::test {

// Parameters that the statements below use.
inline constexpr char kParameters[] = R"(
  const %half : f32[] = [0.5]
  const %quarter : f32[] = [0.25]
  const %z3 : i8[] = [3]
  const %z0 : i8[] = [0]
)";

// The graph after lifting, without its first and last line and without constants that no test looks at. The
// operators of `literal` stay.
inline std::string lifted(const std::string& statements, const SourceNodes& literal = {}) {
  ir::Graph g = graph_of(kParameters + statements);
  Diagnostics diags;
  FoldBudget budget(FoldLimit{});
  EXPECT_TRUE(lift_quantisation(g, literal, budget, diags)) << all_errors(diags);
  EXPECT_TRUE(ir::verify(g, diags)) << all_errors(diags);
  std::string text = ir::print(g);
  text = text.substr(text.find('\n') + 1);
  return text.substr(0, text.size() - 2);
}

}  // namespace byoc::test
