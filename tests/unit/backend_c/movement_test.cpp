// Operators that only move elements, on every element size, and maximum pools of integers.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "backends/c/backend.hpp"
#include "tests/support/generated_program.hpp"
#include "tests/unit/backend_c/graph_bench.hpp"

namespace byoc::test {
namespace {

using Dims = GraphBench::Dims;
using codegen::ValueId;

// One region of nodes over values of one dtype whose elements count up; sizes of 1 to 8 bytes.
class Movement {
 public:
  explicit Movement(DType dtype) : dtype_(dtype) {}

  ValueId value(Dims dims, DType dtype) {
    codegen::Value v;
    v.dtype = dtype;
    v.dims = std::move(dims);
    if (zero_point && dtype == dtype_) v.quantisation = {{0.5f}, {*zero_point}, -1};
    region_.values.push_back(std::move(v));
    return static_cast<ValueId>(region_.values.size() - 1);
  }
  ValueId input(Dims dims) {
    const ValueId id = value(std::move(dims), dtype_);
    std::vector<std::int64_t> elements(static_cast<std::size_t>(region_.values[id].elements()));
    std::iota(elements.begin(), elements.end(), start_);
    start_ += 3;
    bytes_[id] = encode(elements);
    elements_[id] = elements;
    return id;
  }
  ValueId integers(const std::vector<std::int64_t>& list) {
    const ValueId id = value({static_cast<std::int64_t>(list.size())}, DType::i64);
    constants_[id].resize(list.size() * 8);
    std::memcpy(constants_[id].data(), list.data(), list.size() * 8);
    return id;
  }
  void node(std::string op, std::vector<ValueId> inputs,
            std::map<std::string, codegen::Attribute, std::less<>> attributes, Dims dims,
            const std::vector<std::int64_t>& expected) {
    codegen::Node n;
    n.op = std::move(op);
    n.version = 13;
    n.inputs = std::move(inputs);
    n.attributes = std::move(attributes);
    const ValueId y = value(std::move(dims), dtype_);
    n.outputs = {y};
    region_.nodes.push_back(std::move(n));
    expected_[y] = expected;
  }
  const std::vector<std::int64_t>& elements(ValueId id) { return elements_[id]; }

  std::string check(const Machine& machine) {
    for (auto& [id, bytes] : constants_) {
      region_.values[id].is_constant = true;
      region_.values[id].data = bytes;
    }
    for (auto& [id, bytes] : bytes_) region_.inputs.push_back(id);
    for (auto& [id, list] : expected_) region_.outputs.push_back(id);
    const RunResult r = run_generated(*c::create_backend(), region_, bytes_, machine);
    if (!r.error.empty()) return r.error;
    for (const codegen::Node& n : region_.nodes)
      if (r.outputs.at(n.outputs[0]) != encode(expected_[n.outputs[0]]))
        return n.op + " of node " + std::to_string(&n - region_.nodes.data()) + " differs";
    return "";
  }

  std::optional<std::int64_t> zero_point;

 private:
  [[nodiscard]] std::vector<std::byte> encode(const std::vector<std::int64_t>& elements) const {
    const std::size_t size = bit_width(dtype_) / 8;
    std::vector<std::byte> out(elements.size() * size);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (dtype_ == DType::f32) {
        const auto f = static_cast<float>(elements[i]);
        std::memcpy(&out[i * size], &f, size);
      } else {
        std::memcpy(&out[i * size], &elements[i], size);
      }
    }
    return out;
  }

  DType dtype_;
  std::int64_t start_ = -20;
  codegen::Region region_;
  std::map<ValueId, std::vector<std::byte>> bytes_, constants_;
  std::map<ValueId, std::vector<std::int64_t>> elements_, expected_;
};

void add_transpose(Movement& m, const Dims& dims, const Dims& perm) {
  const ValueId x = m.input(dims);
  const auto& from = m.elements(x);
  Dims out_dims, strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  for (std::int64_t p : perm) out_dims.push_back(dims[static_cast<std::size_t>(p)]);
  std::vector<std::int64_t> y;
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto left = static_cast<std::int64_t>(i);
    std::int64_t at = 0;
    for (std::size_t d = out_dims.size(); d-- > 0;) {
      at += left % out_dims[d] * strides[static_cast<std::size_t>(perm[d])];
      left /= out_dims[d];
    }
    y.push_back(from[static_cast<std::size_t>(at)]);
  }
  m.node("Transpose", {x}, {{"perm", perm}}, out_dims, y);
}

