#include "sdk/run/simulate/dump.hpp"

#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"

namespace byoc {
namespace {

Json entry(const std::string& name, DType dtype, const std::vector<std::int64_t>& dims, const std::string& file) {
  return {{"name", name}, {"dtype", to_string(dtype)}, {"dims", dims}, {"file", file}};
}

Result<void> add_file(OutputSet& files, const std::string& path, std::span<const std::byte> bytes) {
  return files.add(path, [bytes](int fd) { return write_all(fd, bytes); });
}

const std::string& symbol_of_step(const ModelInterface& model, const StoredTensor& tensor) {
  static const std::string none;
  for (const StepInfo& step : model.steps) {
    for (const StoredTensor& t : step.results) {
      if (t.value == tensor.value) return step.symbol;
    }
  }
  return none;
}

}  // namespace

std::vector<std::byte> gather(std::span<const std::byte> bytes, const StoredTensor& tensor) {
  if (tensor.strides.empty()) return {bytes.begin(), bytes.end()};
  const std::size_t element = bit_width(tensor.dtype) / 8;
  std::uint64_t count = 1;
  for (const std::int64_t d : tensor.dims) count *= static_cast<std::uint64_t>(d);
  std::vector<std::byte> dense(count * element);
  std::vector<std::int64_t> index(tensor.dims.size(), 0);
  std::int64_t offset = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(dense.data() + i * element, bytes.data() + offset, element);
    for (std::size_t k = index.size(); k-- > 0;) {
      offset += tensor.strides[k];
      if (++index[k] < tensor.dims[k]) break;
      offset -= tensor.strides[k] * tensor.dims[k];
      index[k] = 0;
    }
  }
  return dense;
}

void scatter(std::span<const std::byte> dense, const StoredTensor& stored, std::span<std::byte> bytes) {
  if (stored.channels.complete() && stored.strides.empty()) {
    std::copy_n(dense.begin(), std::min(dense.size(), bytes.size()), bytes.begin());
    return;
  }
  const std::size_t element = bit_width(stored.dtype) / 8;
  const ChannelMap& map = stored.channels;
  std::vector<std::int64_t> all = stored.dims, strides = stored.strides;
  if (!map.complete()) all[map.axis] = static_cast<std::int64_t>(map.stored.size());
  if (strides.empty()) {
    strides.resize(all.size());
    std::int64_t stride = static_cast<std::int64_t>(element);
    for (std::size_t k = all.size(); k-- > 0; stride *= stored.dims[k]) strides[k] = stride;
  }
  std::vector<std::int64_t> index(all.size(), 0);
  for (std::size_t i = 0; i + element <= dense.size(); i += element) {
    std::int64_t to = 0;
    bool there = true;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const bool mapped = !map.complete() && k == map.axis;
      const std::int64_t at = mapped ? map.stored[static_cast<std::size_t>(index[k])] : index[k];
      there = there && at >= 0;
      to += at * strides[k];
    }
    if (there && static_cast<std::size_t>(to) + element <= bytes.size())
      std::memcpy(&bytes[static_cast<std::size_t>(to)], &dense[i], element);
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < all[k]) break;
      index[k] = 0;
    }
  }
}

DumpedTensor with_all_channels(const StoredTensor& stored, std::vector<std::byte> bytes) {
  DumpedTensor out{stored, std::move(bytes)};
  if (stored.channels.complete()) return out;
  const ChannelMap& map = stored.channels;
  const std::size_t element = bit_width(stored.dtype) / 8;
  std::size_t outer = 1, inner = element;
  for (std::size_t d = 0; d < stored.dims.size(); ++d)
    (d < map.axis ? outer : inner) *= d == map.axis ? 1 : static_cast<std::size_t>(stored.dims[d]);
  const std::size_t few = inner * static_cast<std::size_t>(stored.dims[map.axis]);
  out.tensor.dims[map.axis] = static_cast<std::int64_t>(map.stored.size());
  std::vector<std::byte> all(outer * inner * map.stored.size());
  std::byte* to = all.data();
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t c = 0; c < map.stored.size(); ++c, to += inner) {
      if (map.stored[c] >= 0) {
        std::memcpy(to, out.bytes.data() + o * few + static_cast<std::size_t>(map.stored[c]) * inner, inner);
        continue;
      }
      const std::int64_t constant = map.constant[c].value_or(0);  // little-endian, as all tensors are
      for (std::size_t i = 0; i < inner; i += element) std::memcpy(to + i, &constant, element);
    }
  out.bytes = std::move(all);
  return out;
}

