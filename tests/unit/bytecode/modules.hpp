// Bytecode from graph text, and runs of it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "sdk/model/ir/text.hpp"
#include "sdk/program/bytecode/file.hpp"
#include "sdk/program/bytecode/lower.hpp"
#include "sdk/program/bytecode/machine.hpp"

namespace byoc::bytecode {

using evaluate::Tensor;

inline ir::Graph parsed(const std::string& text) {
  Diagnostics diags;
  auto g = ir::parse(text, "t.byoc", diags);
  EXPECT_TRUE(g) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return g ? std::move(*g) : ir::Graph{};
}

inline bool nobody(const NodeOf&) { return false; }

inline Module interpreted(const std::string& text) { return lower(parsed(text), nobody, nobody).module; }

template <class T>
Tensor tensor(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
  Tensor out;
  out.type.dtype = dtype;
  out.type.dims = std::move(dims);
  const auto bytes = std::as_bytes(std::span(values));
  out.bytes = Blob::own({bytes.begin(), bytes.end()});
  return out;
}

inline Tensor floats(std::vector<std::int64_t> dims, const std::vector<float>& values) {
  return tensor(DType::f32, std::move(dims), values);
}

template <class T>
std::vector<T> elements(const Tensor& t) {
  std::vector<T> out(t.bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), t.bytes.data(), out.size() * sizeof(T));
  return out;
}

inline std::string text(const Diagnostics& diags) { return diags.all().empty() ? "" : to_string(diags.all()[0]); }

inline std::vector<Tensor> run(const Module& module, const std::vector<Tensor>& inputs, const Limits& limits = {}) {
  Diagnostics diags;
  EXPECT_TRUE(verify(module, "m", diags)) << text(diags) << disassemble(module);
  auto machine = Machine::link(module, nullptr, nullptr, "m", diags);
  EXPECT_TRUE(machine) << text(diags);
  if (!machine) return {};
  auto out = machine->run(inputs, limits, diags);
  EXPECT_TRUE(out) << text(diags);
  return out ? *out : std::vector<Tensor>{};
}

inline std::string failed_run(const Module& module, const std::vector<Tensor>& inputs, const Limits& limits = {}) {
  Diagnostics diags;
  auto machine = Machine::link(module, nullptr, nullptr, "m", diags);
  EXPECT_TRUE(machine);
  EXPECT_FALSE(machine->run(inputs, limits, diags));
  return text(diags);
}

inline std::string refused(const Module& module) {
  Diagnostics diags;
  EXPECT_FALSE(verify(module, "m", diags));
  return text(diags);
}

}  // namespace byoc::bytecode
