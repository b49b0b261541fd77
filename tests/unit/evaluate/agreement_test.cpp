// The one rule: what may differ from the evaluator, by what verdicts state.
#include "sdk/model/evaluate/agreement.hpp"

#include <cmath>
#include <limits>

#include "sdk/model/evaluate/comparison.hpp"
#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

using codegen::Exactness;
using evaluate::Allowance;
using evaluate::Tensor;

template <class T>
Blob blob(const std::vector<T>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return Blob::own({bytes.begin(), bytes.end()});
}
Tensor tensor(DType t, Blob bytes) { return {{t, std::vector<ir::Dim>{}, std::nullopt}, std::move(bytes)}; }

Allowance allowance(Exactness e, double tolerance) {
  Allowance out;
  out.add({e, tolerance});
  return out;
}

std::string mismatch_text(DType t, const Blob& found, const Blob& expected, const Allowance& allowed,
                          evaluate::Agreement how = {}) {
  const auto m = mismatch(tensor(t, found), tensor(t, expected), allowed, how);
  return m ? to_string(*m) : "";
}
std::string ints(std::vector<std::int8_t> found, std::vector<std::int8_t> expected, const Allowance& allowed) {
  return mismatch_text(DType::i8, blob(found), blob(expected), allowed);
}
std::string reals(std::vector<float> found, std::vector<float> expected, const Allowance& allowed,
                  evaluate::Agreement how = {}) {
  return mismatch_text(DType::f32, blob(found), blob(expected), allowed, how);
}

TEST(Agreement, IntegersWithinStatedSteps) {
  EXPECT_EQ(ints({1, -5}, {1, -5}, {}), "");
  EXPECT_EQ(ints({1, -4}, {1, -5}, {}), "element 1 of 2 is -4, expected -5");
  EXPECT_EQ(ints({1, -4}, {1, -5}, allowance(Exactness::lsb, 1)), "");
  EXPECT_EQ(ints({1, -3}, {1, -5}, allowance(Exactness::lsb, 1)), "element 1 of 2 is -3, expected -5");
  // What is stated of floats says nothing of integers.
  EXPECT_NE(ints({1}, {2}, allowance(Exactness::relative, 10)), "");
  EXPECT_EQ(ints({1}, {1, 2}, {}), "element 1 of 2 is nan, expected 2");
}

TEST(Agreement, FloatsWithinUnitsInTheLastPlace) {
  const float next = std::nextafter(1.0F, 2.0F), after = std::nextafter(next, 2.0F);
  EXPECT_EQ(reals({next}, {1}, allowance(Exactness::ulp, 1)), "");
  EXPECT_NE(reals({after}, {1}, allowance(Exactness::ulp, 1)), "");
  EXPECT_NE(reals({next}, {1}, {}), "");
  EXPECT_EQ(reals({-0.0F, NAN}, {0.0F, NAN}, {}), "");
  EXPECT_NE(reals({next}, {1}, allowance(Exactness::lsb, 5)), "");
}

TEST(Agreement, FloatsWithinAShare) {
  const Allowance a = allowance(Exactness::relative, 1e-3);
  EXPECT_EQ(reals({1000.5F}, {1000}, a), "");
  EXPECT_EQ(reals({1002}, {1000}, a), "element 0 of 1 is 1002, expected 1000");
  EXPECT_EQ(reals({0.0005F}, {0}, a), "");  // of 1 at least
  EXPECT_NE(reals({0.0005F}, {0}, a, {.strict = true}), "");
  EXPECT_EQ(reals({NAN}, {std::numeric_limits<float>::infinity()}, a), "");
  EXPECT_NE(reals({NAN}, {std::numeric_limits<float>::infinity()}, {}), "");
  EXPECT_NE(reals({NAN}, {1}, a), "");
  // A tenth of the largest element counts, too: elements of a tensor are sums of the same terms.
  EXPECT_EQ(reals({0.05F, 1000}, {0, 1000}, a), "");
}

