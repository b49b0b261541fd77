#include "sdk/run/values/reference.hpp"

#include <array>
#include <filesystem>

#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_set.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOption = "--reference";

class Files {
 public:
  Files(std::span<const RunOutput> outputs, Diagnostics& diags)
      : outputs_(outputs), diags_(diags), files_(outputs.size()) {}

  Result<void> add(const std::string& given) {
    std::error_code ignored;
    if (fs::is_directory(given, ignored)) return add_folder(given);
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || fs::exists(given, ignored)) return add_next(given);
    return add_named(given.substr(0, equals), given.substr(equals + 1));
  }

  [[nodiscard]] const std::vector<std::string>& all() const { return files_; }

 private:
  [[nodiscard]] std::vector<IoTensor> tensors() const {
    std::vector<IoTensor> out;
    for (const RunOutput& o : outputs_)
      if (o.run == 0) out.push_back(o.tensor);
    return out;
  }

  Result<void> add_next(const std::string& file) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].empty()) continue;
      files_[i] = file;
      return {};
    }
    return diags_.error(file, kOption, "no output is left for it", {}, list_tensors(tensors()));
  }

  Result<void> add_named(const std::string& name, const std::string& file) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const IoTensor& t = outputs_[i].tensor;
      if ((t.name != name && t.field != name) || !files_[i].empty()) continue;
      files_[i] = file;
      return {};
    }
    return diags_.error(file, kOption, "no output without a file has this name" + nearest_tensor(tensors(), name),
                        "'" + name + "'", list_tensors(tensors()));
  }

  Result<void> add_folder(const std::string& folder) {
    constexpr std::array kOutputEndings{".npy", ".pb", ".raw", ".bin"};
    bool found = false;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const char* ending : kOutputEndings) {
        const std::string file = folder + "/output_" + std::to_string(i) + ending;
        std::error_code ignored;
        if (!files_[i].empty() || !fs::exists(file, ignored)) continue;
        files_[i] = file;
        found = true;
      }
    }
    if (found) return {};
    return diags_.error(folder, kOption, "the folder has no outputs", {},
                        "output_0.npy (or .pb, .raw, .bin), for " + list_tensors(tensors()));
  }

  std::span<const RunOutput> outputs_;
  Diagnostics& diags_;
  std::vector<std::string> files_;  // of each output; "": none
};

}  // namespace

Result<std::vector<OutputDifference>> compare_with_files(std::span<const std::string> given,
                                                         std::span<const RunOutput> outputs, const Bound& bound,
                                                         Diagnostics& diags) {
  Files files(outputs, diags);
  for (const std::string& g : given)
    if (!files.add(g)) return failure;
  std::vector<OutputDifference> out;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& file = files.all()[i];
    if (file.empty()) continue;
    IoTensor tensor = outputs[i].tensor;
    tensor.bytes = outputs[i].bytes.size();
    const auto expected = read_input(file, tensor, diags);
    if (!expected) return failure;
    out.push_back(difference_of(tensor, outputs[i].bytes, expected->bytes(), bound));
    out.back().run = outputs[i].run;
  }
  return out;
}

}  // namespace byoc
