// Tests of operators: a graph text whose operands are constants, run by the evaluator.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/text.hpp"

namespace byoc::test {

inline std::string all_errors(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

// `statements` in the text form; its outputs are the graph's. mode is "onnx" or "tflite".
inline std::string graph_text(const std::string& statements, const std::string& mode = "onnx") {
  return "graph \"t\" requant=" + mode + " {\n" + statements + "\n}";
}

inline Result<std::vector<evaluate::Tensor>> run_text(const std::string& text, Diagnostics& diags) {
  const auto graph = ir::parse(text, "t.byoc", diags);
  if (!graph) return failure;
  return evaluate::run(*graph, {}, diags);
}

// The elements of the first output.
template <class T>
std::vector<T> result_of(const std::string& statements, const std::string& mode = "onnx") {
  Diagnostics diags;
  const auto results = run_text(graph_text(statements, mode), diags);
  EXPECT_TRUE(results) << all_errors(diags);
  if (!results || results->empty()) return {};
  const Blob& bytes = (*results)[0].bytes;
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

inline std::vector<float> floats(const std::string& statements, const std::string& mode = "onnx") {
  return result_of<float>(statements, mode);
}
// i8 results, as int for readable failures.
inline std::vector<int> bytes_of(const std::string& statements, const std::string& mode = "onnx") {
  const auto raw = result_of<std::int8_t>(statements, mode);
  return {raw.begin(), raw.end()};
}

// The one error that the evaluator reports.
inline std::string error_of(const std::string& statements, const std::string& mode = "onnx") {
  Diagnostics diags;
  EXPECT_FALSE(run_text(graph_text(statements, mode), diags)) << "no error for " << statements;
  EXPECT_EQ(diags.all().size(), 1U) << all_errors(diags);
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

}  // namespace byoc::test
