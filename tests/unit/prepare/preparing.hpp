// Tests of passes: a graph text in, the printed graph or the errors out.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

namespace byoc::test {

inline std::string all_errors(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

// `statements` in the text form, a symbol N and a symbol M; its outputs are the graph's.
inline ir::Graph graph_of(const std::string& statements, const std::string& mode = "onnx") {
  Diagnostics diags;
  auto g = ir::parse("graph \"t\" requant=" + mode + " symbols=[N, M] {\n" + statements + "\n}", "t.byoc", diags);
  EXPECT_TRUE(g) << all_errors(diags) << statements;
  return g ? std::move(*g) : ir::Graph{};
}

// The types of the graph's outputs after shape inference: "f32[1,2] i64[3]".
inline std::string types_of(const std::string& statements, const std::string& mode = "onnx") {
  ir::Graph g = graph_of(statements, mode);
  Diagnostics diags;
  EXPECT_TRUE(infer_shapes(g, diags)) << all_errors(diags) << statements;
  std::string out;
  for (const ir::ValueId v : g.outputs) out += (out.empty() ? "" : " ") + to_string(g.values[v].type, g);
  return out;
}

inline std::string inference_error(const std::string& statements, const std::string& mode = "onnx") {
  ir::Graph g = graph_of(statements, mode);
  Diagnostics diags;
  EXPECT_FALSE(infer_shapes(g, diags)) << "no error for " << statements;
  EXPECT_EQ(diags.all().size(), 1U) << all_errors(diags);
  return all_errors(diags);
}

inline std::string prepare_error(const std::string& statements, const PrepareOptions& options = {}) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  EXPECT_FALSE(prepare(g, options, diags)) << "no error for " << statements;
  return all_errors(diags);
}

// The graph after all passes. open_types: as PrepareOptions has it.
inline std::string prepared(const std::string& statements, bool open_types = false) {
  ir::Graph g = graph_of(statements);
  Diagnostics diags;
  PrepareOptions options;
  options.open_types = open_types;
  EXPECT_TRUE(prepare(g, options, diags)) << all_errors(diags) << statements;
  return ir::print(g);
}

using testing::HasSubstr;

}  // namespace byoc::test
