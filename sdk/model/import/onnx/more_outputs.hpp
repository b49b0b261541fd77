// An ONNX model with more outputs, for engines that show outputs alone.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace byoc::onnx_import {

// The model with those of `names` as outputs that a node of its main graph computes and that are none yet. Nothing of
// it is checked. "" where there is no such name: there is nothing to add.
[[nodiscard]] std::string with_more_outputs(std::span<const std::byte> model, const std::set<std::string>& names);

}  // namespace byoc::onnx_import
