// Many cases of operators in one model: each case is an operator (or a few) of its own, with inputs and outputs of its
// own, and says what its outputs must be.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "tests/e2e/layers/data.hpp"

namespace byoc::test {

class Cases {
 public:
  struct Expected {
    std::size_t which = 0;  // the case
    TensorData data;
    // 0 for equal results (0 and -0 are, and any two NaN), else how far a float may be from this expectation, relative
    // to it or to 1, whichever is larger, or an integer, in steps. Floats of generated code are as near to the
    // evaluator's, its integers equal.
    double tolerance = 0;
    // Instead of data's elements: real numbers, to which integers are rounded that come from sums or functions of
    // reals. `tolerance` is added to the half step that they may be away.
    std::vector<double> steps;
    bool is_exact = true;  // integers of generated code equal the evaluator's; otherwise they are as near to `steps`
  };

  Cases() = default;
  Cases(const Cases&) = delete;
  Cases& operator=(const Cases&) = delete;
  virtual ~Cases() = default;

  // The next case; `text` says what it is when it fails.
  void begin_case(std::string text) { texts_.push_back(std::move(text)); }
  void add_text(const std::string& text) { texts_.back() += " " + text; }

  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Expected>& expected() const { return expected_; }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

  // The model of all cases, and what the name of its file ends in.
  [[nodiscard]] virtual std::string bytes() = 0;
  [[nodiscard]] virtual const char* extension() const = 0;
  // Whether quantisation moves from operands to tensors when it is read.
  [[nodiscard]] virtual bool lifts() const { return true; }

 protected:
  void add_input(const TensorData& data) { inputs_.push_back(data.bytes()); }
  void expect(const TensorData& data, double tolerance) {
    expected_.push_back({texts_.size() - 1, data, tolerance, {}, true});
  }
  // Integers of data's type and shape: see Expected.
  void expect_near(const TensorData& type, std::vector<double> steps, double tolerance, bool is_exact) {
    expected_.push_back({texts_.size() - 1, type, tolerance, std::move(steps), is_exact});
  }
  // Of a tensor of this case, the `number`th of the model.
  [[nodiscard]] std::string name(const char* kind, std::size_t number) const {
    return std::string(kind) + std::to_string(texts_.size() - 1) + "_" + std::to_string(number);
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::vector<std::uint8_t>> inputs_;
  std::vector<Expected> expected_;
};

// Which cases a model has: so many from a seed, or one of them alone.
struct Selection {
  std::size_t count = 0;
  std::uint64_t seed = 1;
  std::int64_t only = -1;  // -1: all
};

// A family of operators that share a program.
struct Family {
  const char* name;
  std::size_t cases;  // in a short run: enough to see every variant
  std::function<std::unique_ptr<Cases>(const Selection&)> make;
};

void PrintTo(const Family&, std::ostream* out);

// `make` adds the case number `index`; small numbers of cases take the variants (operators, types) in turn, so it
// chooses them by `index`, everything else by the randomness.
template <class Model>
Family family(const char* name, void (*make)(Model&, Random&, std::size_t index), std::size_t cases) {
  return {name, cases, [make](const Selection& s) -> std::unique_ptr<Cases> {
            auto model = std::make_unique<Model>();
            for (std::size_t i = 0; i < s.count; ++i) {
              if (s.only >= 0 && i != static_cast<std::size_t>(s.only)) continue;
              Random random(s.seed * 1000003 + i);
              model->begin_case("case " + std::to_string(i) + ":");
              make(*model, random, i);
            }
            return model;
          }};
}

[[nodiscard]] std::vector<Family> tflite_families();
[[nodiscard]] std::vector<Family> onnx_families();

}  // namespace byoc::test
