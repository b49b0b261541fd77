#include "sdk/run/values/input_set.hpp"

#include <array>
#include <cstring>
#include <filesystem>

#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/nearest.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_value.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

constexpr std::array kEndings{".pb", ".npy", ".raw", ".bin"};

// "set/input_1.npy"; "" where there is none.
std::string file_in_folder(const std::string& folder, std::size_t index) {
  for (const char* ending : kEndings)
    if (std::string path = folder + "/input_" + std::to_string(index) + ending; is_file(path)) return path;
  return {};
}

class Runs {
 public:
  Runs(const std::string& name, const std::vector<IoTensor>& inputs, Diagnostics& diags)
      : name_(name), inputs_(inputs), diags_(diags), now_(inputs.size()) {}

  Result<void> add(const std::string& given) {
    if (is_full()) end_run();
    const std::size_t equals = given.find('=');
    if (is_folder(given)) return add_folder(given);
    if (given.ends_with(".npz")) return read_npz(given, inputs_, now_, diags_);
    if (equals == std::string::npos || is_file(given)) return add_next(given);
    const auto index = find_tensor(inputs_, std::string_view(given).substr(0, equals));
    if (!index)
      return diags_.error(name_, "--input", "no input has this name" + nearest_tensor(inputs_, given.substr(0, equals)),
                          "'" + given.substr(0, equals) + "'", list_tensors(inputs_));
    return add_file(given.substr(equals + 1), *index, given);
  }

  Result<std::vector<InputOrigin>> finish(std::size_t given, bool fills) {
    std::string missing;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i].from.empty()) missing += (missing.empty() ? "'" : ", '") + inputs_[i].name + "'";
    if (!missing.empty() && !fills && given != 0)
      return diags_.error(
          name_, "--input", "one --input for each input of the model is needed, for each run", std::to_string(given),
          std::to_string(now_.size()) + " or a multiple of it; " + missing + " has none, nor is there a --fill");
    end_run();
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool is_full() const {
    for (const InputOrigin& o : now_)
      if (o.from.empty()) return false;
    return !now_.empty();
  }

  void end_run() {
    for (InputOrigin& o : now_) all_.push_back(std::move(o));
    now_ = std::vector<InputOrigin>(inputs_.size());
  }

  Result<void> add_next(const std::string& file) {
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i].from.empty()) return add_file(file, i, file);
    return diags_.error(name_, "--input", "the model has no inputs", file);
  }

  Result<void> add_file(const std::string& file, std::size_t index, const std::string& given) {
    if (!now_[index].from.empty())
      return diags_.error(name_, "--input", "an input is given twice", now_[index].from + " and " + given,
                          "one value for '" + inputs_[index].name + "'");
    now_[index] = {file, {}, given};
    return {};
  }

  Result<void> add_folder(const std::string& folder) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const std::string file = file_in_folder(folder, i);
      if (file.empty()) continue;
      ++found;
      if (!add_file(file, i, folder)) return failure;
    }
    if (found == 0)
      return diags_.error(folder, "--input", "the folder has no inputs", {},
                          "input_0.pb (or .npy, .raw, .bin), for " + list_tensors(inputs_));
    if (const std::string more = file_in_folder(folder, now_.size()); !more.empty())
      return diags_.error(more, "--input", "the model has no input for it", {}, list_tensors(inputs_));
    return {};
  }

  const std::string& name_;
  const std::vector<IoTensor>& inputs_;
  Diagnostics& diags_;
  std::vector<InputOrigin> now_;  // of the run that is not complete
  std::vector<InputOrigin> all_;
};

}  // namespace

std::string list_tensors(const std::vector<IoTensor>& tensors) {
  std::string out;
  for (const IoTensor& t : tensors)
    out +=
        (out.empty() ? "'" : ", '") + t.name + "' (" + std::string(to_string(t.dtype)) + " " + shape_text(t.dims) + ")";
  return out.empty() ? "none" : out;
}

std::string nearest_tensor(const std::vector<IoTensor>& tensors, std::string_view name) {
  std::vector<std::string> names;
  for (const IoTensor& t : tensors) names.insert(names.end(), {t.name, t.field});
  return did_you_mean(name, names);
}

std::optional<std::size_t> find_tensor(const std::vector<IoTensor>& tensors, std::string_view name) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].field == name) return i;
  return std::nullopt;
}

Result<std::vector<InputOrigin>> assign_inputs(std::span<const std::string> given, const std::string& name,
                                               const std::vector<IoTensor>& inputs, bool fills, Diagnostics& diags) {
  Runs runs(name, inputs, diags);
  for (const std::string& g : given)
    if (!runs.add(g)) return failure;
  return runs.finish(given.size(), fills);
}

