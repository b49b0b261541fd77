// Resource variables as states, and what of them is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;

std::int32_t handle(TfliteWriter& w, const char* name, const char* container = "c") {
  const std::int32_t out = w.add("handle", TensorType::RESOURCE, {});
  schema::VarHandleOptionsT o;
  o.container = container;
  o.shared_name = name;
  w.add_operator(Code::VAR_HANDLE, {}, {out}, o);
  return out;
}

// Operators: CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ADD, ASSIGN_VARIABLE: v starts at [5, -6] and is added to.
TfliteWriter accumulator() {
  TfliteWriter w;
  const auto x = w.add("x", kF32, {2}), before = w.add("before", kF32, {2}), y = w.add("y", kF32, {2});
  const auto subgraph = static_cast<std::int32_t>(w.begin_subgraph("start"));
  const auto start = w.constant("start", kF32, {2}, std::vector<float>{5, -6});
  w.add_operator(Code::ASSIGN_VARIABLE, {handle(w, "v"), start}, {});
  w.select(0);
  schema::CallOnceOptionsT once;
  once.init_subgraph_index = subgraph;
  w.add_operator(Code::CALL_ONCE, {}, {}, once);
  const auto v = handle(w, "v", "");
  w.add_operator(Code::READ_VARIABLE, {v}, {before});
  w.add_operator(Code::ADD, {before, x}, {y}, schema::AddOptionsT());
  w.add_operator(Code::ASSIGN_VARIABLE, {v, y}, {});
  w.boundary({x}, {y});
  return w;
}

