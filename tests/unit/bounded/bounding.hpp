// Graphs with sequences, optionals and strings: what the evaluator makes of them as they are, and of the tensors that
// they become.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "tests/support/counted_outputs.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {

using evaluate::Tensor;
using testing::HasSubstr;

template <class T>
Tensor tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<T> elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return {{dtype, std::move(dims)}, Blob::own(std::move(bytes))};
}
inline Tensor floats(std::vector<std::int64_t> dims, std::vector<float> elements) {
  return tensor(DType::f32, std::move(dims), std::move(elements));
}
inline Tensor integer(std::int64_t element) { return tensor<std::int64_t>(DType::i64, {}, {element}); }
inline Tensor truth(bool element) {
  return tensor<std::uint8_t>(DType::boolean, {}, {element ? std::uint8_t{1} : std::uint8_t{0}});
}
inline Tensor texts(std::vector<std::string> elements) {
  const std::int64_t count = std::ssize(elements);
  return evaluate::tensor_of({count}, std::move(elements));
}

using Room = std::map<std::string, std::string>;

// `statements` in the text form, prepared; `open`: for hosts.
inline Result<ir::Graph> prepared(const std::string& statements, const Room& room, bool open, Diagnostics& diags) {
  auto g = ir::parse("graph \"t\" requant=onnx symbols=[N, M] {\n" + statements + "\n}", "t.byoc", diags);
  PrepareOptions options;
  options.open_types = open;
  options.bounds = room;
  if (!g || !prepare(*g, options, diags)) return failure;
  return g;
}

// What the graph gives as tensors, each as the model has it, and how it looks; an error where the run fails.
struct Bounded {
  std::string text;
  std::vector<Tensor> outputs;
  std::string error;
};
inline Bounded run_bounded(const std::string& statements, const Room& room, std::vector<Tensor> inputs) {
  Diagnostics diags;
  const auto g = prepared(statements, room, false, diags);
  if (!g) return {"", {}, "prepare: " + error_text(diags)};
  Bounded out{ir::print(*g), {}, with_room(*g, inputs)};
  if (!out.error.empty()) return out;
  auto outputs = evaluate::run(*g, inputs, diags);
  out.error = outputs ? without_room(*g, *outputs) : "run: " + error_text(diags);
  if (outputs) out.outputs = std::move(*outputs);
  return out;
}

// "" where the tensors say what the graph as it is gives, or where both fail to run.
inline std::string difference_of(const std::string& statements, const Room& room, const std::vector<Tensor>& inputs) {
  Diagnostics diags;
  const auto g = prepared(statements, room, true, diags);
  if (!g) return "prepare as it is: " + error_text(diags);
  const auto expected = evaluate::run(*g, inputs, diags);
  const Bounded found = run_bounded(statements, room, inputs);
  if (!expected && found.error.starts_with("run: ")) return "";
  if (!expected) return "only the graph as it is fails: " + error_text(diags) + found.error;
  if (!found.error.empty()) return found.error;
  if (found.outputs.size() != expected->size()) return "another number of outputs";
  for (std::size_t i = 0; i < expected->size(); ++i)
    if (const std::string text = difference(found.outputs[i], (*expected)[i], {1e-5, 1e-6, 0}); !text.empty())
      return "output " + std::to_string(i) + ": " + text + "\n" + found.text;
  return "";
}

}  // namespace byoc::test
