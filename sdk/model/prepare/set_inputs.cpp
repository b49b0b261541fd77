#include "sdk/model/prepare/set_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sdk/base/support/nearest.hpp"
#include "sdk/model/ir/text_elements.hpp"

namespace byoc {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

Result<void> set_input(ir::Graph& graph, ir::ValueId v, const std::string& text, Diagnostics& diags) {
  ir::Value& value = graph.values[v];
  const auto wrong = [&](const std::string& message, const std::string& found, const std::string& expected) {
    return diags.error(graph.file, value.name, message, found, expected);
  };
  if (!value.type.is_static() || !value.type.is_tensor())
    return wrong("an input that is set needs a known shape", to_string(value.type, graph), "lengths, bound with --dim");
  const std::vector<std::string_view> words = split(text);
  const auto count = static_cast<std::size_t>(value.type.elements());
  if (words.size() != 1 && words.size() != count)
    return wrong("an input is set to another number of elements than it has", std::to_string(words.size()),
                 count == 1 ? "1" : "1 or " + std::to_string(count));
  Result<void> done;
  const bool known = ir::text::with_element_type(value.type.dtype, [&](auto element) {
    std::vector<std::byte> bytes(count * sizeof element);
    for (std::size_t i = 0; i < words.size() && done; ++i) {
      const bool fits = ir::text::read_number(words[i], element) &&
                        (value.type.dtype != DType::boolean || element == 0 || element == 1);
      if (!fits)
        done = wrong("an input is set to what is no element of it", "'" + std::string(words[i]) + "'",
                     std::string(to_string(value.type.dtype)));
      for (std::size_t k = i; k < count && (k == i || words.size() == 1); ++k)
        std::memcpy(bytes.data() + k * sizeof element, &element, sizeof element);
    }
    value.constant.emplace().bytes = Blob::own(std::move(bytes));
  });
  if (!known)
    return wrong("an input of this type cannot be set", std::string(to_string(value.type.dtype)),
                 "numbers of 8 bits or more, and no 16-bit floats");
  if (done) std::erase(graph.inputs, v);
  return done;
}

}  // namespace

Result<void> set_inputs(ir::Graph& graph, const std::map<std::string, std::string>& values, Diagnostics& diags) {
  for (const auto& [name, text] : values) {
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                    [&](ir::ValueId v) { return graph.values[v].name == name; });
    if (found == graph.inputs.end()) {
      std::string known;
      std::vector<std::string> names;
      for (const ir::ValueId v : graph.inputs) {
        names.push_back(graph.values[v].name);
        known += (known.empty() ? "'" : ", '") + names.back() + "'";
      }
      return diags.error(graph.file, {}, "the model has no input of this name" + did_you_mean(name, names), name,
                         known.empty() ? "none" : known);
    }
    if (!set_input(graph, *found, text, diags)) return failure;
  }
  return {};
}

}  // namespace byoc
