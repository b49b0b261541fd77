// RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_LSTM: what they become, and
// what they refuse. tests/e2e/layers has what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Code = BuiltinOperator;

// The weights, bias and state of 3 units on 4 numbers, for a batch of 2.
std::vector<std::int32_t> layer(TfliteWriter& w) {
  return {w.constant("w", kF32, {3, 4}, std::vector<float>(12, 0.5F)),
          w.constant("r", kF32, {3, 3}, std::vector<float>(9, 0.25F)),
          w.constant("b", kF32, {3}, std::vector<float>(3, 1)), w.variable("h", kF32, {2, 3})};
}

TfliteWriter rnn() {
  TfliteWriter w;
  std::vector<std::int32_t> inputs = {w.add("x", kF32, {2, 4})};
  for (const std::int32_t i : layer(w)) inputs.push_back(i);
  const std::int32_t y = w.add("y", kF32, {2, 3});
  schema::RNNOptionsT o;
  o.fused_activation_function = ActivationFunctionType::RELU6;
  w.add_operator(Code::RNN, inputs, {y}, o);
  w.boundary({0}, {y});
  return w;
}

TfliteWriter sequence() {
  TfliteWriter w;
  std::vector<std::int32_t> inputs = {w.add("x", kF32, {5, 2, 4})};
  for (const std::int32_t i : layer(w)) inputs.push_back(i);
  const std::int32_t y = w.add("y", kF32, {5, 2, 3});
  schema::SequenceRNNOptionsT o;
  o.time_major = true;
  o.fused_activation_function = ActivationFunctionType::TANH;
  w.add_operator(Code::UNIDIRECTIONAL_SEQUENCE_RNN, inputs, {y}, o);
  w.boundary({0}, {y});
  return w;
}

// Tensors 0 x, 1 to 4 and 5 to 8 the layers, 9 the second operand, 10 y.
TfliteWriter both_ways() {
  TfliteWriter w;
  std::vector<std::int32_t> inputs = {w.add("x", kF32, {2, 5, 4})};
  for (int k = 0; k < 2; ++k)
    for (const std::int32_t i : layer(w)) inputs.push_back(i);
  inputs.insert(inputs.end(), {w.add("aux", kF32, {2, 5, 4}), -1, -1});
  const std::int32_t y = w.add("y", kF32, {2, 5, 6});
  schema::BidirectionalSequenceRNNOptionsT o;
  o.merge_outputs = true;
  w.add_operator(Code::BIDIRECTIONAL_SEQUENCE_RNN, inputs, {y}, o);
  w.boundary({0, 9}, {y});
  return w;
}

// Tensors 0 x; 1 to 12 and 13 to 24 weights, recurrent weights and biases; 25 to 28 states; 29 and 30 results.
TfliteWriter lstm_both_ways() {
  TfliteWriter w;
  std::vector<std::int32_t> inputs(48, -1);
  inputs[0] = w.add("x", kF32, {2, 5, 4});
  for (const std::size_t first : {std::size_t{1}, std::size_t{18}}) {
    for (std::size_t k = 0; k < 4; ++k) inputs[first + k] = w.constant("w", kF32, {3, 4}, std::vector<float>(12, 0.5F));
    for (std::size_t k = 0; k < 4; ++k)
      inputs[first + 4 + k] = w.constant("r", kF32, {3, 3}, std::vector<float>(9, 0.5F));
    for (std::size_t k = 0; k < 4; ++k) inputs[first + 11 + k] = w.constant("b", kF32, {3}, std::vector<float>(3, 1));
  }
  for (std::size_t i = 35; i < 39; ++i) inputs[i] = w.variable("s", kF32, {2, 3});
  const std::int32_t a = w.add("a", kF32, {2, 5, 3}), b = w.add("b", kF32, {2, 5, 3});
  schema::BidirectionalSequenceLSTMOptionsT o;
  o.fused_activation_function = ActivationFunctionType::TANH;
  o.time_major = false;
  w.add_operator(Code::BIDIRECTIONAL_SEQUENCE_LSTM, inputs, {a, b}, o);
  w.boundary({0}, {a, b});
  return w;
}