Result<std::vector<DumpedTensor>> read_dump(std::span<const std::byte> file, const std::vector<DumpPiece>& pieces,
                                            Diagnostics& diags) {
  std::vector<DumpedTensor> dumps;
  for (const DumpPiece& piece : pieces) {
    if (file.size() < piece.bytes)
      return diags.error("dump.bin", piece.tensor->name, "the simulated program wrote too little",
                         std::to_string(file.size()) + " bytes", std::to_string(piece.bytes) + " bytes");
    dumps.push_back(with_all_channels(*piece.tensor, gather(file.first(piece.bytes), *piece.tensor)));
    file = file.subspan(piece.bytes);
  }
  return dumps;
}

std::string dump_file_name(const StoredTensor& tensor, std::size_t position) {
  if (tensor.source_index >= 0) return "t" + std::to_string(tensor.source_index) + ".raw";
  constexpr std::size_t kLongestName = 100;  // leaves room below the 255 bytes that file systems allow
  std::string number = std::to_string(position);
  if (number.size() < 3) number.insert(0, 3 - number.size(), '0');
  return number + "_" + to_identifier(tensor.name).substr(0, kLongestName) + ".raw";
}

std::string shape_json(const IoTensor& output, const std::vector<std::int64_t>& dims) {
  const Json json = {{"name", output.name}, {"dtype", to_string(output.dtype)}, {"dims", dims}};
  return ascii_json_text(json, 2) + "\n";
}

Result<void> add_dumps(const std::string& directory, const ModelInterface& model, const std::vector<Blob>& inputs,
                       const RunResult& result, OutputSet& files) {
  if (!files.make_folders(directory)) return failure;
  Json index = {{"inputs", Json::array()}, {"outputs", Json::array()}, {"tensors", Json::array()}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string file = "input_" + std::to_string(i) + ".raw";
    if (!add_file(files, directory + "/" + file, inputs[i].bytes())) return failure;
    index["inputs"].push_back(entry(model.inputs[i].name, model.inputs[i].dtype, model.inputs[i].dims, file));
  }
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const std::string file = "output_" + std::to_string(i) + ".raw";
    if (!add_file(files, directory + "/" + file, result.outputs[i])) return failure;
    const auto& dims = result.output_dims.empty() ? model.outputs[i].dims : result.output_dims[i];
    index["outputs"].push_back(entry(model.outputs[i].name, model.outputs[i].dtype, dims, file));
  }
  for (std::size_t i = 0; i < result.dumps.size(); ++i) {
    const StoredTensor& tensor = result.dumps[i].tensor;
    const std::string file = dump_file_name(tensor, i);
    if (!add_file(files, directory + "/" + file, result.dumps[i].bytes)) return failure;
    Json described = entry(tensor.name, tensor.dtype, tensor.dims, file);
    described["source_index"] = tensor.source_index;
    described["step"] = symbol_of_step(model, tensor);
    for (std::size_t c = 0; c < tensor.channels.stored.size(); ++c)
      if (tensor.channels.stored[c] < 0 && !tensor.channels.constant[c]) described["not_computed"].push_back(c);
    index["tensors"].push_back(std::move(described));
  }
  const std::string text = ascii_json_text(index, 2) + "\n";
  return files.add(directory + "/index.json", text);
}

}  // namespace byoc
