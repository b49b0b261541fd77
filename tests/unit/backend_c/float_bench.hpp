// Many float nodes in one region: each with random operands and the result that its definition gives in double.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backends/c/backend.hpp"
#include "byoc/codegen.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {

using Dims = std::vector<std::int64_t>;
using Attributes = std::map<std::string, codegen::Attribute, std::less<>>;

// A dense tensor of doubles, for references.
struct Numbers {
  Dims dims;
  std::vector<double> data;

  [[nodiscard]] std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t d : dims) n *= d;
    return n;
  }
};

// Element of a dense tensor of `dims` broadcast to `out`, at flat index `i` of `out`.
[[nodiscard]] inline double broadcast_at(const Numbers& x, const Dims& out, std::int64_t i) {
  std::int64_t at = 0, stride = 1;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const std::int64_t index = i % out[out.size() - 1 - d];
    i /= out[out.size() - 1 - d];
    if (d >= x.dims.size()) continue;
    const std::int64_t length = x.dims[x.dims.size() - 1 - d];
    if (length != 1) at += index * stride;
    stride *= length;
  }
  return x.data[static_cast<std::size_t>(at)];
}

class FloatBench {
 public:
  explicit FloatBench(unsigned seed) : random_(seed) {}

  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_);
  }

  // A random f32 value in [-1, 1): an input of the region, or a constant.
  codegen::ValueId input(Dims dims) { return tensor(std::move(dims), false); }
  codegen::ValueId input(Dims dims, const std::vector<float>& elements) {
    const codegen::ValueId id = tensor(std::move(dims), false);
    std::memcpy(bytes_[id].data(), elements.data(), elements.size() * sizeof(float));
    return id;
  }
  codegen::ValueId constant(Dims dims) { return tensor(std::move(dims), true); }
  codegen::ValueId constant(Dims dims, const std::vector<float>& elements) {
    const codegen::ValueId id = tensor(std::move(dims), true);
    std::memcpy(bytes_[id].data(), elements.data(), elements.size() * sizeof(float));
    return id;
  }
  codegen::ValueId integers(const std::vector<std::int64_t>& elements) {
    const auto id = add_value({static_cast<std::int64_t>(elements.size())}, DType::i64);
    bytes_[id].resize(elements.size() * 8);
    std::memcpy(bytes_[id].data(), elements.data(), bytes_[id].size());
    region_.values[id].is_constant = true;
    return id;
  }
  [[nodiscard]] Numbers numbers(codegen::ValueId id) const {
    Numbers out{region_.values[id].dims, {}};
    if (const auto it = expected_.find(id); it != expected_.end()) return {out.dims, it->second};
    const auto& bytes = bytes_.at(id);
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      float f;
      std::memcpy(&f, &bytes[i], 4);
      out.data.push_back(f);
    }
    return out;
  }

  // Adds a node; its output holds `expected` to `tolerance` of the largest element.
  codegen::ValueId node(codegen::Node n, const Numbers& expected, double tolerance = 1e-5) {
    const codegen::ValueId id = add_value(expected.dims, DType::f32);
    n.outputs = {id};
    if (n.version == 1 && n.domain.empty()) n.version = 13;
    for (codegen::ValueId v : n.inputs)
      if (v != codegen::kNoValue) read_[v] = true;
    region_.nodes.push_back(std::move(n));
    expected_[id] = expected.data;
    tolerance_[id] = tolerance;
    return id;
  }

  [[nodiscard]] const codegen::Region& region() {
    region_.name = "bench";
    region_.inputs.clear();
    region_.outputs.clear();
    for (codegen::ValueId v = 0; v < region_.values.size(); ++v) {
      codegen::Value& value = region_.values[v];
      if (value.is_constant)
        value.data = bytes_[v];
      else if (expected_.count(v) == 0)
        region_.inputs.push_back(v);
      if (expected_.count(v) && !read_[v]) region_.outputs.push_back(v);
    }
    return region_;
  }

  // Runs the region on `machine` and checks every output that no node reads. Returns what differs, "" if nothing.
  [[nodiscard]] std::string check(const Machine& machine, const RunOptions& options = {}) {
    const codegen::Region& r = region();
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (codegen::ValueId v : r.inputs) inputs[v] = bytes_[v];
    result_ = run_generated(*c::create_backend(), r, inputs, machine, options);
    if (!result_.error.empty()) return result_.error;
    std::string out;
    for (const codegen::Node& n : r.nodes)
      if (result_.outputs.count(n.outputs[0])) out += compare(n);
    return out;
  }
  [[nodiscard]] const RunResult& result() const { return result_; }

 private:
  codegen::ValueId add_value(Dims dims, DType dtype) {
    codegen::Value v;
    v.name = "value" + std::to_string(region_.values.size());
    v.dtype = dtype;
    v.dims = std::move(dims);
    region_.values.push_back(std::move(v));
    return static_cast<codegen::ValueId>(region_.values.size() - 1);
  }

  codegen::ValueId tensor(Dims dims, bool is_constant) {
    const codegen::ValueId id = add_value(std::move(dims), DType::f32);
    codegen::Value& v = region_.values[id];
    v.is_constant = is_constant;
    std::uniform_real_distribution<float> number(-1.0f, 1.0f);
    std::vector<float> data(static_cast<std::size_t>(v.elements()));
    for (float& f : data) f = number(random_);
    bytes_[id].resize(data.size() * 4);
    if (!data.empty()) std::memcpy(bytes_[id].data(), data.data(), bytes_[id].size());
    return id;
  }

  std::string compare(const codegen::Node& n) {
    const codegen::ValueId id = n.outputs[0];
    const auto& bytes = result_.outputs[id];
    const auto& expected = expected_[id];
    double largest = 1e-6;
    for (double v : expected) largest = std::max(largest, std::isfinite(v) ? std::abs(v) : 0.0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      float f;
      std::memcpy(&f, &bytes[i * 4], 4);
      if (!(std::abs(f - expected[i]) <= tolerance_[id] * largest) && !(f == expected[i]))
        return n.op + " #" + std::to_string(&n - region_.nodes.data()) + " of " +
               shape(region_.values[n.inputs[0]].dims) + ": element " + std::to_string(i) + " is " + std::to_string(f) +
               ", expected " + std::to_string(expected[i]) + "\n";
    }
    return "";
  }

  static std::string shape(const Dims& dims) {
    std::string out = "[";
    for (std::int64_t d : dims) out += std::to_string(d) + ",";
    return out + "]";
  }

  std::mt19937 random_;
  codegen::Region region_;
  std::map<codegen::ValueId, std::vector<std::byte>> bytes_;
  std::map<codegen::ValueId, std::vector<double>> expected_;
  std::map<codegen::ValueId, double> tolerance_;
  std::map<codegen::ValueId, bool> read_;
  RunResult result_;
};

[[nodiscard]] inline codegen::Node make_node(std::string op, std::vector<codegen::ValueId> inputs,
                                             std::map<std::string, codegen::Attribute, std::less<>> attributes = {}) {
  codegen::Node n;
  n.op = std::move(op);
  n.inputs = std::move(inputs);
  n.attributes = std::move(attributes);
  return n;
}

}  // namespace byoc::test