TEST(TfliteRecurrent, becomeNodes) {
  EXPECT_THAT(imported(rnn()), AllOf(HasSubstr("RNN.18("), HasSubstr("activations=[\"Relu\"], clip=6.0"),
                                     HasSubstr("layout=1"), HasSubstr("state ")));
  EXPECT_THAT(imported(sequence()),
              AllOf(HasSubstr("activations=[\"Tanh\"]"), HasSubstr("layout=0"), Not(HasSubstr("clip"))));
  EXPECT_THAT(imported(both_ways()), AllOf(HasSubstr("activations=[\"Affine\"]"), HasSubstr("direction=\"forward\""),
                                           HasSubstr("direction=\"reverse\""), HasSubstr("Concat.18(")));
}

TfliteWriter with_projections() {
  TfliteWriter w = lstm_both_ways();
  for (const std::size_t first : {std::size_t{1}, std::size_t{18}}) {
    w.op(0).inputs[first + 15] = w.constant("p", kF32, {2, 3}, std::vector<float>(6, 0.5F));
    for (std::size_t k = 0; k < 4; ++k)
      w.op(0).inputs[first + 4 + k] = w.constant("r", kF32, {3, 2}, std::vector<float>(6, 0.5F));
  }
  for (const std::size_t hidden : {35u, 37u}) w.tensor(static_cast<std::size_t>(w.op(0).inputs[hidden])).shape = {2, 2};
  for (const std::int32_t y : w.op(0).outputs) w.tensor(static_cast<std::size_t>(y)).shape = {2, 5, 2};
  return w;
}

TEST(TfliteRecurrent, lstmsWithMoreThanPlainGatesAreOnnxs) {
  const auto set = [](TfliteWriter w, ActivationFunctionType activation) {
    w.options<schema::BidirectionalSequenceLSTMOptionsT>(0).fused_activation_function = activation;
    return w;
  };
  EXPECT_THAT(imported(set(lstm_both_ways(), ActivationFunctionType::RELU)),
              AllOf(HasSubstr("LSTM.18("), HasSubstr(R"(activations=["Sigmoid", "Relu", "Relu"])")));
  TfliteWriter peepholes = lstm_both_ways();
  for (std::size_t k = 26; k < 29; ++k)
    peepholes.op(0).inputs[k] = peepholes.constant("p", kF32, {3}, std::vector<float>{1, 2, 3});
  EXPECT_THAT(imported(peepholes), AllOf(HasSubstr("f32[1,9] = Reshape.18("), HasSubstr("UnidirectionalSequenceLstm")));
  Diagnostics diags;
  const auto projected = import_bytes(with_projections().bytes(), diags);
  ASSERT_TRUE(projected) << to_string(diags.all().at(0));
  EXPECT_EQ(projected->states.size(), 6u);
  TfliteWriter coupled = lstm_both_ways();
  for (const std::size_t i : {1u, 5u, 12u}) coupled.op(0).inputs[i] = -1;
  EXPECT_THAT(imported(coupled), HasSubstr("Neg.18("));
}

