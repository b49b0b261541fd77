#include "sdk/app/cli/run_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "sdk/run/values/bounded_values.hpp"
#include "sdk/run/values/numbers.hpp"
#include "sdk/run/values/value_files.hpp"

namespace byoc::cli {
namespace {

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
  for (const double v : numbers_of(t, bytes.first(std::min(bytes.size(), (shown * bit_width(t.dtype) + 7) / 8))))
    std::printf(format.c_str(), v);
  std::printf(count > kShown ? " ... (%zu values)\n" : "\n", count);
}

// Prints what the first integers of a quantised output stand for.
void show_real_values(const IoTensor& t, std::span<const std::byte> bytes) {
  IoTensor first = t;
  std::size_t count = 1;
  for (const std::int64_t d : t.dims) count *= static_cast<std::size_t>(d);
  first.dims = {static_cast<std::int64_t>(std::min(count, kShown))};
  std::printf("  as real values:");
  for (const double v : numbers_of(first, bytes.first(std::min(bytes.size(), (kShown * bit_width(t.dtype) + 7) / 8))))
    std::printf(" %g", real_value(t, v));
  const Quantisation& q = t.quantisation;
  std::printf("%s (scale %g, zero point %lld)\n", count > kShown ? " ..." : "", static_cast<double>(q.scales[0]),
              q.zero_points.empty() ? 0LL : static_cast<long long>(q.zero_points[0]));
}

// Prints an output; if only a run tells its shape, with the shape.
void show_output(const IoTensor& t, std::span<const std::byte> bytes) {
  std::string dims;
  for (const std::int64_t d : t.dims) dims += (dims.empty() ? "" : ",") + std::to_string(d);
  std::printf("output %s%s:", t.name.c_str(), t.counted.empty() ? "" : (" [" + dims + "]").c_str());
  show_numbers(t, bytes);
  if (has_scale(t)) show_real_values(t, bytes);
}

// The indices of the `most` largest values. NaN is no largest value: it comes last.
std::vector<std::size_t> largest_first(const std::vector<double>& values, std::size_t most) {
  const auto key = [&](std::size_t i) { return std::isnan(values[i]) ? -INFINITY : values[i]; };
  std::vector<std::size_t> order(std::min(most, values.size()));
  std::vector<std::size_t> all(values.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::partial_sort_copy(all.begin(), all.end(), order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  return order;
}

void show_top(const IoTensor& t, std::span<const std::byte> bytes, std::size_t most, const Labels* labels) {
  const std::vector<double> values = numbers_of(t, bytes);
  const std::vector<std::size_t> order = largest_first(values, most);
  std::printf("top %zu of %s:", order.size(), t.name.c_str());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = order[i];
    std::printf("%s %s ", i == 0 ? "" : ",", index_text(t, at).c_str());
    if (labels != nullptr) std::printf("'%s' ", labels->names[at % labels->names.size()].c_str());
    std::printf(format_of(t), values[at]);
    if (has_scale(t)) std::printf(" (%g)", real_value(t, values[at]));
  }
  std::printf("\n");
}

}  // namespace

bool has_classes(const IoTensor& t, std::span<const std::byte> bytes, std::span<const Labels> labels) {
  const auto others = std::count_if(t.dims.begin(), t.dims.end(), [](std::int64_t d) { return d != 1; });
  if (others != 1 || t.dims.back() < 2) return false;
  if (labels_for(labels, t) != nullptr) return true;
  if (element_row(t.dtype).kind != ElementKind::real && !has_scale(t)) return false;
  double sum = 0;
  const std::vector<double> values = numbers_of(t, bytes);
  for (const double v : values) {
    const double real = real_value(t, v);
    if (!(real >= 0 && real <= 1)) return false;
    sum += real;
  }
  const double step = has_scale(t) ? static_cast<double>(t.quantisation.scales[0]) : 0;
  return std::fabs(sum - 1) <= std::min(0.01 + step / 2 * static_cast<double>(values.size()), 0.5);
}

void TopValues::show(const IoTensor& t, std::span<const std::byte> bytes) const {
  constexpr std::size_t kOfClasses = 3;
  if (most ? *most != 0 : has_classes(t, bytes, labels))
    show_top(t, bytes, most.value_or(kOfClasses), labels_for(labels, t));
}

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
