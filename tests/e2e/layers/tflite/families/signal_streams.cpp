// Operators of the signal library, and CIRCULAR_BUFFER, that go on from what the run before left: the first run here.
#include <algorithm>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/support/flex_options.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

TensorData empty(TensorType type, Shape shape) { return {type, std::move(shape), {}, {}, {}}; }

// Not all zeros, so that runs differ.
TensorData samples(Random& random, Shape shape) { return random_data(random, INT16, std::move(shape), {}, 1, 30000); }

std::size_t rows_of(const TensorData& x) { return x.elements() / static_cast<std::size_t>(x.shape.back()); }

void stacker(TfliteModel& model, Random& random) {
  const std::int32_t n = random.size(1, 9), left = random.size(0, 3), right = random.size(0, 3);
  const std::int32_t frames = left + right + 1, step = random.size(1, frames);
  const TensorData x = samples(random, {n});
  TensorData y = empty(INT16, {n * frames}), valid = empty(BOOL, {});
  for (std::int32_t frame = 0; frame < frames; ++frame)
    for (const std::int64_t v : x.ints) y.ints.push_back(frame < right ? 0 : v);
  valid.ints.push_back(right == 0);
  model.add_text("stack of " + std::to_string(left) + " + 1 + " + std::to_string(right));
  add_custom(
      model.writer, "SignalStacker", {model.input(x)}, {model.output(y), model.output(valid)},
      {{"num_channels", n}, {"stacker_left_context", left}, {"stacker_right_context", right}, {"stacker_step", step}});
}

void stream_delay(TfliteModel& model, Random& random) {
  Shape shape = random_shape(random, 0, 2);
  const std::int32_t length = random.size(1, 12), by = random.size(0, 20);
  shape.push_back(length);
  const TensorData x = samples(random, shape);
  TensorData y = empty(INT16, shape);
  for (std::size_t i = 0; i < x.ints.size(); ++i)
    y.ints.push_back(static_cast<std::int32_t>(i) % length < by ? 0 : x.ints[i - static_cast<std::size_t>(by)]);
  model.add_text("delay by " + std::to_string(by));
  add_custom(model.writer, "SignalDelay", {model.input(x)}, {model.output(y)}, {{"delay_length", by}});
}

void framer(TfliteModel& model, Random& random) {
  const std::int32_t step = random.size(1, 6), steps = random.size(1, 4);
  const bool prefill = random.chance(50);
  const std::int32_t size = prefill ? step + random.size(0, 9) : random.size(1, 15);
  const std::int32_t before = prefill ? size - step : (size + step - 1) / step * step - step;
  Shape shape = random_shape(random, 0, 1, 3);
  shape.push_back(step * steps);
  const TensorData x = samples(random, shape);
  shape.back() = steps;
  shape.push_back(size);
  TensorData y = empty(INT16, shape), valid = empty(BOOL, {});
  for (std::size_t row = 0; row < rows_of(x); ++row)
    for (std::int32_t frame = 0; frame < steps; ++frame)
      for (std::int32_t i = 0; i < size; ++i) {
        const std::int32_t at = frame * step + i - before;
        y.ints.push_back(at < 0 ? 0
                                : x.ints[row * static_cast<std::size_t>(step * steps) + static_cast<std::size_t>(at)]);
      }
  valid.ints.push_back(prefill || size <= step);
  model.add_text("frames of " + std::to_string(size) + " every " + std::to_string(step));
  add_custom(model.writer, "SignalFramer", {model.input(x)}, {model.output(y), model.output(valid)},
             {{"frame_size", size}, {"frame_step", step}, {"prefill", prefill ? 1 : 0}});
}

void overlap_add(TfliteModel& model, Random& random, TensorType type) {
  const std::int32_t size = random.size(1, 12), step = random.size(1, size), frames = random.size(1, 4);
  Shape shape = random_shape(random, 0, 1, 3);
  shape.push_back(frames);
  shape.push_back(size);
  const TensorData x = type == FLOAT32 ? random_data(random, type, shape) : samples(random, shape);
  const std::size_t rows = rows_of(x) / static_cast<std::size_t>(frames);
  shape.pop_back();
  shape.back() = frames * step;
  TensorData y = empty(type, shape);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::int32_t i = 0; i < frames * step; ++i) {
      std::int64_t sum = 0;
      float real = 0;
      for (std::int32_t frame = 0; frame <= i / step; ++frame) {
        if (i - frame * step >= size) continue;
        const std::size_t at =
            row * static_cast<std::size_t>(frames * size) + static_cast<std::size_t>(frame * size + i - frame * step);
        if (type == FLOAT32)
          real += x.floats[at];
        else
          sum = clamp_to(INT16, sum + x.ints[at]);
      }
      if (type == FLOAT32)
        y.floats.push_back(real);
      else
        y.ints.push_back(sum);
    }
  model.add_text("overlap of " + std::to_string(size) + " every " + std::to_string(step));
  add_custom(model.writer, "SignalOverlapAdd", {model.input(x)}, {model.output(y)},
             {{"T", static_cast<int>(type)}, {"frame_step", step}});
}

void circular_buffer(TfliteModel& model, Random& random) {
  const std::int32_t slots = random.size(1, 6), width = random.size(1, 3), depth = random.size(1, 9);
  const std::int32_t cycles = random.size(1, 3);
  const bool says = cycles > 1 || random.chance(50);
  const TfliteQuantisation q = random_quantisation(random, INT8);
  TensorData x = random_data(random, INT8, {1, 1, width, depth}, q);
  if (x.ints[0] == x.zero_point()) x.ints[0] ^= 1;
  TensorData y{INT8, {1, slots, width, depth}, q, {}, {}}, valid = empty(BOOL, {1});
  y.ints.assign(static_cast<std::size_t>((slots - 1) * width * depth), x.zero_point());
  y.ints.insert(y.ints.end(), x.ints.begin(), x.ints.end());
  valid.ints.push_back(cycles == 1);
  std::vector<std::int32_t> outputs{model.output(y)};
  model.writer.tensor(static_cast<std::size_t>(outputs[0])).is_variable = random.chance(50);
  if (says) outputs.push_back(model.output(valid));
  model.add_text("circular buffer of " + std::to_string(slots) + ", every " + std::to_string(cycles));
  add_custom(model.writer, "CIRCULAR_BUFFER", {model.input(x)}, outputs, {{"cycles_max", cycles}});
}

}  // namespace

void make_signal_streams(TfliteModel& model, Random& random, std::size_t index) {
  switch (index % 6) {
    case 0: return stacker(model, random);
    case 1: return stream_delay(model, random);
    case 2: return framer(model, random);
    case 3: return overlap_add(model, random, INT16);
    case 4: return overlap_add(model, random, FLOAT32);
    default: return circular_buffer(model, random);
  }
}

}  // namespace byoc::test
