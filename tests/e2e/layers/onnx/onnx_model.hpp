// Cases of operators in one .onnx model.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/layers/cases.hpp"

namespace byoc::test {

inline constexpr const char* kContributed = "com.microsoft";

class OnnxModel : public Cases {
 public:
  using Names = std::vector<std::string>;

  explicit OnnxModel(int opset = 21, int ir_version = 10);

  std::string input(const TensorData&);  // of the model
  std::string constant(const TensorData&);
  std::string real(float);                                 // a constant scalar
  std::string integers(const std::vector<std::int64_t>&);  // a constant vector
  std::string between();                                   // the name of a tensor between operators
  // An output of the model. `tolerance`: see Cases::Expected.
  std::string output(const TensorData& expected, double tolerance = 0);
  // An integer output that is computed from reals: of `steps`, see Cases::Expected.
  std::string output_near(const TensorData& type, std::vector<double> steps, double slack, bool is_exact);

  // The scale and the zero point of what is quantised as `data` is, as constants.
  Names parameters(const TensorData& data);
  // The real numbers of `integers`, which are quantised as `data` is.
  std::string dequantised(const std::string& integers, const TensorData& data);
  // The same of a constant, or of an input of the model.
  std::string dequantised_constant(const TensorData& data) { return dequantised(constant(data), data); }
  std::string dequantised_input(const TensorData& data) { return dequantised(input(data), data); }
  // Makes `output` of `real`, quantised as `data` is.
  void quantise(const std::string& real, const TensorData& data, const std::string& output);

  onnx::NodeProto& node(const std::string& op, const Names& inputs, const Names& outputs,
                        const std::string& domain = "");
  // A node with one output, which it names.
  std::string apply(const std::string& op, const Names& inputs) {
    std::string y = between();
    node(op, inputs, {y});
    return y;
  }
  [[nodiscard]] std::string bytes() override { return model_.SerializeAsString(); }
  [[nodiscard]] const char* extension() const override { return ".onnx"; }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  std::string next_name(const char* kind) { return name(kind, tensors_++); }
  onnx::TensorProto& initialiser(int type, const std::vector<std::int64_t>& dims);

  onnx::ModelProto model_;
  std::size_t tensors_ = 0;
};

// Operators of the newest opset.
class NewestOnnxModel final : public OnnxModel {
 public:
  NewestOnnxModel() : OnnxModel(28, 13) {}
};

// What is computed as its operators say, whatever their operands are quantised with.
class LiteralOnnxModel final : public OnnxModel {
 public:
  [[nodiscard]] bool lifts() const override { return false; }
};

// A shape as attributes and constants have it.
[[nodiscard]] inline std::vector<std::int64_t> wide(const Shape& shape) { return {shape.begin(), shape.end()}; }

void set(onnx::NodeProto&, const std::string& attribute, std::int64_t);
void set(onnx::NodeProto&, const std::string& attribute, float);
void set(onnx::NodeProto&, const std::string& attribute, const char*);
void set(onnx::NodeProto&, const std::string& attribute, const std::vector<std::int64_t>&);
void set(onnx::NodeProto&, const std::string& attribute, const std::vector<std::string>&);
// A tensor of floats, or of bytes.
void set_tensor(onnx::NodeProto&, const std::string& attribute, const std::vector<float>&);
void set_bytes(onnx::NodeProto&, const std::string& attribute, const std::string&);

}  // namespace byoc::test
