// The signal library of TensorFlow Lite Micro: what comes out of each operator by its definition in real numbers where
// that says every bit, or within the rounding of the integers' arithmetic.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/support/flex_options.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Complex = std::complex<double>;

TensorData shaped(TensorType type, Shape shape) { return {type, std::move(shape), {}, {}, {}}; }

double element_at(const TensorData& t, std::size_t i) {
  return t.is_float() ? static_cast<double>(t.floats[i]) : static_cast<double>(t.ints[i]);
}

void append_sample(TensorData& t, double v) {
  if (t.is_float())
    t.floats.push_back(static_cast<float>(v));
  else
    t.ints.push_back(static_cast<std::int64_t>(std::llround(v)));
}

void signal_window(TfliteModel& model, Random& random) {
  Shape shape = random_shape(random, 0, 2);
  const std::int32_t length = random.size(1, 40), shift = random.size(0, 20);
  shape.push_back(length);
  const TensorData x = random_data(random, INT16, shape), w = random_data(random, INT16, {length});
  TensorData y = shaped(INT16, shape);
  for (std::size_t i = 0; i < x.ints.size(); ++i) {
    const auto product = static_cast<double>(x.ints[i] * w.ints[i % w.ints.size()]);
    y.ints.push_back(clamp_to(INT16, static_cast<std::int64_t>(std::floor(std::ldexp(product, -shift)))));
  }
  model.add_text("window of " + std::to_string(length) + ", shift " + std::to_string(shift));
  add_custom(model.writer, "SignalWindow", {model.input(x), model.constant(w)}, {model.output(y)}, {{"shift", shift}});
}

// As large as it gets in 15 bits: that of -32768 is not among them.
void auto_scale(TfliteModel& model, Random& random) {
  const std::int32_t length = random.size(1, 40);
  const double loud = std::ldexp(1, random.size(0, 15)) - 1;
  const TensorData x = random_data(random, INT16, {length}, {}, -loud, loud);
  std::int64_t loudest = 0;
  for (const std::int64_t v : x.ints) loudest = std::max(loudest, std::abs(v));
  std::int64_t shift = 0;
  while (shift < 15 && loudest << (shift + 1) < 32768) ++shift;
  TensorData y = shaped(INT16, {length}), scale = shaped(INT32, {});
  for (const std::int64_t v : x.ints) y.ints.push_back(v * (std::int64_t{1} << shift));
  scale.ints.push_back(shift);
  model.add_text("auto-scale of " + std::to_string(length));
  add_custom(model.writer, "SignalFftAutoScale", {model.input(x)}, {model.output(y), model.output(scale)});
}

std::int32_t random_fft_length(Random& random) {
  return random.chance(60) ? 1 << random.size(1, 9) : 2 * random.size(1, 60);
}

// Steps by which integers may be off: a rounding or two in each stage, and radices' parts that are cut off to 15 bits.
double fft_tolerance(TensorType type) { return type == FLOAT32 ? 2e-4 : type == INT16 ? 12 : 24; }

void rfft(TfliteModel& model, Random& random, TensorType type) {
  const std::int32_t length = random_fft_length(random), given = random.chance(50) ? length : random.size(1, length);
  Shape shape = random_shape(random, 0, 1, 3);
  shape.push_back(given);
  // Pairs of samples are turned as complex numbers, which must not leave the range.
  const double loud = type == FLOAT32 ? 1 : static_cast<double>(highest(type)) / 2;
  const TensorData x = random_data(random, type, shape, {}, -loud, loud);
  shape.back() = length + 2;
  TensorData y = shaped(type, shape);
  const std::size_t rows = x.elements() / static_cast<std::size_t>(given);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::int32_t k = 0; k <= length / 2; ++k) {
      Complex sum = 0;
      for (std::int32_t i = 0; i < given; ++i)
        sum += element_at(x, row * static_cast<std::size_t>(given) + static_cast<std::size_t>(i)) *
               std::polar(1.0, -2 * std::numbers::pi * k * i / length);
      if (type != FLOAT32) sum /= length;
      append_sample(y, sum.real());
      append_sample(y, sum.imag());
    }
  model.add_text("rfft of " + std::to_string(given) + " in " + std::to_string(length) + ", type " +
                 std::to_string(static_cast<int>(type)));
  add_custom(model.writer, "SignalRfft", {model.input(x)}, {model.output(y, fft_tolerance(type))},
             {{"T", static_cast<int>(type)}, {"fft_length", length}});
}

