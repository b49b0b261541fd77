// SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM: variable tensors become states; what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Code = BuiltinOperator;

// x i8[2,3], wf i8[4,3], wt i16[4,5], bias i32[2], state i16[2,20] -> y i8[2,2]
TfliteWriter svdf_model() {
  TfliteWriter w;
  w.add("x", kI8, {2, 3}, q(0.5f, 1));
  w.constant("wf", kI8, {4, 3}, std::vector<std::int8_t>(12, 1), q(0.25f, 0));
  w.constant("wt", kI16, {4, 5}, std::vector<std::int16_t>(20, 1), q(0.5f, 0));
  w.constant("b", kI32, {2}, std::vector<std::int32_t>{1, 2}, q(0.0625f, 0));
  w.variable("s", kI16, {2, 20}, q(0.125f, 0));
  w.add("y", kI8, {2, 2}, q(1.0f, 2));
  schema::SVDFOptionsT o;
  o.rank = 2;
  o.fused_activation_function = ActivationFunctionType::RELU;
  w.add_operator(Code::SVDF, {0, 1, 2, 3, 4}, {5}, o, 3);
  w.boundary({0}, {5});
  return w;
}

TfliteWriter float_svdf_model() {
  TfliteWriter w;
  w.add("x", kF32, {2, 3});
  w.constant("wf", kF32, {4, 3}, std::vector<float>(12, 1));
  w.constant("wt", kF32, {4, 5}, std::vector<float>(20, 1));
  w.variable("s", kF32, {2, 20});
  w.add("y", kF32, {2, 2});
  schema::SVDFOptionsT o;
  o.rank = 2;
  w.add_operator(Code::SVDF, {0, 1, 2, -1, 3}, {4}, o);
  w.boundary({0}, {4});
  return w;
}

// Tensors 0 x i8[2,3,4], 1 to 4 and 5 to 8 weights, 9 to 12 biases, 13 hidden, 14 cell, 15 y.
TfliteWriter lstm_model() {
  TfliteWriter w;
  w.add("x", kI8, {2, 3, 4}, q(0.5f, 1));
  std::vector<std::int32_t> inputs(24, -1);
  inputs[0] = 0;
  for (int k = 0; k < 4; ++k)
    inputs[static_cast<std::size_t>(1 + k)] =
        w.constant("w", kI8, {5, 4}, std::vector<std::int8_t>(20, 1), q(0.25f, 0));
  for (int k = 0; k < 4; ++k)
    inputs[static_cast<std::size_t>(5 + k)] =
        w.constant("r", kI8, {5, 5}, std::vector<std::int8_t>(25, 1), q(0.25f, 0));
  for (int k = 0; k < 4; ++k)
    inputs[static_cast<std::size_t>(12 + k)] = w.constant("b", kI32, {5}, std::vector<std::int32_t>(5, 1));
  inputs[18] = w.variable("h", kI8, {2, 5}, q(0.0078125f, 3));
  inputs[19] = w.variable("c", kI16, {2, 5}, q(1.0f / 2048, 0));
  w.add("y", kI8, {2, 3, 5}, q(0.0078125f, 3));
  schema::UnidirectionalSequenceLSTMOptionsT o;
  o.fused_activation_function = ActivationFunctionType::TANH;
  o.cell_clip = 0.5f;
  w.add_operator(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {15}, o, 3);
  w.boundary({0}, {15});
  return w;
}

TEST(TfliteStateful, svdfHasItsHistoryAsState) {
  const std::string text = imported(svdf_model());
  EXPECT_THAT(text, HasSubstr("SVDF.1("));
  EXPECT_THAT(text, HasSubstr("rank=2"));
  EXPECT_THAT(text, HasSubstr("state "));
  EXPECT_THAT(text, testing::Not(HasSubstr("activation")));  // of integers it is not looked at
}

TEST(TfliteStateful, floatSvdfHasItsActivation) {
  for (const auto& [activation, name] : {std::pair{ActivationFunctionType::RELU6, "activation=\"relu6\""},
                                         std::pair{ActivationFunctionType::TANH, "activation=\"tanh\""}}) {
    TfliteWriter w = float_svdf_model();
    w.options<schema::SVDFOptionsT>(0).fused_activation_function = activation;
    EXPECT_THAT(imported(w), HasSubstr(name));
  }
}

TEST(TfliteStateful, lstmHasTwoStates) {
  TfliteWriter w = lstm_model();
  w.op(0).mutating_variable_inputs.assign(24, false);
  w.op(0).mutating_variable_inputs[18] = w.op(0).mutating_variable_inputs[19] = true;
  Diagnostics diags;
  const auto g = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  ASSERT_EQ(g->states.size(), 2u);
  EXPECT_EQ(g->states[0].next, g->nodes.at(0).outputs.at(1));
  EXPECT_EQ(g->states[1].next, g->nodes.at(0).outputs.at(2));
  EXPECT_EQ(g->nodes[0].real("cell_clip", 0), 0.5f);
}