TEST(TfliteRecurrent, theLayerFromTheEndHasASecondOperandOfItsOwn) {
  Diagnostics diags;
  const auto g = import_bytes(both_ways().bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  std::vector<ir::ValueId> read;
  for (const ir::Node& n : g->nodes)
    if (n.op == "RNN") read.push_back(n.inputs[0]);
  EXPECT_THAT(read, testing::ElementsAre(0, 9));
}

TEST(TfliteRecurrent, lstmHasStatesBeyondThirtyTwoInputs) {
  Diagnostics diags;
  const auto g = import_bytes(lstm_both_ways().bytes(), diags);
  ASSERT_TRUE(g) << to_string(diags.all().at(0));
  EXPECT_EQ(g->states.size(), 4u);
  ASSERT_EQ(g->nodes.size(), 2u);
  EXPECT_EQ(g->nodes[0].integer("reverse", 0), 0);
  EXPECT_EQ(g->nodes[1].integer("reverse", 0), 1);
}

class TfliteRecurrentRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TfliteRecurrentRefusal, saysWhatIsWrong) {
  TfliteWriter w = GetParam().make();
  ASSERT_EQ(errors(w.bytes()), "") << "the model is wrong before it is changed";
  GetParam().change(w);
  EXPECT_THAT(errors(w.bytes()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, TfliteRecurrentRefusal,
    testing::Values(
        Refusal{rnn, [](auto& w) { w.tensor(4).is_variable = false; }, "input 4 'h' must be a variable tensor"},
        Refusal{rnn,
                [](auto& w) {
                  w.template options<schema::RNNOptionsT>(0).fused_activation_function =
                      ActivationFunctionType::SIGN_BIT;
                },
                "unsupported fused activation (found number 5, expected NONE, RELU, RELU_N1_TO_1, RELU6 or TANH)"},
        Refusal{rnn, [](auto& w) { w.tensor(5).shape = {2, 4}; }, "the shape of the output 'y' does not fit"},
        Refusal{rnn, [](auto& w) { w.op(0).inputs[3] = -1; }, "input 3 is not given"},
        Refusal{sequence, [](auto& w) { w.tensor(4).shape = {5, 3}; }, "the shape of input 4 'h' does not fit"},
        Refusal{sequence, [](auto& w) { w.tensor(0).shape = {5, 2, 3}; }, "the shape of input 1 'w' does not fit"},
        Refusal{both_ways, [](auto& w) { w.op(0).inputs[10] = 1; },
                "weights of a second operand for one direction alone"},
        Refusal{both_ways, [](auto& w) { w.op(0).inputs[10] = w.op(0).inputs[11] = 1, w.op(0).inputs[9] = -1; },
                "weights of a second operand that is not given"},
        Refusal{both_ways, [](auto& w) { w.tensor(9).shape = {2, 4, 4}; }, "the shape of input 9 'aux' does not fit"},
        Refusal{both_ways,
                [](auto& w) { w.template options<schema::BidirectionalSequenceRNNOptionsT>(0).merge_outputs = false; },
                "wrong number of outputs (found 1, expected 2)"},
        Refusal{lstm_both_ways, [](auto& w) { w.op(0).inputs[26] = 9; }, "input 27 is not given"},
        Refusal{lstm_both_ways, [](auto& w) { w.op(0).inputs[34] = 1; }, "a bias of the projection is not supported"},
        Refusal{with_projections,
                [](auto& w) { w.template options<schema::BidirectionalSequenceLSTMOptionsT>(0).cell_clip = 1; },
                "unsupported cell_clip (found 1.000000, expected 0 in this form of LSTM)"},
        Refusal{lstm_both_ways,
                [](auto& w) {
                  w.template options<schema::BidirectionalSequenceLSTMOptionsT>(0).fused_activation_function =
                      ActivationFunctionType::NONE;
                },
                "unsupported fused activation (found number 0, expected RELU or TANH)"},
        Refusal{lstm_both_ways, [](auto& w) { w.op(0).inputs[1] = -1; }, "input 5 is of a gate that is not there"},
        Refusal{lstm_both_ways, [](auto& w) { w.op(0).inputs[40] = 1; }, "input 41 is not given"},
        Refusal{lstm_both_ways, [](auto& w) { w.op(0).inputs[46] = 1; }, "input 40 is not given (found input 46)"},
        Refusal{lstm_both_ways,
                [](auto& w) {
                  for (std::size_t i = 40; i < 48; ++i) w.op(0).inputs[i] = 1;
                },
                "weights of a second operand that is not given"},
        Refusal{lstm_both_ways, [](auto& w) { w.tensor(26).is_variable = false; },
                "input 36 's' must be a variable tensor"},
        Refusal{lstm_both_ways,
                [](auto& w) { w.template options<schema::BidirectionalSequenceLSTMOptionsT>(0).merge_outputs = true; },
                "wrong number of outputs (found 2, expected 1)"}));

}  // namespace
}  // namespace byoc::test
