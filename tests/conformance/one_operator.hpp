// Models of one operator, made here, with outputs worked out by hand from the operator's definition: for versions that
// the official cases at hand do not have. Evaluator and generated C must both give them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backends/reference.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/import/import.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/differential.hpp"
#include "tests/support/tensors.hpp"
#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc::test {

using evaluate::Tensor;
using ::onnx::TensorProto;

using Dims = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

inline DType type_of(int onnx) {
  switch (onnx) {
    case TensorProto::FLOAT: return DType::f32;
    case TensorProto::FLOAT16: return DType::f16;
    case TensorProto::DOUBLE: return DType::f64;
    case TensorProto::INT8: return DType::i8;
    case TensorProto::UINT8: return DType::u8;
    case TensorProto::INT16: return DType::i16;
    case TensorProto::UINT16: return DType::u16;
    case TensorProto::INT32: return DType::i32;
    case TensorProto::UINT32: return DType::u32;
    case TensorProto::INT64: return DType::i64;
    case TensorProto::BOOL: return DType::boolean;
    default: return DType::undefined;
  }
}

inline std::vector<std::byte> elements(DType dtype, const Numbers& numbers) {
  std::vector<std::byte> out;
  (void)evaluate::dispatch(dtype, [&]<class T>() {
    for (const double n : numbers) {
      const T value = evaluate::narrow<T>(n);
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      out.insert(out.end(), bytes, bytes + sizeof value);
    }
  });
  return out;
}

// One node, "y0", "y1" ... from inputs that the functions below name.
class Case : public ModelFile {
 public:
  explicit Case(std::int64_t opset) : ModelFile(opset) {}

  // An input of the model, and its values.
  Case& in(const std::string& name, const Dims& dims, const Numbers& values, int type = TensorProto::FLOAT) {
    input(name, dims, type);
    inputs_.push_back({{type_of(type), dims, std::nullopt}, Blob::own(elements(type_of(type), values))});
    return *this;
  }
  Case& constant(const std::string& name, const Dims& dims, const Numbers& values, int type = TensorProto::FLOAT) {
    const auto bytes = elements(type_of(type), values);
    initialiser(name, type, dims).set_raw_data(bytes.data(), bytes.size());
    return *this;
  }
  Case& axes(const std::string& name, const Numbers& values) {
    return constant(name, {static_cast<std::int64_t>(values.size())}, values, TensorProto::INT64);
  }
  ::onnx::NodeProto& op(const std::string& name, const std::vector<std::string>& operands, std::size_t outputs = 1) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < outputs; ++i) {
      names.push_back("y" + std::to_string(i));
      output(names.back());
    }
    return node(name, operands, names);
  }
  Case& gives(const Dims& dims, const Numbers& values, int type = TensorProto::FLOAT) {
    expected_.push_back({{type_of(type), dims, std::nullopt}, Blob::own(elements(type_of(type), values))});
    return *this;
  }

  void check() const {
    write(bytes());
    Diagnostics diags;
    auto graph = import_model(path(), diags);
    ASSERT_TRUE(graph) << error_text(diags);
    ir::Graph prepared = *graph;
    PrepareOptions options;
    options.lift = false;  // the inputs are plain integers
    ASSERT_TRUE(prepare(prepared, options, diags)) << error_text(diags);
    const auto outputs = evaluate::run(prepared, inputs_, diags);
    ASSERT_TRUE(outputs) << error_text(diags);
    ASSERT_EQ(outputs->size(), expected_.size());
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      Tensor found = (*outputs)[i];
      found.type.quantisation = std::nullopt;
      EXPECT_EQ(difference(found, expected_[i], {1e-5, 1e-6, 0}), "") << "output " << i;
    }
    const auto backend = reference::backends()[0].create({});
    EXPECT_EQ(check_on_host(prepared, inputs_, *backend), "");
  }
  std::string refusal() const {
    write(bytes());
    Diagnostics diags;
    auto graph = import_model(path(), diags);
    if (graph && prepare(*graph, {}, diags)) return "";
    return error_text(diags);
  }

 private:
  std::vector<Tensor> inputs_, expected_;
};

inline void set_text(::onnx::NodeProto& n, const std::string& name, const std::string& text) {
  ModelFile::attribute(n, name, ::onnx::AttributeProto::STRING).set_s(text);
}

}  // namespace byoc::test
