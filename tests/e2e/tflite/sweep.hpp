// Many cases of operators in one model: each case is an operator (or a few) of its own, with inputs and outputs of its
// own, and says what its outputs must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "tests/e2e/tflite/random.hpp"
#include "tests/support/tflite_writer.hpp"

namespace byoc::test {

using schema::ActivationFunctionType;
using schema::BuiltinOperator;
using schema::Padding;
using schema::TensorType;
using Shape = std::vector<std::int32_t>;

// A tensor of a case with its values as a test sees them: integers (bool: 0 and 1), or floats of FLOAT32 tensors.
struct TensorData {
  TensorType type = TensorType::INT8;
  Shape shape;
  TfliteQuantisation q;
  std::vector<std::int64_t> ints;
  std::vector<float> floats;

  [[nodiscard]] bool is_float() const { return type == TensorType::FLOAT32; }
  [[nodiscard]] std::size_t elements() const;  // of the shape
  [[nodiscard]] std::int64_t zero_point() const { return q.zero_points.empty() ? 0 : q.zero_points[0]; }
  [[nodiscard]] float scale() const { return q.scales.empty() ? 1.0f : q.scales[0]; }
  // As the tensor's buffer has them.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;
};

[[nodiscard]] std::int64_t lowest(TensorType);
[[nodiscard]] std::int64_t highest(TensorType);

// Values over the type's whole range, its ends often; of floats, multiples of 1/16 in [-8, 8], which sums of products
// hold exactly in any order.
[[nodiscard]] TensorData random_data(Random&, TensorType, Shape, TfliteQuantisation q = {});
// The same with integers or floats in [low, high].
[[nodiscard]] TensorData random_data(Random&, TensorType, Shape, TfliteQuantisation q, double low, double high);
// A scale, and a zero point anywhere or at an end (INT8; 0 for INT16). FLOAT32: none.
[[nodiscard]] TfliteQuantisation random_quantisation(Random&, TensorType, double low = 1e-3, double high = 1);

class Sweep {
 public:
  TfliteWriter writer;

  // The next case; `text` says what it is when it fails.
  void begin_case(std::string text) { cases_.push_back(std::move(text)); }
  void add_text(const std::string& text) { cases_.back() += " " + text; }

  std::int32_t input(const TensorData&);     // of the model
  std::int32_t constant(const TensorData&);  // INT4 is packed
  // An output of the model. `tolerance`: 0 for equal results (0 and -0 are, and any two NaN), else how far a float may
  // be from this expectation, relative to it or to 1, whichever is larger. Generated code is as near to the evaluator.
  std::int32_t output(const TensorData& expected, double tolerance = 0);
  // A tensor that is there already as an output of the model, once more if it is one.
  void give(std::int32_t tensor, const TensorData& expected, double tolerance = 0);
  // A variable tensor of the model.
  std::int32_t variable(TensorType, Shape, TfliteQuantisation q = {});
  // A tensor between operators.
  std::int32_t between(TensorType, Shape, TfliteQuantisation q = {});

  template <class Options>
  void add(BuiltinOperator code, std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs, Options options,
           std::int32_t version = 1) {
    writer.add_operator(code, std::move(inputs), std::move(outputs), std::move(options), version);
  }
  void add(BuiltinOperator code, std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs) {
    writer.add_operator(code, std::move(inputs), std::move(outputs));
  }

  struct Expected {
    std::size_t which = 0;  // the case
    TensorData data;
    double tolerance = 0;
  };
  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Expected>& expected() const { return expected_; }
  [[nodiscard]] const std::vector<std::string>& cases() const { return cases_; }
  // The model of all cases.
  [[nodiscard]] std::string bytes();

 private:
  std::string next_name(const char* kind);

  std::vector<std::string> cases_;
  std::vector<std::vector<std::uint8_t>> inputs_;
  std::vector<Expected> expected_;
  std::vector<std::int32_t> input_ids_, output_ids_;
};

// A family of operators that share a program. `make` adds the case number `index`; small numbers of cases take the
// variants (operators, types) in turn, so it chooses them by `index`, everything else by the randomness.
struct Family {
  const char* name;
  void (*make)(Sweep&, Random&, std::size_t index);
  std::size_t cases;  // in a short run: enough to see every variant
};

void PrintTo(const Family&, std::ostream* out);

}  // namespace byoc::test