namespace {

Result<Blob> read_tensor(InputOrigin& o, const IoTensor& input, std::size_t index, const std::optional<Fill>& fill,
                         Diagnostics& diags) {
  return o.array          ? Result<Blob>(std::move(*o.array))
         : o.from.empty() ? Result<Blob>(Blob::own(filled(fill.value_or(Fill{}), input, index)))
                          : read_input(o.file, input, diags);
}

// The tensors by which the user names the values.
std::vector<IoTensor> named_tensors(const ModelInterface& model, const std::vector<BoundedValue>& own) {
  std::vector<IoTensor> out;
  for (const BoundedValue& value : own) {
    IoTensor& t = out.emplace_back();
    if (value.elements != 0) t = model.inputs[value.first];
    t.name = value.name;
    if (value.is_sequence || value.elements == 0) t.field = to_identifier(value.name);
  }
  return out;
}

// A value that nobody gives: nothing, or with a fill that is not of zeros as much as there is room for.
void make_value(const ModelInterface& model, const BoundedValue& value, const Fill& fill,
                std::span<std::vector<std::byte>> buffers) {
  for (std::uint32_t i = value.first; i < value.first + value.elements; ++i)
    buffers[i] = value.is_text() ? std::vector<std::byte>(model.inputs[i].bytes) : filled(fill, model.inputs[i], i);
  const bool full = fill.kind != FillKind::zeros;
  if (value.given) buffers[*value.given] = {full ? std::byte{1} : std::byte{0}};
  if (!value.count) return;
  const auto count = static_cast<std::int32_t>(full ? value.elements : 0);
  buffers[*value.count].resize(sizeof count);
  std::memcpy(buffers[*value.count].data(), &count, sizeof count);
}

// Reads the inputs of a model that has sequences, optionals or strings.
Result<std::vector<Blob>> read_bounded(std::span<const std::string> given, const ModelInterface& model,
                                       const std::optional<Fill>& fill, Diagnostics& diags) {
  const std::vector<BoundedValue> own = own_values(model, false);
  const std::vector<IoTensor> tensors = named_tensors(model, own);
  auto origins = assign_inputs(given, model.name, tensors, fill.has_value(), diags);
  if (!origins) return failure;
  std::vector<Blob> out;
  std::vector<std::vector<std::byte>> buffers(model.inputs.size());
  for (std::size_t k = 0; k < origins->size(); ++k) {
    InputOrigin& o = (*origins)[k];
    const BoundedValue& value = own[k % own.size()];
    const bool is_plain = !value.is_sequence && !value.is_optional && !value.is_text();
    if (is_plain) {
      const auto blob = read_tensor(o, model.inputs[value.first], value.first, fill, diags);
      if (!blob) return failure;
      buffers[value.first].assign(blob->bytes().begin(), blob->bytes().end());
    } else if (o.array) {
      return diags.error(o.from, value.name, "an archive of numpy holds no value of this kind", {}, "a .pb file");
    } else if (o.from.empty()) {
      make_value(model, value, fill.value_or(Fill{}), buffers);
    } else {
      const auto read = value_of_file(o.file, info_of(model, value), diags);
      if (!read || !spread_value(model, value, *read, buffers, diags)) return failure;
    }
    if (k % own.size() + 1 != own.size()) continue;
    for (std::vector<std::byte>& b : buffers) out.push_back(Blob::own(std::move(b)));
    buffers.assign(model.inputs.size(), {});
  }
  return out;
}

}  // namespace

Result<std::vector<Blob>> read_inputs(std::span<const std::string> given, const ModelInterface& model,
                                      const std::optional<Fill>& fill, Diagnostics& diags) {
  if (has_bounded(model, false)) return read_bounded(given, model, fill, diags);
  auto origins = assign_inputs(given, model.name, model.inputs, fill.has_value(), diags);
  if (!origins) return failure;
  std::vector<Blob> out;
  for (std::size_t k = 0; k < origins->size(); ++k) {
    const std::size_t i = k % model.inputs.size();
    auto blob = read_tensor((*origins)[k], model.inputs[i], i, fill, diags);
    if (!blob) return failure;
    out.push_back(std::move(*blob));
  }
  return out;
}

std::vector<std::string> files_of_inputs(std::span<const std::string> given) {
  std::vector<std::string> out;
  for (const std::string& g : given) {
    if (is_folder(g)) {
      for (std::size_t i = 0;; ++i) {
        const std::string file = file_in_folder(g, i);
        if (file.empty()) break;
        out.push_back(file);
      }
    } else if (const std::size_t equals = g.find('='); equals != std::string::npos && !is_file(g)) {
      out.push_back(g.substr(equals + 1));
    } else {
      out.push_back(g);
    }
  }
  return out;
}

}  // namespace byoc