void add_movements(Movement& m) {
  add_transpose(m, {3, 4}, {1, 0});
  add_transpose(m, {2, 3, 4, 2}, {0, 3, 1, 2});
  add_transpose(m, {2, 3, 4, 2}, {0, 2, 3, 1});
  add_transpose(m, {2, 1, 4, 3}, {3, 1, 0, 2});
  add_transpose(m, {2, 1, 4, 3}, {1, 0, 2, 3});  // moves nothing
  add_transpose(m, {2, 2, 2, 2, 2, 2}, {5, 3, 1, 4, 2, 0});

  const ValueId a = m.input({2, 3}), b = m.input({2, 1}), c = m.input({2, 3});
  const auto &ea = m.elements(a), &eb = m.elements(b), &ec = m.elements(c);
  m.node("Concat", {a, b, c}, {{"axis", std::int64_t{-1}}}, {2, 7},
         {ea[0], ea[1], ea[2], eb[0], ec[0], ec[1], ec[2], ea[3], ea[4], ea[5], eb[1], ec[3], ec[4], ec[5]});
  m.node("Concat", {a, c}, {{"axis", std::int64_t{0}}}, {4, 3},
         {ea[0], ea[1], ea[2], ea[3], ea[4], ea[5], ec[0], ec[1], ec[2], ec[3], ec[4], ec[5]});

  const std::int64_t z = m.zero_point.value_or(0);
  m.node("Pad", {a, m.integers({1, 0, 0, 2})}, {}, {3, 5},
         {z, z, z, z, z, ea[0], ea[1], ea[2], z, z, ea[3], ea[4], ea[5], z, z});
  m.node("Pad", {a, m.integers({0, -1, 1, 1})}, {}, {3, 3}, {ea[1], ea[2], z, ea[4], ea[5], z, z, z, z});

  m.node("Slice", {a, m.integers({1}), m.integers({3}), m.integers({-1})}, {}, {2, 2}, {ea[1], ea[2], ea[4], ea[5]});
  m.node("Slice", {a, m.integers({-1, 9}), m.integers({-9, -9}), m.integers({0, 1}), m.integers({-1, -2})}, {}, {2, 2},
         {ea[5], ea[3], ea[2], ea[0]});

  m.node("Flatten", {a}, {}, {6}, ea);
}

TEST(Movement, movesElementsOfEverySize) {
  for (const DType t : {DType::i8, DType::u8, DType::i16, DType::f32, DType::i32, DType::i64}) {
    Movement m(t);
    add_movements(m);
    EXPECT_EQ(m.check(host_machine()), "") << to_string(t);
  }
}

TEST(Movement, onCortexM4) {
  for (const DType t : {DType::i8, DType::f32}) {
    Movement m(t);
    add_movements(m);
    EXPECT_EQ(m.check(cortex_m4f()), "") << to_string(t);
  }
}

TEST(Movement, padsQuantisedValuesWithTheirZeroPoint) {
  Movement m(DType::i8);
  m.zero_point = -7;
  add_movements(m);
  EXPECT_EQ(m.check(host_machine()), "");
}

TEST(Movement, takesTheMaximumOfIntegers) {
  for (const DType t : {DType::i8, DType::u8}) {
    for (const bool nhwc : {true, false}) {
      Movement m(t);
      const ValueId x = m.input(nhwc ? Dims{1, 3, 4, 2} : Dims{1, 2, 3, 4});
      const auto e = m.elements(x);
      std::vector<std::int64_t> y;
      const auto at = [&](int c, int r, int s) {
        const auto v = e[static_cast<std::size_t>(nhwc ? (r * 4 + s) * 2 + c : (c * 3 + r) * 4 + s)];
        return t == DType::u8 ? v & 0xff : v;
      };
      const auto window = [&](int c, int r, int s) {
        std::int64_t most = t == DType::u8 ? 0 : -128;
        for (int i = std::max(r - 1, 0); i < std::min(r + 2, 3); ++i)
          for (int j = std::max(2 * s - 1, 0); j < std::min(2 * s + 2, 4); ++j) most = std::max(most, at(c, i, j));
        return most;
      };
      if (nhwc) {
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 2; ++s)
            for (int c = 0; c < 2; ++c) y.push_back(window(c, r, s));
      } else {
        for (int c = 0; c < 2; ++c)
          for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 2; ++s) y.push_back(window(c, r, s));
      }
      m.node("MaxPool", {x},
             {{"kernel_shape", Dims{3, 3}},
              {"strides", Dims{1, 2}},
              {"pads", Dims{1, 1, 1, 1}},
              {"data_layout", std::string(nhwc ? "NHWC" : "NCHW")}},
             nhwc ? Dims{1, 3, 2, 2} : Dims{1, 2, 3, 2}, y);
      EXPECT_EQ(m.check(host_machine()), "") << to_string(t) << nhwc;
    }
  }
}

}  // namespace
}  // namespace byoc::test
