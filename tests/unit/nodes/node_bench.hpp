// Regions put together by hand, of one node.
#pragma once

#include <cstdint>
#include <cstring>
#include <list>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

class NodeBench {
 public:
  explicit NodeBench(std::string op, Requant requant = Requant::tflite) {
    region.requant = requant;
    node.op = std::move(op);
  }

  // The next input; later ones may be left off by none().
  codegen::Value& input(DType dtype, std::vector<std::int64_t> dims) {
    node.inputs.push_back(static_cast<codegen::ValueId>(region.values.size()));
    return add(dtype, std::move(dims));
  }
  void none() { node.inputs.push_back(codegen::kNoValue); }
  codegen::Value& output(DType dtype, std::vector<std::int64_t> dims) {
    node.outputs.push_back(static_cast<codegen::ValueId>(region.values.size()));
    return add(dtype, std::move(dims));
  }
  // The last value as a constant of these elements.
  template <class T>
  codegen::Value& constant(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& elements) {
    codegen::Value& v = input(dtype, std::move(dims));
    std::vector<std::byte>& bytes = data_.emplace_back(elements.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
    v.is_constant = true;
    v.data = bytes;
    return v;
  }
  NodeBench& set(const std::string& key, codegen::Attribute value) {
    node.attributes[key] = std::move(value);
    return *this;
  }
  NodeBench& list(const std::string& key, std::vector<std::int64_t> value) { return set(key, std::move(value)); }
  NodeBench& text(const std::string& key, const char* value) { return set(key, std::string(value)); }

  codegen::Region region;
  codegen::Node node;

 private:
  codegen::Value& add(DType dtype, std::vector<std::int64_t> dims) {
    codegen::Value v;
    v.dtype = dtype;
    v.dims = std::move(dims);
    region.values.push_back(std::move(v));
    return region.values.back();
  }

  std::list<std::vector<std::byte>> data_;
};

inline Quantisation per_tensor(float scale, std::int64_t zero) { return {{scale}, {zero}, -1}; }

}  // namespace byoc::nodes