TEST(Agreement, BoolsAndHalvesOfBytesAreBytes) {
  const Allowance a = allowance(Exactness::lsb, 3);
  EXPECT_EQ(mismatch_text(DType::boolean, blob<std::uint8_t>({1}), blob<std::uint8_t>({0}), a),
            "element 0 of 1 is 1, expected 0");
  EXPECT_NE(mismatch_text(DType::i4, blob<std::uint8_t>({0x12}), blob<std::uint8_t>({0x13}), a), "");
}

TEST(Agreement, WhatIsSaid) {
  EXPECT_EQ(to_string(evaluate::Closeness{}), "exact");
  EXPECT_EQ(to_string(evaluate::Closeness{Exactness::lsb, 1}), "within 1 LSB");
  EXPECT_EQ(to_string(evaluate::Closeness{Exactness::ulp, 2.5}), "within 2.5 ULP");
  EXPECT_EQ(to_string(evaluate::Closeness{Exactness::relative, 1e-5}), "within 1e-05 relative");
  EXPECT_EQ(to_string(Allowance{}), "exactly");
  EXPECT_EQ(to_string(Allowance{1, 2, 0.5, 3}), "within 1 LSB and 2 ULP and 0.5 relative and 3");
}

TEST(Agreement, CarriedIntoOtherTypes) {
  const ir::TensorType steps{DType::i8, std::nullopt, Quantisation{{0.25F, 0.5F}, {0, 0}, 0}};
  const ir::TensorType real{DType::f32, std::nullopt, std::nullopt};
  EXPECT_EQ(evaluate::carried({.steps = 2}, steps, DType::i8).steps, 2);
  EXPECT_EQ(evaluate::carried({.steps = 2}, steps, DType::f32).absolute, 1);
  EXPECT_EQ(evaluate::carried({.relative = 1e-3}, real, DType::i8).steps, 1);
  EXPECT_EQ(evaluate::carried({.relative = 1e-3}, real, DType::f32).relative, 1e-3);
  EXPECT_TRUE(evaluate::carried({}, real, DType::i8).is_exact());
}

// One run of int8: two nodes, x -> y -> z.
class Compared : public ::testing::Test {
 protected:
  static constexpr const char* kTwo = "input %x : i8[2] %y : i8[2] = Relu.14(%x) %z : i8[2] = Neg.13(%y) output %z";

  std::string run(const char* statements, std::vector<Allowance> stated, std::vector<std::int8_t> x,
                  std::map<std::string, std::vector<std::int8_t>> found, ChannelMap channels = {}) {
    Diagnostics diags;
    graph_ = ir::parse(graph_text(statements), "t.byoc", diags);
    EXPECT_TRUE(graph_) << all_errors(diags);
    evaluate::Comparison comparison(*graph_, std::move(stated));
    const Blob input = blob(x);
    const auto difference = comparison.run({&input, 1}, tensors(found, channels), diags);
    EXPECT_TRUE(difference) << all_errors(diags);
    compared_ = comparison.compared();
    exact_ = comparison.exact();
    return difference && *difference ? to_string(*graph_, **difference) : "";
  }
  evaluate::FoundTensors tensors(const std::map<std::string, std::vector<std::int8_t>>& found,
                                 const ChannelMap& channels) const {
    evaluate::FoundTensors out;
    for (ir::ValueId v = 0; v < graph_->values.size(); ++v)
      if (const auto at = found.find(graph_->values[v].name); at != found.end()) out[v] = {blob(at->second), channels};
    return out;
  }

  Result<ir::Graph> graph_ = failure;
  std::size_t compared_ = 0, exact_ = 0;
};