TEST(TfliteStateful, operatorsOnOneVariableGoOnFromEachOther) {
  TfliteWriter w = float_svdf_model();
  const std::int32_t y = w.add("y2", kF32, {2, 2});
  schema::SVDFOptionsT o;
  o.rank = 2;
  w.add_operator(Code::SVDF, {0, 1, 2, -1, 3}, {y}, o);
  w.boundary({0}, {4, y});
  Diagnostics diags;
  const auto g = import_bytes(w.bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  ASSERT_EQ(g->states.size(), 1u);
  EXPECT_EQ(g->nodes.at(1).inputs.at(3), g->nodes.at(0).outputs.at(1));
  EXPECT_EQ(g->states[0].next, g->nodes.at(1).outputs.at(1));
}

struct StatefulRefusal {
  TfliteWriter (*model)();
  void (*change)(TfliteWriter&);
  const char* message;
};

class TfliteStatefulRefused : public testing::TestWithParam<StatefulRefusal> {};

TEST_P(TfliteStatefulRefused, byName) {
  TfliteWriter w = GetParam().model();
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

schema::UnidirectionalSequenceLSTMOptionsT& lstm(TfliteWriter& w) {
  return w.options<schema::UnidirectionalSequenceLSTMOptionsT>(0);
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteStatefulRefused,
    testing::Values(
        StatefulRefusal{svdf_model, [](auto& w) { w.tensor(4).is_variable = false; },
                        "input 4 's' must be a variable tensor (found one that is none)"},
        StatefulRefusal{svdf_model, [](auto& w) { w.tensor(4).buffer = w.tensor(2).buffer; },
                        "is a variable, but has data"},
        StatefulRefusal{svdf_model, [](auto& w) { w.boundary({0}, {5, 4}); },
                        "a variable tensor cannot be an output (found tensor 4 's')"},
        StatefulRefusal{svdf_model, [](auto& w) { w.boundary({0, 4}, {5}); },
                        "computes a tensor that is already given"},
        StatefulRefusal{svdf_model, [](auto& w) { w.op(0).mutating_variable_inputs = {true}; },
                        "operators that change their inputs are not supported (found input 0)"},
        StatefulRefusal{svdf_model, [](auto& w) { w.op(0).inputs.pop_back(); },
                        "wrong number of inputs (found 4, expected 5)"},
        StatefulRefusal{svdf_model, [](auto& w) { w.op(0).inputs[4] = -1; }, "input 4 is not given"},
        StatefulRefusal{svdf_model, [](auto& w) { w.template options<schema::SVDFOptionsT>(0).rank = 3; },
                        "the filters are no multiple of the rank (found 4 and 3)"},
        StatefulRefusal{svdf_model, [](auto& w) { w.template options<schema::SVDFOptionsT>(0).rank = 0; },
                        "the filters are no multiple of the rank (found 4 and 0)"},
        StatefulRefusal{svdf_model, [](auto& w) { w.tensor(4).shape = {2, 10}; }, "input 4 's'"},
        StatefulRefusal{svdf_model, [](auto& w) { w.tensor(4).type = kI8; },
                        "unsupported element type of input 2 'wt'"},
        StatefulRefusal{svdf_model, [](auto& w) { w.tensor(3).quantization->scale = {1.0f}; },
                        "is not that of the state and the time weights"},
        StatefulRefusal{float_svdf_model,
                        [](auto& w) {
                          w.template options<schema::SVDFOptionsT>(0).fused_activation_function =
                              ActivationFunctionType::SIGN_BIT;
                        },
                        "unsupported fused activation (found SIGN_BIT"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[1] = -1; }, "an LSTM of integers with coupled gates"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[10] = 9; }, "an LSTM of integers with coupled gates"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[16] = 5; }, "an LSTM of integers with coupled gates"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[17] = 5; },
                        "a bias of the projection is not supported (found input 17)"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[21] = 9; }, "layer normalisation is not supported"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs[13] = -1; }, "input 13 is not given"},
        StatefulRefusal{lstm_model, [](auto& w) { w.op(0).inputs.resize(19); },
                        "wrong number of inputs (found 19, expected 20 or 24)"},
        StatefulRefusal{lstm_model, [](auto& w) { lstm(w).fused_activation_function = ActivationFunctionType::NONE; },
                        "an LSTM of integers with coupled gates, peepholes, a projection or another activation is not "
                        "supported (found i8, expected f32)"},
        StatefulRefusal{lstm_model, [](auto& w) { lstm(w).proj_clip = 1; }, "unsupported proj_clip"},
        StatefulRefusal{lstm_model, [](auto& w) { lstm(w).cell_clip = std::numeric_limits<float>::infinity(); },
                        "unsupported cell_clip"},
        StatefulRefusal{lstm_model, [](auto& w) { lstm(w).diagonal_recurrent_tensors = true; },
                        "diagonal recurrent weights are not supported"},
        StatefulRefusal{lstm_model, [](auto& w) { w.tensor(14).quantization->scale = {0.0006f}; },
                        "the scale of input 19 'c' is no power of two"},
        StatefulRefusal{lstm_model, [](auto& w) { w.tensor(14).quantization->zero_point = {1}; },
                        "unsupported zero point of input 19 'c'"},
        StatefulRefusal{lstm_model, [](auto& w) { w.tensor(2).quantization->zero_point = {1}; },
                        "unsupported zero point of input 2 'w'"},
        StatefulRefusal{lstm_model, [](auto& w) { w.tensor(13).shape = {2, 4}; },
                        "unsupported size of input 18 'h' (found 8 elements, expected 10)"}));

}  // namespace
}  // namespace byoc::test
