#include "sdk/app/cli/run_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/ir/packed_elements.hpp"
#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/value_files.hpp"

namespace byoc::cli {
namespace {

// Elements as numbers, whatever their type; bools as their bytes.
std::vector<double> to_numbers(const IoTensor& t, std::span<const std::byte> bytes) {
  std::vector<double> out;
  if (is_small(t.dtype)) {
    std::size_t count = 1;
    for (const std::int64_t d : t.dims) count *= static_cast<std::size_t>(d);
    for (const unsigned code : ir::unpack(bytes, bit_width(t.dtype), count))
      out.push_back(evaluate::small_value(t.dtype, code));
    return out;
  }
  const auto append = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      out.push_back(evaluate::widen(value));
    }
  };
  if (t.dtype == DType::boolean || !evaluate::dispatch(t.dtype, append)) append.operator()<std::uint8_t>();
  return out;
}

const char* format_of(const IoTensor& t) { return element_row(t.dtype).kind == ElementKind::real ? "%g" : "%.0f"; }

// "[3]", "[0, 12]"; the dims of 1 in front are left out.
std::string index_text(const IoTensor& t, std::size_t index) {
  std::vector<std::size_t> at(t.dims.size());
  for (std::size_t i = t.dims.size(); i-- > 0; index /= static_cast<std::size_t>(t.dims[i]))
    at[i] = index % static_cast<std::size_t>(t.dims[i]);
  std::string out;
  bool leading = true;
  for (std::size_t i = 0; i < at.size(); ++i) {
    leading = leading && t.dims[i] == 1 && i + 1 < at.size();
    if (!leading) out += (out.empty() ? "" : ", ") + std::to_string(at[i]);
  }
  return "[" + out + "]";
}

constexpr std::size_t kShown = 12;  // elements of an output

// The first of them: the others are not even converted.
void show_numbers(IoTensor t, std::span<const std::byte> bytes) {
  std::size_t count = 1;
  for (const std::int64_t d : t.dims) count *= static_cast<std::size_t>(d);
  const std::size_t shown = std::min(count, kShown);
  t.dims = {static_cast<std::int64_t>(shown)};
  const std::string format = std::string(" ") + format_of(t);
  for (const double v : to_numbers(t, bytes.first(std::min(bytes.size(), (shown * bit_width(t.dtype) + 7) / 8))))
    std::printf(format.c_str(), v);
  std::printf(count > kShown ? " ... (%zu values)\n" : "\n", count);
}

// Prints an output; if only a run tells its shape, with the shape.
void show_output(const IoTensor& t, std::span<const std::byte> bytes) {
  std::string dims;
  for (const std::int64_t d : t.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
  std::printf("output %s%s:", t.name.c_str(), t.counted.empty() ? "" : (" [" + dims + "]").c_str());
  show_numbers(t, bytes);
}

}  // namespace

IoTensor as_tensor(const std::string& name, const HostValue& value) {
  IoTensor out;
  out.name = name;
  out.dtype = value.dtype;
  out.dims = value.dims;
  out.bytes = value.bytes.size();
  return out;
}

IoTensor output_of(const ModelInterface& model, const RunResult& result, std::size_t i) {
  IoTensor out = model.outputs[i % model.output_count()];
  if (i < result.output_dims.size()) out.dims = result.output_dims[i];
  return out;
}

void show_top(const IoTensor& t, std::span<const std::byte> bytes, std::size_t most) {
  const std::vector<double> values = to_numbers(t, bytes);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // NaN is no largest value: it comes last.
  const auto key = [&](std::size_t i) { return std::isnan(values[i]) ? -INFINITY : values[i]; };
  const std::size_t shown = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  std::printf("top %zu of %s:", shown, t.name.c_str());
  const std::string format = std::string(" %s ") + format_of(t);
  for (std::size_t i = 0; i < shown; ++i) {
    std::printf(i == 0 ? "" : ",");
    std::printf(format.c_str(), index_text(t, order[i]).c_str(), values[order[i]]);
  }
  std::printf("\n");
}

void show_times(std::vector<std::uint64_t> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  const auto micro = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; };
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  std::printf("time of one inference, of %zu: shortest %.1f, median %.1f, mean %.1f, longest %.1f us\n", times.size(),
              micro(times.front()), micro(times[times.size() / 2]), sum / static_cast<double>(times.size()) / 1000,
              micro(times.back()));
}

void show_value(const std::string& name, const HostValue& value) {
  std::printf("output %s: %s", name.c_str(), type_text(value).c_str());
  if (value.kind == HostValue::Kind::tensor && value.dtype != DType::string)
    return show_numbers(as_tensor(name, value), value.bytes);
  for (std::size_t i = 0; i < std::min(value.texts.size(), kShown); ++i) std::printf(" \"%s\"", value.texts[i].c_str());
  std::printf(value.texts.size() > kShown ? " ... (%zu values)\n" : "\n", value.texts.size());
  for (std::size_t i = 0; i < std::min(value.items.size(), kShown); ++i)
    show_value(name + "[" + std::to_string(i) + "]", value.items[i]);
}

Result<std::vector<HostValue>> outputs_of_run(const ModelInterface& model, const RunResult& result, std::size_t run,
                                              Diagnostics& diags) {
  const std::size_t each = model.output_count();
  std::vector<std::vector<std::int64_t>> dims;
  for (std::size_t i = 0; i < each; ++i) dims.push_back(output_of(model, result, run * each + i).dims);
  return own_outputs(model, dims, std::span(result.outputs).subspan(run * each, each), diags);
}

void show_outputs(const ModelInterface& model, const RunResult& result) {
  const std::size_t each = model.output_count();
  if (has_bounded(model, true) && each != 0) {
    Diagnostics ignored;  // they are told when files are written
    const std::vector<BoundedValue> own = own_values(model, true);
    for (std::size_t run = 0; run < result.outputs.size() / each; ++run) {
      if (result.outputs.size() > each) std::printf("run %zu\n", run);
      const auto values = outputs_of_run(model, result, run, ignored);
      for (std::size_t i = 0; values && i < own.size(); ++i) show_value(own[i].name, (*values)[i]);
    }
    return;
  }
  const bool several = result.outputs.size() > each;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (several && i % each == 0) std::printf("run %zu\n", i / each);
    show_output(output_of(model, result, i), result.outputs[i]);
  }
}

}  // namespace byoc::cli