// What only a codegen knows is taken from the run; what is made of it is compared.
TEST_F(Compared, TakesWhatOnlyTheTargetComputes) {
  const char* statements =
      "input %x : i8[2]\n %y \"y\" : i8[2] = acme.Mystery.3(%x)\n %z \"z\" : i8[2] = Neg.13(%y)\n output %z";
  EXPECT_EQ(run(statements, {{}, {}}, {5, -5}, {{"y", {100, 7}}, {"z", {-100, -7}}}), "");
  EXPECT_EQ(compared_, 1U);
  EXPECT_EQ(run(statements, {{}, {}}, {5, -5}, {{"y", {100, 7}}, {"z", {-100, -8}}}),
            "Neg output 0: element 1 of 2 is -8, expected -7 exactly");
  Diagnostics diags;
  const Blob input = blob<std::int8_t>({5, -5});
  evaluate::Comparison comparison(*graph_, {{}, {}});
  EXPECT_FALSE(comparison.run({&input, 1}, {}, diags));
  EXPECT_EQ(comparison.taken(), 0U);
  EXPECT_THAT(all_errors(diags),
              ::testing::HasSubstr("'acme.Mystery': the evaluator does not know this operator, and the "
                                   "run does not show its result (found 'y')"));
}

// What the first is off by does not count against the second.
TEST_F(Compared, EachNodeFromWhatItsInputsWere) {
  const Allowance one = allowance(Exactness::lsb, 1);
  EXPECT_EQ(run(kTwo, {one, {}}, {5, -5}, {{"y", {6, 0}}, {"z", {-6, 0}}}), "");
  EXPECT_EQ(compared_, 2U);
  EXPECT_EQ(exact_, 1U);
  EXPECT_EQ(run(kTwo, {one, {}}, {5, -5}, {{"y", {6, 0}}, {"z", {-5, 0}}}),
            "Neg output 0: element 0 of 2 is -5, expected -6 exactly");
  EXPECT_EQ(run(kTwo, {one, {}}, {5, -5}, {{"y", {7, 0}}, {"z", {-7, 0}}}),
            "Relu output 0: element 0 of 2 is 7, expected 5 within 1 LSB");
}

// What is not known of the run may be off, and with it what is made of it.
TEST_F(Compared, TolerancesOfWhatIsNotSeenAddUp) {
  const Allowance one = allowance(Exactness::lsb, 1);
  EXPECT_EQ(run(kTwo, {one, {}}, {5, -5}, {{"z", {-6, 0}}}), "");
  EXPECT_EQ(run(kTwo, {one, one}, {5, -5}, {{"z", {-7, 0}}}), "");
  EXPECT_EQ(run(kTwo, {one, one}, {5, -5}, {{"z", {-8, 0}}}),
            "Neg output 0: element 0 of 2 is -8, expected -5 within 2 LSB");
  EXPECT_NE(run(kTwo, {{}, {}}, {5, -5}, {{"z", {-6, 0}}}), "");
}

// Channels that no node needs may hold anything; the nodes behind them get what they should.
TEST_F(Compared, ChannelsThatAreNotComputed) {
  const ChannelMap second_is_gone{0, {0, -1}, {std::nullopt, std::nullopt}};
  EXPECT_EQ(run(kTwo, {{}, {}}, {5, 9}, {{"y", {5, 0}}}, second_is_gone), "");
  EXPECT_NE(run(kTwo, {{}, {}}, {5, 9}, {{"y", {4, 0}}}, second_is_gone), "");
}

// A state is what the run before had; reset, what it was at first.
TEST_F(Compared, States) {
  Diagnostics diags;
  graph_ = ir::parse(graph_text("input %x : i8[1] state %s : i8[1] -> %n\n"
                                "%n : i8[1] = Max.13(%x, %s) output %n"),
                     "t.byoc", diags);
  ASSERT_TRUE(graph_) << all_errors(diags);
  evaluate::Comparison comparison(*graph_, {allowance(Exactness::lsb, 1)});
  const auto differs = [&](std::int8_t x, std::int8_t found) {
    const Blob input = blob<std::int8_t>({x});
    const auto out = comparison.run({&input, 1}, tensors({{"n", {found}}}, {}), diags);
    return !out || out->has_value();
  };
  EXPECT_FALSE(differs(5, 6));
  EXPECT_FALSE(differs(1, 7));  // of 6, which it was, not of 5
  comparison.reset();
  EXPECT_FALSE(differs(1, 1));
  EXPECT_TRUE(differs(1, 5));
}

}  // namespace
}  // namespace byoc::test