// A spectrum so quiet that no sum of its bins leaves the range.
void irfft(TfliteModel& model, Random& random, TensorType type) {
  const std::int32_t length = random_fft_length(random), bins = length / 2 + 1;
  const double loud = type == FLOAT32 ? 1 : static_cast<double>(highest(type)) / 4;
  Shape shape = random_shape(random, 0, 1, 3);
  shape.push_back(2 * bins);
  const TensorData x = random_data(random, type, shape, {}, -loud, loud);
  shape.back() = length;
  TensorData y = shaped(type, shape);
  for (std::size_t row = 0; row < x.elements() / static_cast<std::size_t>(2 * bins); ++row)
    for (std::int32_t i = 0; i < length; ++i) {
      double sum = 0;
      for (std::int32_t k = 0; k < bins; ++k) {
        const std::size_t at = row * static_cast<std::size_t>(2 * bins) + static_cast<std::size_t>(2 * k);
        const bool is_end = k == 0 || k == length / 2;  // of which the imaginary parts do not count
        const Complex bin(element_at(x, at), is_end ? 0 : element_at(x, at + 1));
        sum += (is_end ? 1 : 2) * (bin * std::polar(1.0, 2 * std::numbers::pi * k * i / length)).real();
      }
      append_sample(y, sum / length);
    }
  model.add_text("irfft of " + std::to_string(length) + ", type " + std::to_string(static_cast<int>(type)));
  add_custom(model.writer, "SignalIrfft", {model.input(x)}, {model.output(y, fft_tolerance(type))},
             {{"T", static_cast<int>(type)}, {"fft_length", length}});
}

void energy(TfliteModel& model, Random& random) {
  const std::int32_t bins = random.size(1, 40), end = random.size(0, bins), start = random.size(0, end);
  const TensorData x = random_data(random, INT16, {2 * bins});
  TensorData y = shaped(UINT32, {bins});
  for (std::int32_t i = 0; i < bins; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    y.ints.push_back(i < start || i >= end ? 0 : x.ints[at] * x.ints[at] + x.ints[at + 1] * x.ints[at + 1]);
  }
  model.add_text("energy of " + std::to_string(bins));
  add_custom(model.writer, "SignalEnergy", {model.input(x)}, {model.output(y)},
             {{"start_index", start}, {"end_index", end}});
}

// Channel c has the weights of band c + 1 and the unweights of band c.
void filter_bank(TfliteModel& model, Random& random) {
  const std::int32_t bins = random.size(1, 50), channels = random.size(1, 8);
  TensorData start = shaped(INT16, {channels + 1}), place = start, width = start;
  std::int64_t count = 0;
  for (std::int32_t band = 0; band <= channels; ++band) {
    start.ints.push_back(random.between(0, bins - 1));
    width.ints.push_back(random.between(0, std::min<std::int64_t>(bins - start.ints.back(), 9)));
    place.ints.push_back(count);
    count += width.ints.back();
  }
  const auto weights = static_cast<std::int32_t>(std::max<std::int64_t>(count, 1));
  const TensorData x = random_data(random, UINT32, {bins});
  const TensorData rise = random_data(random, INT16, {weights}, {}, 0, 4096);
  const TensorData fall = random_data(random, INT16, {weights}, {}, 0, 4096);
  TensorData y = shaped(UINT64, {channels});
  const auto sum = [&](const TensorData& w, std::size_t band) {
    std::int64_t out = 0;
    for (std::int64_t j = 0; j < width.ints[band]; ++j)
      out += w.ints[static_cast<std::size_t>(place.ints[band] + j)] *
             x.ints[static_cast<std::size_t>(start.ints[band] + j)];
    return out;
  };
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
    y.ints.push_back(sum(rise, c + 1) + sum(fall, c));
  model.add_text("filter bank of " + std::to_string(channels));
  add_custom(model.writer, "SignalFilterBank",
             {model.input(x), model.constant(rise), model.constant(fall), model.constant(start), model.constant(place),
              model.constant(width)},
             {model.output(y)}, {{"num_channels", channels}});
}

void square_root(TfliteModel& model, Random& random) {
  const std::int32_t n = random.size(1, 30), shift = random.size(0, 15);
  TensorData x = shaped(UINT64, {n}), down = shaped(INT32, {}), y = shaped(UINT32, {n});
  for (std::int32_t i = 0; i < n; ++i) x.ints.push_back(random.between(0, std::int64_t{1} << random.size(1, 62)) / 2);
  down.ints.push_back(shift);
  for (const std::int64_t v : x.ints) {
    auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<long double>(v))));
    if (v >> 32 == 0) root = std::min<std::int64_t>(root, 0xffff);
    y.ints.push_back(root >> shift);
  }
  model.add_text("square roots, shift " + std::to_string(shift));
  add_custom(model.writer, "SignalFilterBankSquareRoot", {model.input(x), model.input(down)}, {model.output(y)});
}

