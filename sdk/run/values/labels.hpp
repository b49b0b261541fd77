// Names of a classifier's classes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct Labels {
  std::string source;  // the file
  std::vector<std::string> names;
};

// A name on each line of a text file; empty lines at its end are none. Errors: no such file, larger than 4 MiB, no
// name.
[[nodiscard]] Result<Labels> read_labels(const std::string& path, Diagnostics&);

// The text files (.txt) of the zip archive at the end of a TFLite model, where TFLite metadata has its associated
// files. What is damaged, encrypted or larger than read_labels() allows is left out: the model runs without it.
[[nodiscard]] std::vector<Labels> labels_in_model(const std::string& path);

// The first with a name for each index of the tensor's last dim; null if there is none.
[[nodiscard]] const Labels* labels_for(std::span<const Labels> labels, const IoTensor& tensor);

}  // namespace byoc
