// Graphs in the text form with random inputs: what the C backend makes of them against the evaluator.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/reference.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {

class TextBench {
 public:
  // `statements` of the text form; in them T stands for `dtype`.
  explicit TextBench(std::string statements, const std::string& dtype = "f32", const std::string& mode = "onnx")
      : text_("graph \"t\" requant=" + mode + " {\n" + replaced(std::move(statements), dtype) + "\n}") {
    const auto graph = ir::parse(text_, "t.byoc", diags_);
    if (graph) graph_ = *graph;
    parsed_ = static_cast<bool>(graph);
  }

  // Gives an integer input these elements instead of random ones.
  TextBench& give(const std::string& name, const std::vector<std::int64_t>& elements) {
    given_[name] = elements;
    return *this;
  }

  // The same for an f32 input.
  TextBench& give_reals(const std::string& name, const std::vector<float>& elements) {
    for (const float e : elements) given_[name].push_back(std::bit_cast<std::int32_t>(e));
    return *this;
  }

  // What the generated program alone says: "" if every step gives 0.
  std::string run(const Machine& machine) {
    if (!parsed_) return errors();
    const plugin::BoundRegion bound = plugin::make_region(graph_);
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (const codegen::ValueId v : bound.region.inputs) inputs[v] = data(graph_.values[bound.values[v]]);
    return run_generated(*backend_, bound.region, inputs, machine).error;
  }

  // Inputs are random: floats in [-2, 2), integers over their type's range. What differs, "" if nothing; floats may
  // differ by `tolerance` of the largest element.
  std::string check(const Machine& machine, double tolerance = 0, const RunOptions& options = {}) {
    if (!parsed_) return errors();
    std::map<ir::ValueId, std::vector<std::byte>> bytes;
    std::vector<evaluate::Tensor> tensors;
    for (const ir::ValueId v : graph_.inputs) {
      bytes[v] = data(graph_.values[v]);
      tensors.push_back({graph_.values[v].type, Blob::own(bytes[v])});
    }
    const auto expected = evaluate::run(graph_, tensors, diags_);
    if (!expected) return "evaluator: " + errors();
    const plugin::BoundRegion bound = plugin::make_region(graph_);
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (const codegen::ValueId v : bound.region.inputs) inputs[v] = bytes.at(bound.values[v]);
    const RunResult result = run_generated(*backend_, bound.region, inputs, machine, options);
    if (!result.error.empty()) return result.error;
    for (const auto& [v, found] : result.outputs)
      for (std::size_t o = 0; o < graph_.outputs.size(); ++o)
        if (graph_.outputs[o] == bound.values[v])
          if (const std::string text = compare(found, (*expected)[o], tolerance); !text.empty())
            return "%" + graph_.values[graph_.outputs[o]].name + ": " + text;
    return "";
  }

  // Why the C backend does not take the last node; "" if it does.
  std::string refusal() {
    if (!parsed_) return errors();
    const plugin::BoundRegion bound = plugin::make_region(graph_);
    const codegen::Verdict verdict = backend_->verdicts(bound.region, host_machine().target).back();
    return verdict.claimed ? "" : verdict.text;
  }

 private:
  static std::string replaced(std::string text, const std::string& dtype) {
    for (std::size_t at = text.find(": T["); at != std::string::npos; at = text.find(": T[", at))
      text.replace(at + 2, 1, dtype);
    return text;
  }

  std::string errors() const {
    std::string out;
    for (const Diagnostic& d : diags_.all()) out += to_string(d) + "\n";
    return out;
  }

  std::vector<std::byte> data(const ir::Value& value) {
    const auto at = given_.find(value.name);
    if (at == given_.end()) return random(value.type);
    const std::size_t size = bit_width(value.type.dtype) / 8;
    std::vector<std::byte> bytes(at->second.size() * size);
    for (std::size_t i = 0; i < at->second.size(); ++i) std::memcpy(&bytes[i * size], &at->second[i], size);
    return bytes;
  }

  std::vector<std::byte> random(const ir::TensorType& type) {
    std::vector<std::byte> bytes(type.bytes());
    (void)evaluate::dispatch(type.dtype, [&]<class T>() {
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        T value;
        if constexpr (evaluate::kIsFloat<T>)
          value = evaluate::narrow<T>(std::uniform_real_distribution<double>(-2, 2)(random_));
        else
          value = static_cast<T>(random_());
        std::memcpy(&bytes[at], &value, sizeof value);
      }
    });
    return bytes;
  }

  static std::string compare(const std::vector<std::byte>& found, const evaluate::Tensor& expected, double tolerance) {
    if (found.size() != expected.bytes.size()) return "another size";
    std::string out;
    (void)evaluate::dispatch(expected.type.dtype, [&]<class T>() {
      double largest = 0;
      for (const bool comparing : {false, true})
        for (std::size_t at = 0; at < found.size() && out.empty(); at += sizeof(T)) {
          T f, e;
          std::memcpy(&f, &found[at], sizeof f);
          std::memcpy(&e, expected.bytes.data() + at, sizeof e);
          const double a = evaluate::widen(f), b = evaluate::widen(e);
          if (!comparing && std::isfinite(b)) largest = std::max(largest, std::fabs(b));
          const bool same =
              std::memcmp(&f, &e, sizeof f) == 0 || (evaluate::kIsFloat<T> && std::fabs(a - b) <= tolerance * largest);
          if (comparing && !same)
            out = "element " + std::to_string(at / sizeof(T)) + " is " + std::to_string(a) + ", expected " +
                  std::to_string(b);
        }
    });
    return out;
  }

  std::shared_ptr<codegen::Codegen> backend_ = reference::find("c")->create({});
  std::string text_;
  Diagnostics diags_;
  ir::Graph graph_;
  bool parsed_ = false;
  std::map<std::string, std::vector<std::int64_t>> given_;
  std::mt19937 random_{7};
};

}  // namespace byoc::test