// In real numbers: none of the sums reaches 2^53.
void subtraction(TfliteModel& model, Random& random) {
  const std::int32_t n = random.size(1, 20), bits = random.size(8, 14), up = random.size(0, 10);
  const double one = std::ldexp(1, bits);
  const auto part = [&] { return random.between(0, std::int64_t{1} << bits); };
  const std::int64_t even = part(), odd = part(), least = part();
  const bool clamping = random.chance(50);
  const TensorData x = random_data(random, UINT32, {n}, {}, 0, 1 << 20);
  TensorData y = shaped(UINT32, {n}), noise = y;
  for (std::size_t i = 0; i < x.ints.size(); ++i) {
    const double signal = std::ldexp(static_cast<double>(x.ints[i]), up);
    const double average = std::floor(signal * static_cast<double>(i % 2 == 0 ? even : odd) / one);
    const double taken_off = std::min(average, signal);
    noise.ints.push_back(static_cast<std::int64_t>(clamping ? taken_off : average));
    const double left = std::floor(std::ldexp(signal - taken_off, -up));
    y.ints.push_back(static_cast<std::int64_t>(
        std::max(left, std::floor(static_cast<double>(x.ints[i]) * static_cast<double>(least) / one))));
  }
  model.add_text("spectral subtraction from " + std::to_string(n));
  add_custom(model.writer, "SignalFilterBankSpectralSubtraction", {model.input(x)},
             {model.output(y), model.output(noise)},
             {{"alternate_one_minus_smoothing", (std::int64_t{1} << bits) - odd},
              {"alternate_smoothing", odd},
              {"clamping", clamping ? 1 : 0},
              {"min_signal_remaining", least},
              {"num_channels", n},
              {"one_minus_smoothing", (std::int64_t{1} << bits) - even},
              {"smoothing", even},
              {"smoothing_bits", up},
              {"spectral_subtraction_bits", bits}});
}

void logarithm(TfliteModel& model, Random& random) {
  const std::int32_t n = random.size(1, 30), correction = random.size(0, 5), scale = random.size(1, 1000);
  TensorData x = shaped(UINT32, {n}), y = shaped(INT16, {n});
  for (std::int32_t i = 0; i < n; ++i) x.ints.push_back(random.between(0, std::int64_t{1} << random.size(1, 26)));
  for (const std::int64_t v : x.ints)
    y.ints.push_back(std::llround(v == 0 ? 0 : std::log(std::ldexp(static_cast<double>(v), correction)) * scale));
  model.add_text("logarithms times " + std::to_string(scale));
  // A piece of the table is off by up to 224 / 65536 of a power of two.
  add_custom(model.writer, "SignalFilterBankLog", {model.input(x)}, {model.output(y, 1 + scale / 400.0)},
             {{"input_correction_bits", correction}, {"output_scale", scale}});
}

// A gain that is the same for every noise, so that what is left is the compression.
void pcan(TfliteModel& model, Random& random) {
  const std::int32_t n = random.size(1, 30), shift = random.size(4, 12);
  const std::int64_t gain = random.between(1, 32767);
  TensorData x = shaped(UINT32, {n}), y = x, gains = shaped(INT16, {125});
  const TensorData noise = random_data(random, UINT32, {n});
  for (std::int32_t i = 0; i < 125; ++i) gains.ints.push_back(i < 3 || (i - 6) % 4 == 0 ? gain : 0);
  for (std::int32_t i = 0; i < n; ++i) {
    x.ints.push_back(random.between(0, 1 << random.size(1, 16)));
    const double ratio = std::ldexp(std::floor(std::ldexp(static_cast<double>(x.ints.back() * gain), -shift)), -12);
    y.ints.push_back(static_cast<std::int64_t>(std::floor(64 * (ratio < 2 ? ratio * ratio / 4 : ratio - 1))));
  }
  model.add_text("gain control, shift " + std::to_string(shift));
  add_custom(model.writer, "SignalPCAN", {model.input(x), model.input(noise), model.constant(gains)}, {model.output(y)},
             {{"snr_shift", shift}});
}

}  // namespace

void make_signal(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr TensorType kTypes[] = {INT16, INT32, FLOAT32};
  switch (index % 14) {
    case 0: return signal_window(model, random);
    case 1: return auto_scale(model, random);
    case 2:
    case 3:
    case 4: return rfft(model, random, kTypes[index % 14 - 2]);
    case 5:
    case 6:
    case 7: return irfft(model, random, kTypes[index % 14 - 5]);
    case 8: return energy(model, random);
    case 9: return filter_bank(model, random);
    case 10: return square_root(model, random);
    case 11: return subtraction(model, random);
    case 12: return logarithm(model, random);
    default: return pcan(model, random);
  }
}

}  // namespace byoc::test
