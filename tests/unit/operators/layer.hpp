// An ONNX model of one node, and what the evaluator makes of it.
#pragma once

#include <gmock/gmock.h>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {

using ::onnx::TensorProto;

using Reals = std::vector<float>;

// A model of one node whose operands are constants.
class Layer {
 public:
  explicit Layer(const std::string& op, std::vector<std::string> outputs = {"y"},
                 const std::string& domain = "com.microsoft") {
    model.import_opset(domain, 1);
    node_ = &model.node(op, {}, outputs);
    node_->set_domain(domain);
    for (const std::string& y : outputs)
      if (!y.empty()) model.output(y);
  }
  Layer& real(std::vector<std::int64_t> dims, const Reals& values) {
    auto& t = operand(TensorProto::FLOAT, dims);
    for (const float v : values) t.add_float_data(v);
    return *this;
  }
  Layer& whole(int dtype, std::vector<std::int64_t> dims, const std::vector<std::int32_t>& values) {
    auto& t = operand(dtype, dims);
    for (const std::int32_t v : values)
      if (dtype == TensorProto::INT64)
        t.add_int64_data(v);
      else
        t.add_int32_data(v);
    return *this;
  }
  Layer& words(std::vector<std::int64_t> dims, const std::vector<std::string>& values) {
    auto& t = operand(TensorProto::STRING, dims);
    for (const std::string& v : values) t.add_string_data(v);
    return *this;
  }
  Layer& none() {
    node_->add_input("");
    return *this;
  }
  Layer& with(const std::string& name, std::int64_t value) {
    ModelFile::set_int(*node_, name, value);
    return *this;
  }
  Layer& with_real(const std::string& name, float value) {
    ModelFile::set_float(*node_, name, value);
    return *this;
  }
  Layer& with_text(const std::string& name, const std::string& value) {
    ModelFile::attribute(*node_, name, ::onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  Layer& with_texts(const std::string& name, const std::vector<std::string>& values) {
    auto& list = ModelFile::attribute(*node_, name, ::onnx::AttributeProto::STRINGS);
    for (const std::string& v : values) list.add_strings(v);
    return *this;
  }
  Layer& with_reals(const std::string& name, const Reals& values) {
    auto& list = ModelFile::attribute(*node_, name, ::onnx::AttributeProto::FLOATS);
    for (const float v : values) list.add_floats(v);
    return *this;
  }
  Layer& with_integers(const std::string& name, const std::vector<std::int64_t>& values) {
    ModelFile::set_ints(*node_, name, values);
    return *this;
  }
  Layer& in_onnx_domain() {
    node_->clear_domain();
    return *this;
  }

  // All outputs, one behind the other.
  [[nodiscard]] Reals results() const {
    Reals all;
    for (const evaluate::Tensor& t : outputs(true))
      for (std::size_t i = 0; i * (t.type.dtype == DType::i64 ? 8 : 4) < t.bytes.size(); ++i) {
        if (t.type.dtype == DType::f32)
          all.push_back(reinterpret_cast<const float*>(t.bytes.data())[i]);
        else if (t.type.dtype == DType::i64)
          all.push_back(static_cast<float>(reinterpret_cast<const std::int64_t*>(t.bytes.data())[i]));
        else
          all.push_back(static_cast<float>(reinterpret_cast<const std::int32_t*>(t.bytes.data())[i]));
      }
    return all;
  }
  // The first output, strings.
  [[nodiscard]] std::vector<std::string> texts() const {
    const auto out = outputs(false);
    return out.empty() || out[0].texts == nullptr ? std::vector<std::string>{"no strings"} : *out[0].texts;
  }
  [[nodiscard]] std::string errors() const { return model.import().errors; }

  ModelFile model;

 private:
  // Prepared graphs have rows of bytes for strings.
  [[nodiscard]] std::vector<evaluate::Tensor> outputs(bool prepared) const {
    auto imported = model.import();
    if (!imported.graph) return ADD_FAILURE() << imported.errors, std::vector<evaluate::Tensor>{};
    Diagnostics diags;
    if (prepared) {
      EXPECT_TRUE(prepare(*imported.graph, {}, diags)) << first(diags);
    }
    auto out = evaluate::run(*imported.graph, {}, diags);
    if (!out) return ADD_FAILURE() << first(diags), std::vector<evaluate::Tensor>{};
    return std::move(*out);
  }
  static std::string first(const Diagnostics& diags) { return diags.all().empty() ? "" : to_string(diags.all()[0]); }
  TensorProto& operand(int dtype, const std::vector<std::int64_t>& dims) {
    const std::string name = "x" + std::to_string(count_++);
    node_->add_input(name);
    return model.initialiser(name, dtype, dims);
  }
  ::onnx::NodeProto* node_;
  int count_ = 0;
};

inline void expect_near(const Reals& found, const Reals& expected) {
  EXPECT_THAT(found, testing::Pointwise(testing::FloatNear(2e-5F), expected));
}

}  // namespace byoc::test
