// Entries of TensorFlow Lite Micro's signal library. States are values like any other here.
#include <algorithm>
#include <cstring>

#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

ir::TensorType plain(DType dtype, Dims dims) { return {dtype, std::move(dims), std::nullopt}; }

ir::ValueId any_row(Builder& b, DType dtype, std::int64_t least = 1) {
  return b.any(
      [&](const ir::TensorType& t) {
        return t.dtype == dtype && !t.quantisation && t.dims->size() == 1 && (*t.dims)[0] >= least &&
               (*t.dims)[0] <= 300;
      },
      [&] { return plain(dtype, {std::max(least, b.choice.integer(1, 40))}); });
}

// Rows of at most `most` elements.
ir::ValueId any_rows(Builder& b, DType dtype, std::int64_t most) {
  return b.any(
      [&](const ir::TensorType& t) {
        return t.dtype == dtype && !t.quantisation && !t.dims->empty() && t.dims->back() >= 1 && t.dims->back() <= most;
      },
      [&] {
        Dims dims = b.shape(0, 2);
        dims.push_back(b.choice.integer(1, most));
        return plain(dtype, dims);
      });
}

void signal_window(Builder& b, const std::string& op) {
  const ir::ValueId x = any_rows(b, DType::i16, 60);
  std::int64_t length = b.dims(x).back();
  if (length % 2 == 0 && b.choice.one_in(3)) length /= 2;
  b.add(op, {x, b.constant(DType::i16, {length})}, {{"shift", b.choice.integer(0, 31)}});
}

void signal_auto_scale(Builder& b, const std::string& op) {
  b.add(op, {any_row(b, DType::i16)}, {}, {std::nullopt, std::nullopt});
}

void signal_rfft(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::i16, DType::i16, DType::i32, DType::f32};
  const ir::ValueId x = any_rows(b, b.choice.of(kTypes), 60);
  const std::int64_t more = b.choice.one_in(2) ? 0 : b.choice.integer(0, 20);
  b.add(op, {x}, {{"fft_length", (b.dims(x).back() + more + 1) / 2 * 2}});
}

void signal_irfft(Builder& b, const std::string& op) {
  static const std::vector<DType> kTypes = {DType::i16, DType::i16, DType::i32, DType::f32};
  const DType dtype = b.choice.of(kTypes);
  const ir::ValueId x = b.any(
      [&](const ir::TensorType& t) {
        return t.dtype == dtype && !t.quantisation && !t.dims->empty() && t.dims->back() >= 4 && t.dims->back() <= 80 &&
               t.dims->back() % 2 == 0;
      },
      [&] {
        Dims dims = b.shape(0, 2);
        dims.push_back(2 * b.choice.integer(2, 34));
        return plain(dtype, dims);
      });
  b.add(op, {x}, {{"fft_length", b.dims(x).back() - 2}});
}

void signal_energy(Builder& b, const std::string& op) {
  const ir::ValueId x = any_row(b, DType::i16, 2);
  const std::int64_t end = b.choice.integer(0, b.dims(x)[0] / 2);
  b.add(op, {x}, {{"start_index", b.choice.integer(0, end)}, {"end_index", end}});
}

ir::ValueId shorts(Builder& b, const std::vector<std::int16_t>& values) {
  std::vector<std::byte> bytes(values.size() * 2);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return b.graph.add_constant({}, plain(DType::i16, {static_cast<std::int64_t>(values.size())}),
                              Blob::own(std::move(bytes)));
}

void signal_filter_bank(Builder& b, const std::string& op) {
  const ir::ValueId x = any_row(b, DType::u32);
  const std::int64_t channels = b.choice.integer(1, 6);
  std::vector<std::int16_t> bins, places, widths;
  std::int64_t weights = 0;
  for (std::int64_t band = 0; band <= channels; ++band) {
    const std::int64_t bin = b.choice.integer(0, b.dims(x)[0] - 1);
    const std::int64_t width = b.choice.integer(0, std::min<std::int64_t>(b.dims(x)[0] - bin, 5));
    bins.push_back(static_cast<std::int16_t>(bin));
    places.push_back(static_cast<std::int16_t>(weights));
    widths.push_back(static_cast<std::int16_t>(width));
    weights += width;
  }
  const Dims all{std::max<std::int64_t>(weights, 1)};
  b.add(op,
        {x, b.constant(DType::i16, all), b.constant(DType::i16, all), shorts(b, bins), shorts(b, places),
         shorts(b, widths)},
        {{"num_channels", channels}});
}

void signal_square_root(Builder& b, const std::string& op) {
  const ir::ValueId shift = b.choice.one_in(4) ? b.input(plain(DType::i32, {})) : b.any_of(DType::i32, 0, 0);
  b.add(op, {any_row(b, DType::u64), shift});
}

