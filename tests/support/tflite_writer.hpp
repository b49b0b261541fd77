// Writes .tflite models for tests: right ones, and wrong ones by changing `model` before bytes().
#pragma once

#include <tflite_schema/schema_generated.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace byoc::test {

namespace schema = tflite::schema;

struct TfliteQuantisation {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  std::int32_t axis = 0;
};

class TfliteWriter {
 public:
  TfliteWriter() {
    model.version = 3;
    model.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
    model.buffers.push_back(std::make_unique<schema::BufferT>());  // the empty one that tensors without data name
  }

  // The sub-graph that add(), add_operator() and boundary() write to: the first until another is begun or selected.
  [[nodiscard]] schema::SubGraphT& graph() { return *model.subgraphs[selected_]; }
  // A new, empty sub-graph, selected; its index.
  std::size_t begin_subgraph(std::string name) {
    model.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
    select(model.subgraphs.size() - 1);
    graph().name = std::move(name);
    return selected_;
  }
  void select(std::size_t subgraph) { selected_ = subgraph; }

  [[nodiscard]] schema::TensorT& tensor(std::size_t i) { return *graph().tensors.at(i); }
  [[nodiscard]] schema::OperatorT& op(std::size_t i) { return *graph().operators.at(i); }
  template <class Options>
  [[nodiscard]] Options& options(std::size_t i) {
    return *static_cast<Options*>(op(i).builtin_options.value);
  }

  // A tensor without data; its index.
  std::int32_t add(std::string name, schema::TensorType type, std::vector<std::int32_t> shape,
                   TfliteQuantisation q = {}) {
    auto t = std::make_unique<schema::TensorT>();
    t->name = std::move(name);
    t->type = type;
    t->shape = std::move(shape);
    if (!q.scales.empty()) {
      t->quantization = std::make_unique<schema::QuantizationParametersT>();
      t->quantization->scale = std::move(q.scales);
      t->quantization->zero_point = std::move(q.zero_points);
      t->quantization->quantized_dimension = q.axis;
    }
    graph().tensors.push_back(std::move(t));
    return static_cast<std::int32_t>(graph().tensors.size() - 1);
  }

  // A tensor with a buffer of its own.
  template <class T>
  std::int32_t constant(std::string name, schema::TensorType type, std::vector<std::int32_t> shape,
                        const std::vector<T>& values, TfliteQuantisation q = {}) {
    const std::int32_t index = add(std::move(name), type, std::move(shape), std::move(q));
    auto buffer = std::make_unique<schema::BufferT>();
    buffer->data.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(buffer->data.data(), values.data(), buffer->data.size());
    tensor(static_cast<std::size_t>(index)).buffer = static_cast<std::uint32_t>(model.buffers.size());
    model.buffers.push_back(std::move(buffer));
    return index;
  }

  // An INT4 tensor with a buffer of its own: two elements a byte, the first in the low half, an odd count padded.
  std::int32_t constant_int4(std::string name, std::vector<std::int32_t> shape, const std::vector<std::int64_t>& values,
                             TfliteQuantisation q = {}) {
    return constant(std::move(name), schema::TensorType::INT4, std::move(shape), packed(values, 4), std::move(q));
  }
  // Elements of 4 or 2 bits, the first in the lowest bits of its byte.
  static std::vector<std::uint8_t> packed(const std::vector<std::int64_t>& values, unsigned bits) {
    std::vector<std::uint8_t> out((values.size() * bits + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i)
      out[i * bits / 8] |= static_cast<std::uint8_t>((values[i] & ((1 << bits) - 1)) << (i * bits % 8));
    return out;
  }

  // A tensor that keeps its value from one invocation to the next.
  std::int32_t variable(std::string name, schema::TensorType type, std::vector<std::int32_t> shape,
                        TfliteQuantisation q = {}) {
    const std::int32_t index = add(std::move(name), type, std::move(shape), std::move(q));
    tensor(static_cast<std::size_t>(index)).is_variable = true;
    return index;
  }

  schema::OperatorT& add_operator(schema::BuiltinOperator code, std::vector<std::int32_t> inputs,
                                  std::vector<std::int32_t> outputs, std::int32_t version = 1) {
    auto operator_code = std::make_unique<schema::OperatorCodeT>();
    operator_code->builtin_code = code;
    operator_code->deprecated_builtin_code =
        static_cast<std::int8_t>(std::min<std::int32_t>(static_cast<std::int32_t>(code), 127));
    operator_code->version = version;
    model.operator_codes.push_back(std::move(operator_code));
    auto o = std::make_unique<schema::OperatorT>();
    o->opcode_index = static_cast<std::uint32_t>(model.operator_codes.size() - 1);
    o->inputs = std::move(inputs);
    o->outputs = std::move(outputs);
    graph().operators.push_back(std::move(o));
    return *graph().operators.back();
  }

  template <class Options>
  schema::OperatorT& add_operator(schema::BuiltinOperator code, std::vector<std::int32_t> inputs,
                                  std::vector<std::int32_t> outputs, Options options, std::int32_t version = 1) {
    schema::OperatorT& o = add_operator(code, std::move(inputs), std::move(outputs), version);
    o.builtin_options.Set(std::move(options));
    return o;
  }

  void boundary(std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs) {
    graph().inputs = std::move(inputs);
    graph().outputs = std::move(outputs);
  }

  [[nodiscard]] std::string bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(schema::Model::Pack(builder, &model), schema::ModelIdentifier());
    std::string out(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    // The models of the tests are what fuzzing starts from.
    if (const char* folder = std::getenv("BYOC_KEEP_MODELS"))
      std::ofstream(std::string(folder) + "/" + std::to_string(std::hash<std::string>{}(out)) + ".tflite",
                    std::ios::binary)
          .write(out.data(), static_cast<std::streamsize>(out.size()));
    return out;
  }

  schema::ModelT model;

 private:
  std::size_t selected_ = 0;
};

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace byoc::test
