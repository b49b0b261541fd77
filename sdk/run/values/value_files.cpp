#include "sdk/run/values/value_files.hpp"

#include <nlohmann/json.hpp>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/run/values/output_npy.hpp"

namespace byoc {
namespace {

Json describe(const HostValue& value) {
  Json out;
  if (value.kind == HostValue::Kind::tensor) {
    out["dtype"] = std::string(to_string(value.dtype));
    out["dims"] = value.dims;
    if (value.dtype == DType::string) out["texts"] = value.texts;
    return out;
  }
  out["kind"] = value.kind == HostValue::Kind::sequence ? "sequence" : "optional";
  out["items"] = Json::array();
  for (const HostValue& item : value.items) out["items"].push_back(describe(item));
  return out;
}

std::string file_text(const Json& json) { return json_text(json, 2) + "\n"; }

// `stem` without an end: output_0 of an output, output_0/1 of an item in it.
Result<void> add(const std::string& stem, const HostValue& value, const std::string& form, OutputSet& files) {
  if (value.kind == HostValue::Kind::tensor && value.dtype == DType::string)
    return files.add(stem + ".json", file_text(describe(value)));
  if (value.kind == HostValue::Kind::tensor) {
    IoTensor tensor;
    tensor.dtype = value.dtype;
    tensor.dims = value.dims;
    tensor.bytes = value.bytes.size();
    const std::vector<std::byte> npy = form == "npy" ? npy_file(tensor, value.bytes) : std::vector<std::byte>();
    return files.add(stem + "." + form, [&](int fd) { return write_all(fd, form == "npy" ? npy : value.bytes); });
  }
  if (!files.make_folders(stem)) return failure;
  for (std::size_t i = 0; i < value.items.size(); ++i)
    if (!add(stem + "/" + std::to_string(i), value.items[i], form, files)) return failure;
  return files.add(stem + "/index.json", file_text(describe(value)));
}

}  // namespace

Result<void> add_values(const std::string& directory, std::span<const HostValue> values,
                        std::span<const ValueInfo> outputs, const std::string& form, OutputSet& files) {
  if (!files.make_folders(directory)) return failure;
  Json all = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!add(directory + "/output_" + std::to_string(i), values[i], form, files)) return failure;
    Json one;
    one["name"] = outputs[i].name;
    one.update(describe(values[i]));
    one.erase("texts");
    all.push_back(std::move(one));
  }
  return files.add(directory + "/outputs.json", file_text(all));
}

std::string type_text(const HostValue& value) {
  if (value.kind != HostValue::Kind::tensor)
    return std::string(value.kind == HostValue::Kind::sequence ? "sequence" : "optional") + " of " +
           std::to_string(value.items.size());
  std::string out;
  for (const std::int64_t d : value.dims) out += (out.empty() ? "" : ",") + std::to_string(d);
  return std::string(to_string(value.dtype)) + "[" + out + "]";
}

}  // namespace byoc
