// Cases of operators in one .tflite model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/layers/cases.hpp"

namespace byoc::test {

using schema::ActivationFunctionType;
using schema::BuiltinOperator;
using schema::Padding;

// A scale, and a zero point anywhere or at an end (INT8; 0 for INT16). FLOAT32: none.
[[nodiscard]] TfliteQuantisation random_quantisation(Random&, TensorType, double low = 1e-3, double high = 1);

class TfliteModel final : public Cases {
 public:
  TfliteWriter writer;

  std::int32_t input(const TensorData&);     // of the model
  std::int32_t constant(const TensorData&);  // INT4 is packed
  // An output of the model. `tolerance`: see Cases::Expected.
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

  [[nodiscard]] std::string bytes() override;
  [[nodiscard]] const char* extension() const override { return ".tflite"; }

 private:
  std::string next_name(const char* kind);

  std::vector<std::int32_t> input_ids_, output_ids_;
};

}  // namespace byoc::test
