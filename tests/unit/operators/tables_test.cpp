// Tables of operators that other layers keep, joined to the registry: a missing or a surplus row is a mistake.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backends/reference.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::test {
namespace {

std::string name_of(std::string_view domain, std::string_view op) {
  return (domain.empty() ? "" : std::string(domain) + ".") + std::string(op);
}

TEST(Registry, findsEachOperator) {
  ASSERT_FALSE(ir::operators().empty());
  for (const ir::Operator& op : ir::operators()) EXPECT_EQ(ir::find_operator(op.domain, op.name), &op) << op.name;
  EXPECT_EQ(ir::find_operator("", "Abz"), nullptr);
  EXPECT_EQ(ir::find_operator("byoc", "Abs"), nullptr);
  EXPECT_EQ(ir::find_operator("zzz", "Abs"), nullptr);
}

TEST(Registry, eachOperatorHasItsFunctions) {
  for (const ir::Operator& op : ir::operators()) {
    EXPECT_NE(shapes::rule_of(op), nullptr) << op.name;
    EXPECT_NE(evaluate::function_of(op), nullptr) << op.name;
    EXPECT_NE(op.macs, nullptr) << op.name;
  }
  EXPECT_EQ(shapes::rule_of(*ir::find_operator("", "Trilu")), &shapes::trilu);
  EXPECT_EQ(evaluate::function_of(*ir::find_operator("byoc", "SVDF")), &evaluate::svdf);
}

// What is folded, what has bodies and what is for hosts never comes to a backend.
TEST(Registry, theCBackendHasAllOthers) {
  std::set<std::string> compiled, wanted;
  for (const reference::Operator& op : reference::find("c")->operators()) compiled.insert(name_of(op.domain, op.name));
  for (const ir::Operator& op : ir::operators())
    if (!op.has(ir::kGenerates) && !op.has(ir::kControl) && !op.has(ir::kForHosts))
      wanted.insert(name_of(op.domain, op.name));
  EXPECT_EQ(compiled, wanted);
}

TEST(Registry, saysSinceWhenOnnxOperatorsAreRead) {
  std::map<std::string, std::int64_t> oldest;
  for (const onnx_import::OperatorRule& r : onnx_import::operator_rules()) {
    const ir::Operator* op = ir::find_operator(r.domain, r.op);
    if (op == nullptr) {
      EXPECT_NE(r.normalise, nullptr) << name_of(r.domain, r.op) << " stays as it is, but is not in the registry";
      continue;
    }
    const auto [at, is_new] = oldest.emplace(name_of(r.domain, r.op), r.since);
    at->second = std::min(at->second, r.since);
    if (r.normalise != nullptr) continue;
    EXPECT_LE(op->arity.least_inputs, r.min_inputs) << op->name;
    EXPECT_GE(op->arity.most_inputs, r.max_inputs) << op->name;
  }
  for (const ir::Operator& op : ir::operators()) {
    const auto read = oldest.find(name_of(op.domain, op.name));
    EXPECT_EQ(read == oldest.end(), op.domain == "byoc") << op.name;
    EXPECT_EQ(op.since, read == oldest.end() ? 1 : read->second) << op.name;
  }
}

TEST(Registry, traitsDoNotContradictEachOther) {
  for (const ir::Operator& op : ir::operators()) {
    EXPECT_TRUE(!op.has(ir::kReshapes) || op.has(ir::kMoves)) << op.name;
    EXPECT_TRUE(!op.has(ir::kPool) || op.has(ir::kImages)) << op.name;
    EXPECT_TRUE(!op.has(ir::kElementwise) || !op.has(ir::kPool)) << op.name;
    EXPECT_TRUE(!op.has(ir::kElementwise) || op.arity.most_outputs == 1) << op.name;
  }
}

// Random graphs have every operator that the C backend compiles, but those whose results' shape only a run can tell,
// and five that have tests of their own.
TEST(Registry, randomGraphsHaveAlmostAllOperators) {
  const std::set<std::string> known = check::generated_operators();
  std::set<std::string> missing;
  for (const reference::Operator& op : reference::find("c")->operators())
    if (!known.contains(name_of(op.domain, op.name)) && !ir::find_operator(op.domain, op.name)->has(ir::kRunTimeShape))
      missing.insert(name_of(op.domain, op.name));
  EXPECT_EQ(missing, (std::set<std::string>{"STFT", "byoc.DynamicUpdateSlice", "byoc.Inverse", "byoc.TextCase",
                                            "byoc.TextSplit"}));
}

}  // namespace
}  // namespace byoc::test
