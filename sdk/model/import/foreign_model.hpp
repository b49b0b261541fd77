// Models of other frameworks: what a file is that is neither ONNX nor TFLite, and the way from it to one that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace byoc {

struct ForeignModel {
  std::string_view name;  // "a Keras model"
  std::string_view way;   // how its owner makes ONNX or TFLite of it
};

// By the bytes of the file, then by the suffix of its name; `path` may be a folder, then without bytes. Nullopt: not
// one that is known.
[[nodiscard]] std::optional<ForeignModel> foreign_model(const std::string& path, std::string_view bytes);

}  // namespace byoc
