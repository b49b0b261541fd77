// Options of CUSTOM operators of TensorFlow Lite: a map as a FlexBuffer.
#pragma once

#include <flatbuffers/flexbuffers.h>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/tflite_writer.hpp"

namespace byoc::test {

using FlexOptions = std::vector<std::pair<std::string, std::int64_t>>;
using FlexReals = std::vector<std::pair<std::string, double>>;

inline std::vector<std::uint8_t> flex_options(const FlexOptions& options, const FlexReals& reals = {}) {
  flexbuffers::Builder b;
  b.Map([&] {
    for (const auto& [name, value] : options) b.Int(name.c_str(), value);
    for (const auto& [name, value] : reals) b.Double(name.c_str(), value);
  });
  b.Finish();
  return b.GetBuffer();
}

// A CUSTOM operator of this name.
inline schema::OperatorT& add_custom(TfliteWriter& w, const std::string& name, std::vector<std::int32_t> inputs,
                                     std::vector<std::int32_t> outputs, const FlexOptions& options = {},
                                     const FlexReals& reals = {}) {
  schema::OperatorT& op = w.add_operator(schema::BuiltinOperator::CUSTOM, std::move(inputs), std::move(outputs));
  w.model.operator_codes.back()->custom_code = name;
  op.custom_options = flex_options(options, reals);
  return op;
}

}  // namespace byoc::test
