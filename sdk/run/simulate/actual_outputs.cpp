#include "sdk/run/simulate/actual_outputs.hpp"

#include <cstring>

#include "sdk/run/simulate/dump.hpp"

namespace byoc {

Result<std::vector<ActualOutput>> actual_outputs(const ModelInterface& model,
                                                 std::vector<std::vector<std::byte>> buffers, Diagnostics& diags) {
  std::vector<ActualOutput> out(model.output_count());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const IoTensor& output = model.outputs[i];
    StoredTensor cut;
    cut.dtype = output.dtype;
    cut.dims = output.dims;
    for (const CountedLength& c : output.counted) {
      std::int32_t count = -1;
      if (buffers[c.output].size() == sizeof count) std::memcpy(&count, buffers[c.output].data(), sizeof count);
      if (count < 0 || count > output.dims[c.dim])
        return diags.error({}, output.name, "the count of dim " + std::to_string(c.dim) + " is out of range",
                           std::to_string(count), "0 to " + std::to_string(output.dims[c.dim]));
      cut.dims[c.dim] = count;
    }
    if (!output.counted.empty()) {
      std::int64_t stride = bit_width(output.dtype) / 8;
      bool fits = true;
      cut.strides.resize(output.dims.size());
      for (std::size_t d = output.dims.size(); d-- > 0;) {
        cut.strides[d] = stride;
        fits = fits && !__builtin_mul_overflow(stride, output.dims[d], &stride);
      }
      if (!fits || static_cast<std::uint64_t>(stride) != buffers[i].size())
        return diags.error({}, output.name, "the buffer has another size than its dims say",
                           std::to_string(buffers[i].size()) + " bytes");
    }
    out[i].bytes = output.counted.empty() ? std::move(buffers[i]) : gather(buffers[i], cut);
    out[i].dims = std::move(cut.dims);
  }
  return out;
}

Result<void> keep_actual(const ModelInterface& model, const std::vector<std::vector<std::byte>>& buffers,
                         RunResult& result, Diagnostics& diags) {
  const auto each = static_cast<std::ptrdiff_t>(model.outputs.size());
  result.outputs.clear();
  for (auto run = buffers.begin(); run != buffers.end(); run += each) {
    auto outputs = actual_outputs(model, {run, run + each}, diags);
    if (!outputs) return failure;
    for (ActualOutput& o : *outputs) {
      result.outputs.push_back(std::move(o.bytes));
      result.output_dims.push_back(std::move(o.dims));
    }
  }
  return {};
}

}  // namespace byoc
