// Other engines that run a model: ONNX Runtime and TensorFlow Lite, where Python or Node has them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc::cli {

// Results of an engine, in files.
struct EngineResults {
  struct Value {
    std::string name;
    std::int64_t index = -1;  // in the source's tensor table; -1: it has none
    std::string file;         // .npy
  };
  std::string engine;                // "ONNX Runtime 1.20.1"
  std::vector<std::string> outputs;  // files
  std::vector<Value> values;         // that it showed of those in between, outputs included
  TemporaryDirectory folder;         // of the files
};

// Runs an ONNX or TFLite model. `values`: names of values that would be good to see. `python`: the program that has the
// engine, before Node is asked. Errors: another kind of model; no engine is installed; the engine fails.
[[nodiscard]] Result<EngineResults> run_engine(const std::string& model, const ModelInterface& interface,
                                               std::span<const std::vector<std::byte>> inputs,
                                               const std::set<std::string>& values, const std::string& python,
                                               Diagnostics& diags);

}  // namespace byoc::cli