void signal_subtraction(Builder& b, const std::string& op) {
  const ir::ValueId x = any_row(b, DType::u32);
  Builder::Attributes attributes{{"clamping", b.choice.integer(0, 1)},
                                 {"smoothing_bits", b.choice.integer(0, 31)},
                                 {"spectral_subtraction_bits", b.choice.integer(0, 63)}};
  for (const char* name : {"smoothing", "one_minus_smoothing", "alternate_smoothing", "alternate_one_minus_smoothing",
                           "min_signal_remaining"})
    attributes[name] = b.choice.integer(0, 1 << b.choice.integer(0, 30));
  b.add(op, {x, b.same_type(b.type(x))}, std::move(attributes), {std::nullopt, std::nullopt});
}

void signal_log(Builder& b, const std::string& op) {
  b.add(op, {any_row(b, DType::u32)},
        {{"input_correction_bits", b.choice.integer(0, 31)}, {"output_scale", b.choice.integer(-100, 5000)}});
}

void signal_pcan(Builder& b, const std::string& op) {
  const ir::ValueId x = any_row(b, DType::u32);
  b.add(op, {x, b.same_type(b.type(x)), b.constant(DType::i16, {b.choice.integer(125, 130)})},
        {{"snr_shift", b.choice.integer(0, 63)}});
}

void signal_framer(Builder& b, const std::string& op) {
  const std::int64_t step = b.choice.integer(1, 6), frames = b.choice.integer(1, 4);
  const bool prefill = b.choice.one_in(2);
  const std::int64_t size = prefill ? step + b.choice.integer(0, 9) : b.choice.integer(1, 15);
  const std::int64_t before = prefill ? size - step : ((size + step - 1) / step - 1) * step;
  Dims dims = b.shape(0, 2);
  const std::int64_t rows = elements(dims);
  dims.push_back(step * frames);
  b.add(op,
        {b.same_type(plain(DType::i16, dims)),
         b.same_type(plain(DType::i16, {rows, std::max<std::int64_t>(before, 1)})), b.any_of(DType::i32, 1, 1)},
        {{"frame_size", size}, {"frame_step", step}, {"prefill", std::int64_t{prefill}}},
        {std::nullopt, std::nullopt, std::nullopt, std::nullopt});
}

void signal_stacker(Builder& b, const std::string& op) {
  const ir::ValueId x = any_row(b, DType::i16);
  const std::int64_t left = b.choice.integer(0, 3), right = b.choice.integer(0, 3), frames = left + right + 1;
  b.add(op, {x, b.same_type(plain(DType::i16, {b.dims(x)[0] * frames})), b.same_type(plain(DType::i32, {1}))},
        {{"left_context", left}, {"right_context", right}, {"step", b.choice.integer(1, frames)}},
        {std::nullopt, std::nullopt, std::nullopt});
}

void signal_overlap_add(Builder& b, const std::string& op) {
  const DType dtype = b.choice.one_in(2) ? DType::i16 : DType::f32;
  const ir::ValueId x = b.any(
      [&](const ir::TensorType& t) {
        return t.dtype == dtype && !t.quantisation && t.dims->size() >= 2 && elements(*t.dims) > 0;
      },
      [&] { return plain(dtype, b.shape(2, 4)); });
  const Dims& dims = b.dims(x);
  const std::int64_t size = dims.back(),
                     rows = elements(dims) / std::max<std::int64_t>(size * dims[dims.size() - 2], 1);
  if (size < 1) return;
  b.add(op, {x, b.same_type(plain(dtype, {rows, size}))}, {{"frame_step", b.choice.integer(1, size)}},
        {std::nullopt, std::nullopt});
}

}  // namespace

void add_signal(std::vector<Generator>& out) {
  out.push_back({"byoc.SignalEnergy", 1, signal_energy});
  out.push_back({"byoc.SignalFftAutoScale", 1, signal_auto_scale});
  out.push_back({"byoc.SignalFilterBank", 1, signal_filter_bank});
  out.push_back({"byoc.SignalFilterBankLog", 1, signal_log});
  out.push_back({"byoc.SignalFilterBankSpectralSubtraction", 1, signal_subtraction});
  out.push_back({"byoc.SignalFilterBankSquareRoot", 1, signal_square_root});
  out.push_back({"byoc.SignalFramer", 1, signal_framer});
  out.push_back({"byoc.SignalIrfft", 1, signal_irfft});
  out.push_back({"byoc.SignalOverlapAdd", 1, signal_overlap_add});
  out.push_back({"byoc.SignalPCAN", 1, signal_pcan});
  out.push_back({"byoc.SignalRfft", 1, signal_rfft});
  out.push_back({"byoc.SignalStacker", 1, signal_stacker});
  out.push_back({"byoc.SignalWindow", 1, signal_window});
}

}  // namespace byoc::check