TEST(TfliteVariables, areStates) {
  Diagnostics diags;
  const auto g = import_bytes(accumulator().bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  ASSERT_EQ(g->states.size(), 1u);
  const ir::State& s = g->states[0];
  EXPECT_EQ(g->values[s.value].name, "v");
  EXPECT_EQ(g->values[s.next].name, "y");
  const std::vector<std::byte> start = ir::initial_bytes(*g, s);
  EXPECT_EQ(std::memcmp(start.data(), std::vector<float>{5, -6}.data(), 8), 0);
  ASSERT_EQ(g->nodes.size(), 2u);
  EXPECT_EQ(g->nodes[0].op, "Identity");
  EXPECT_EQ(g->nodes[0].inputs[0], s.value);
}

TEST(TfliteVariables, readsSeeWhatWasAssignedBefore) {
  TfliteWriter w = accumulator();
  const auto z = w.add("z", kF32, {2});
  w.add_operator(Code::READ_VARIABLE, {handle(w, "v")}, {z});
  w.boundary({0}, {z});
  Diagnostics diags;
  const auto g = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  EXPECT_EQ(g->values[g->nodes.back().inputs[0]].name, "y");
}

TEST(TfliteVariables, ofTwoContainersAreTwo) {
  TfliteWriter w = accumulator();
  const auto z = w.add("z", kF32, {3});
  w.add_operator(Code::READ_VARIABLE, {handle(w, "v", "another")}, {z});
  w.boundary({0}, {z});
  Diagnostics diags;
  const auto g = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  EXPECT_EQ(g->states.size(), 2u);
}

TEST(TfliteVariables, lastUntilReset) {
  Diagnostics diags;
  const auto g = import_bytes(accumulator().bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  const std::vector<float> x = {1, 2};
  const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
  const evaluate::Tensor in{g->values[g->inputs[0]].type, Blob::own({bytes, bytes + 8})};
  evaluate::Instance instance(*g);
  const auto run = [&] {
    std::vector<float> y(2);
    const auto out = evaluate::run(*g, std::span(&in, 1), diags, {}, &instance);
    if (out) std::memcpy(y.data(), (*out)[0].bytes.data(), 8);
    return y;
  };
  EXPECT_THAT(run(), testing::ElementsAre(6, -4));
  EXPECT_THAT(run(), testing::ElementsAre(7, -2));
  instance.reset();
  EXPECT_THAT(run(), testing::ElementsAre(6, -4));
}

struct VariableRefusal {
  void (*change)(TfliteWriter&);
  const char* message;
};
class TfliteVariableRefused : public testing::TestWithParam<VariableRefusal> {};

TEST_P(TfliteVariableRefused, byName) {
  TfliteWriter w = accumulator();
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

schema::CallOnceOptionsT& once(TfliteWriter& w) { return w.options<schema::CallOnceOptionsT>(0); }

// The condition and the body of an operator that runs the subgraph of the initialisation.
void run_in_a_body(TfliteWriter& w) {
  const auto truth = w.constant("truth", TensorType::BOOL, {}, std::vector<std::uint8_t>{1});
  schema::IfOptionsT o;
  o.then_subgraph_index = o.else_subgraph_index = 1;
  w.add_operator(Code::IF, {truth}, {w.add("z", kF32, {2})}, o);
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteVariableRefused,
    testing::Values(
        VariableRefusal{[](auto& w) { w.tensor(1).shape = w.tensor(2).shape = w.tensor(0).shape = {1}; },
                        "variable 'v' holds another type (found f32[1], expected f32[2])"},
        VariableRefusal{
            [](auto& w) { w.tensor(1).type = kI32; },
            "'READ_VARIABLE 'before' (#2)': variable 'v' holds another type (found i32[2], expected f32[2])"},
        VariableRefusal{
            [](auto& w) { w.op(4).inputs[1] = w.constant("c", kI32, {2}, std::vector<std::int32_t>{1, 2}); },
            "'ASSIGN_VARIABLE (#4)': variable 'v' holds another type (found i32[2], expected f32[2])"},
        VariableRefusal{[](auto& w) { w.op(2).inputs[0] = 0; }, "input 0 is not the handle of a variable"},
        VariableRefusal{[](auto& w) { w.op(3).inputs[1] = 3; },
                        "reads the handle of a variable as an ordinary input (found input 1, tensor 3 'handle')"},
        VariableRefusal{[](auto& w) { w.boundary({0}, {2, 3}); },
                        "'tensor 3 'handle'': the handle of a variable cannot be an input or output of a graph"},
        VariableRefusal{[](auto& w) { w.tensor(3).type = kI32; }, "the output must be of type RESOURCE"},
        VariableRefusal{[](auto& w) { w.tensor(2).type = TensorType::RESOURCE, w.boundary({0}, {1}); },
                        "an output is of type RESOURCE (found tensor 2 'y')"},
        VariableRefusal{[](auto& w) { w.op(4).outputs = {w.add("z", kF32, {2})}; },
                        "'ASSIGN_VARIABLE 'z' (#4)': wrong number of outputs (found 1, expected 0)"},
        VariableRefusal{[](auto& w) { w.op(1).builtin_options.Reset(); }, "the operator has no options"},
        VariableRefusal{[](auto& w) { once(w).init_subgraph_index = 2; }, "subgraph out of range (found 2"},
        VariableRefusal{[](auto& w) { std::swap(w.graph().operators[0], w.graph().operators[4]); },
                        "an initialisation behind operators that use the variable is not supported (found v)"},
        VariableRefusal{[](auto& w) {
                          w.select(1);
                          w.boundary({}, {0});
                          w.select(0);
                        },
                        "the subgraph of an initialisation has inputs or outputs (found 0 and 1, expected none)"},
        VariableRefusal{[](auto& w) {
                          w.select(1);
                          const auto z = w.add("z", kF32, {2});
                          w.add_operator(Code::READ_VARIABLE, {1}, {z});
                          w.select(0);
                        },
                        "an initialisation that reads variables is not supported"},
        VariableRefusal{[](auto& w) {
                          w.select(1);
                          w.tensor(0).buffer = 0;
                          w.add_operator(Code::FLOOR, {w.constant("c", kF32, {2}, std::vector<float>{1, 2})}, {0});
                          std::rotate(w.graph().operators.begin(), w.graph().operators.end() - 1,
                                      w.graph().operators.end());
                          w.select(0);
                        },
                        "the initial value of a variable must be constant (found a computed tensor)"},
        VariableRefusal{[](auto& w) {
                          w.select(1);
                          schema::CallOnceOptionsT o;
                          o.init_subgraph_index = 1;
                          w.add_operator(Code::CALL_ONCE, {}, {}, o);
                          w.select(0);
                        },
                        "an initialisation inside another subgraph is not supported"},
        VariableRefusal{run_in_a_body, "variables in the body of an operator are not supported"}));

}  // namespace
}  // namespace byoc::test
