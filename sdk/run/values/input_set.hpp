// Assigns values to the inputs of a model from the files that a user names: files for one input, by position or by
// name, and files and folders with several.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/run/values/fill.hpp"

namespace byoc {

// `given`, in order; each is one of
//   FILE          the next input that has no value yet (read_input() has the list of formats)
//   NAME=FILE     the input of that name, as the model or its header calls it
//   FILE.npz      inputs by the names in it; arr_0, arr_1 ... by position
//   FOLDER        input_0.pb, input_1.npy, input_2.raw ...: by position
// When every input has a value, the next one begins another run. Missing values are made by `fill`. Without `fill`, a
// run without any value gets zeros, and a run with some values missing is an error. The result has one blob for each
// input of each run. Errors: those of read_input(); a name that no input has (the inputs are listed), an input that is
// given twice, a folder or archive without values for this model, one that has too many.
[[nodiscard]] Result<std::vector<Blob>> read_inputs(std::span<const std::string> given, const ModelInterface& model,
                                                    const std::optional<Fill>& fill, Diagnostics&);

// The source of a value, before anything but archives is read.
struct InputOrigin {
  std::string file = {};           // to be read
  std::optional<Blob> array = {};  // of a .npz
  std::string from = {};           // what the user said; "": nothing, it is to be made
};
// The sources for each input of each run of the model called `name`. `fills`: missing values are to be made.
[[nodiscard]] Result<std::vector<InputOrigin>> assign_inputs(std::span<const std::string> given,
                                                             const std::string& name,
                                                             const std::vector<IoTensor>& inputs, bool fills,
                                                             Diagnostics&);

// The files that are read: those of folders are looked for now.
[[nodiscard]] std::vector<std::string> files_of_inputs(std::span<const std::string> given);

// Adds the arrays of a .npz to `to`, by position of the inputs. Error: see above.
Result<void> read_npz(const std::string& path, const std::vector<IoTensor>& inputs, std::vector<InputOrigin>& to,
                      Diagnostics&);

// "'input_1' (i8 1x49x10x1), ..."
[[nodiscard]] std::string list_tensors(const std::vector<IoTensor>& tensors);
// "; did you mean X?" of the tensor's name or its name in C; "" where none is near.
[[nodiscard]] std::string nearest_tensor(const std::vector<IoTensor>& tensors, std::string_view name);
// The position of the tensor of this name; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> find_tensor(const std::vector<IoTensor>& tensors, std::string_view name);

}  // namespace byoc
