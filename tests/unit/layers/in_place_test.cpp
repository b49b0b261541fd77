// Where results may lie over what they are computed of, tried on a memory that knows what is still there.
#include "backends/layers/in_place.hpp"

#include <gtest/gtest.h>

#include <random>

namespace byoc::layers {
namespace {

// Elements that lie `lead` bytes into a memory whose start results are written to.
class Memory {
 public:
  Memory(std::int64_t elements, std::int64_t results, std::int64_t lead, std::int64_t element_bytes)
      : bytes_(static_cast<std::size_t>(std::max(lead + elements * element_bytes, results * element_bytes)), true),
        lead_(lead),
        size_(element_bytes) {}

  void write(std::int64_t result) { mark(result * size_); }
  void read(std::int64_t element) {
    for (std::int64_t i = 0; i < size_; ++i) ok_ = ok_ && bytes_[static_cast<std::size_t>(lead_ + element * size_ + i)];
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  void mark(std::int64_t at) {
    for (std::int64_t i = 0; i < size_; ++i) bytes_[static_cast<std::size_t>(at + i)] = false;
  }

  std::vector<bool> bytes_;  // whether it is as it was
  std::int64_t lead_, size_;
  bool ok_ = true;
};

struct Case {
  Image in, out;
  Window window;
  std::int64_t groups = 1, element_bytes = 1;
  Reads reads = Reads::before_writing;

  // A kernel as group_lead() says.
  [[nodiscard]] bool runs_over(std::int64_t lead) const {
    Memory memory(in.batch * in.batch_stride, out.batch * out.batch_stride, lead, element_bytes);
    for (std::int64_t b = 0; b < out.batch; ++b)
      for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t y = 0; y < out.height; ++y)
          for (std::int64_t x = 0; x < out.width; ++x) pixel(memory, b, g, y, x);
    return memory.ok();
  }

 private:
  void pixel(Memory& memory, std::int64_t b, std::int64_t g, std::int64_t y, std::int64_t x) const {
    const std::int64_t channels = out.channels / groups;
    if (reads == Reads::before_writing) taps(memory, b, g, y, x);
    for (std::int64_t c = g * channels; c < (g + 1) * channels; ++c) {
      if (reads == Reads::while_writing) taps(memory, b, g, y, x);
      memory.write(b * out.batch_stride + y * out.row + x * out.col + c * out.chan);
    }
  }
  void taps(Memory& memory, std::int64_t b, std::int64_t g, std::int64_t oy, std::int64_t ox) const {
    const std::int64_t channels = in.channels / groups;
    for (std::int64_t ky = 0; ky < window.kernel_h; ++ky)
      for (std::int64_t kx = 0; kx < window.kernel_w; ++kx) {
        const std::int64_t y = oy * window.stride_h - window.pad_top + ky * window.dilation_h;
        const std::int64_t x = ox * window.stride_w - window.pad_left + kx * window.dilation_w;
        if (y < 0 || y >= in.height || x < 0 || x >= in.width) continue;
        for (std::int64_t c = g * channels; c < (g + 1) * channels; ++c)
          memory.read(b * in.batch_stride + y * in.row + x * in.col + c * in.chan);
      }
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  std::int64_t of(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 bits_;
};

Image image(std::int64_t batch, std::int64_t h, std::int64_t w, std::int64_t channels, bool channels_last) {
  Image m{batch, h, w, channels};
  m.chan = channels_last ? 1 : h * w;
  m.col = channels_last ? channels : 1;
  m.row = w * m.col;
  m.batch_stride = h * w * channels;
  return m;
}

Case random_case(unsigned seed) {
  Random random(seed);
  Case c;
  Window& w = c.window;
  for (std::int64_t* n : {&w.kernel_h, &w.kernel_w}) *n = random.of(1, 3);
  for (std::int64_t* n : {&w.stride_h, &w.stride_w, &w.dilation_h, &w.dilation_w}) *n = random.of(1, 2);
  for (std::int64_t* n : {&w.pad_top, &w.pad_left, &w.pad_bottom, &w.pad_right}) *n = random.of(0, 1);
  const std::int64_t reach_h = (w.kernel_h - 1) * w.dilation_h + 1, reach_w = (w.kernel_w - 1) * w.dilation_w + 1;
  const std::int64_t h = reach_h + random.of(0, 5), width = reach_w + random.of(0, 5);
  c.groups = random.of(1, 3);
  const std::int64_t in = c.groups * random.of(1, 4), out = random.of(0, 3) == 0 ? c.groups * random.of(1, 4) : in;
  const bool last = random.of(0, 3) != 0;
  const std::int64_t batch = random.of(1, 2);
  c.in = image(batch, h, width, in, last);
  c.out = image(batch, (h + w.pad_top + w.pad_bottom - reach_h) / w.stride_h + 1,
                (width + w.pad_left + w.pad_right - reach_w) / w.stride_w + 1, out, last);
  c.element_bytes = std::int64_t{1} << random.of(0, 2);
  c.reads = random.of(0, 1) ? Reads::before_writing : Reads::while_writing;
  return c;
}

TEST(InPlace, GroupsNeverReadWhatTheyOverwrote) {
  int grouped = 0, tight = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    const Case c = random_case(seed);
    const auto lead = group_lead(c.in, c.out, c.window, c.groups, c.reads, c.element_bytes);
    if (!lead) continue;
    EXPECT_EQ(*lead % 16, 0U);
    ASSERT_TRUE(c.runs_over(static_cast<std::int64_t>(*lead))) << "seed " << seed << ", lead " << *lead;
    grouped += c.groups > 1 && c.in.channels > c.groups;
    // Bytes of one pixel less than what is aligned.
    const std::int64_t less = static_cast<std::int64_t>(*lead) - 16 * c.out.channels * c.element_bytes;
    tight += less >= 0 && !c.runs_over(less);
  }
  EXPECT_GT(grouped, 300);
  EXPECT_GT(tight, 100);
}

// Each result of the elements that have a tap on it.
bool transposed_runs_over(const Case& c, std::int64_t lead) {
  const auto reaching = [](std::int64_t result, std::int64_t pad, std::int64_t stride, std::int64_t taps,
                           std::int64_t size) {
    std::vector<std::int64_t> out;
    for (std::int64_t at = 0; at < size; ++at)
      if (const std::int64_t tap = result + pad - at * stride; tap >= 0 && tap < taps) out.push_back(at);
    return out;
  };
  Memory memory(c.in.batch * c.in.batch_stride, c.out.batch * c.out.batch_stride, lead, c.element_bytes);
  const Window& w = c.window;
  for (std::int64_t r = 0; r < c.out.batch * c.out.batch_stride; ++r) {
    const std::int64_t b = r / c.out.batch_stride, oy = r % c.out.batch_stride / c.out.row;
    const std::int64_t ox = r % c.out.row / c.out.col;
    memory.write(r);
    for (const std::int64_t y : reaching(oy, w.pad_top, w.stride_h, w.kernel_h, c.in.height))
      for (const std::int64_t x : reaching(ox, w.pad_left, w.stride_w, w.kernel_w, c.in.width))
        for (std::int64_t i = 0; i < c.in.channels; ++i)
          memory.read(b * c.in.batch_stride + y * c.in.row + x * c.in.col + i);
  }
  return memory.ok();
}

TEST(InPlace, TransposedOnesNeverReadWhatTheyOverwrote) {
  int tried = 0, tight = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    Case c;
    Window& w = c.window;
    for (std::int64_t* n : {&w.kernel_h, &w.kernel_w}) *n = random.of(1, 4);
    for (std::int64_t* n : {&w.stride_h, &w.stride_w}) *n = random.of(1, 3);
    w.pad_top = random.of(0, w.kernel_h - 1);
    w.pad_left = random.of(0, w.kernel_w - 1);
    c.in = image(random.of(1, 2), random.of(1, 6), random.of(1, 6), random.of(1, 6), true);
    c.out = image(c.in.batch, (c.in.height - 1) * w.stride_h + random.of(1, 4),
                  (c.in.width - 1) * w.stride_w + random.of(1, 4), random.of(1, 6), true);
    c.element_bytes = random.of(1, 2);
    const auto lead = transposed_lead(c.in, c.out, w, Reads::while_writing, c.element_bytes);
    if (!lead) continue;
    ASSERT_TRUE(transposed_runs_over(c, static_cast<std::int64_t>(*lead))) << "seed " << seed << ", lead " << *lead;
    ++tried;
    tight += *lead >= 32 && !transposed_runs_over(c, static_cast<std::int64_t>(*lead) - 32);
  }
  EXPECT_GT(tried, 500);
  EXPECT_GT(tight, 300);
}

TEST(InPlace, GroupsOfOtherSizesHaveNoPlace) {
  const Image in = image(1, 8, 8, 8, true), out = image(1, 8, 8, 4, true);
  EXPECT_FALSE(group_lead(in, out, Window{}, 2, Reads::before_writing, 1));
  EXPECT_TRUE(group_lead(in, out, Window{}, 1, Reads::before_writing, 1));
}

// The order in which the copies of the C backend go.
bool copies_over(const Runs& runs, std::int64_t elements, std::int64_t results, std::int64_t lead, std::int64_t bytes,
                 std::int64_t source, std::int64_t target) {
  Memory memory(elements, results, lead, bytes);
  std::int64_t count = 1;
  for (const std::int64_t d : runs.dims) count *= d;
  for (std::int64_t r = 0; r < count; ++r) {
    std::int64_t from = source, to = target, rest = r;
    for (std::size_t d = runs.dims.size(); d-- > 0; rest /= runs.dims[d]) {
      from += rest % runs.dims[d] * runs.from[d];
      to += rest % runs.dims[d] * runs.to[d];
    }
    for (std::int64_t i = 0; i < runs.length; ++i) memory.read(from + i);
    for (std::int64_t i = 0; i < runs.length; ++i) memory.write(to + i);
    // Not onto itself either.
    for (std::int64_t i = 0; i < runs.length; ++i) memory.read(from + i);
  }
  return memory.ok();
}

TEST(InPlace, CopiesNeverReadWhatTheyOverwrote) {
  int wider = 0, narrower = 0, tight = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    // A piece of `length` out of rows of others, on either side.
    const std::int64_t outer = random.of(1, 12), inner = random.of(1, 3), length = random.of(1, 20);
    const std::int64_t from_row = length + random.of(0, 1) * random.of(0, 30);
    const std::int64_t to_row = length + random.of(0, 1) * random.of(0, 30);
    const std::int64_t source = random.of(0, from_row - length), target = random.of(0, to_row - length);
    Runs runs{length, {outer, inner}, {inner * from_row, from_row}, {inner * to_row, to_row}, target - source};
    const std::int64_t bytes = std::int64_t{1} << random.of(0, 3), rows = outer * inner;
    const auto lead = copy_lead(runs, rows * to_row, bytes);
    if (!lead) continue;
    const auto at = static_cast<std::int64_t>(*lead);
    EXPECT_EQ(at % 16, 0);
    ASSERT_TRUE(copies_over(runs, rows * from_row, rows * to_row, at, bytes, source, target)) << "seed " << seed;
    wider += to_row > from_row;
    narrower += to_row < from_row;
    tight += at >= 16 && !copies_over(runs, rows * from_row, rows * to_row, at - 16, bytes, source, target);
  }
  EXPECT_GT(wider, 300);
  EXPECT_GT(narrower, 300);
  EXPECT_GT(tight, 300);
}

TEST(InPlace, CopiesInAnotherOrderHaveNoPlace) {
  EXPECT_FALSE(copy_lead({1, {4, 8}, {1, 4}, {8, 1}}, 32, 1));    // a transpose
  EXPECT_FALSE(copy_lead({4, {8}, {0}, {4}}, 32, 1));             // one source again and again
  EXPECT_FALSE(copy_lead({4, {8}, {-4}, {4}, -28}, 32, 1));       // backwards
  EXPECT_FALSE(copy_lead({32, {}, {}, {}, 0}, 32, 1));            // onto itself
  EXPECT_EQ(copy_lead({16, {8}, {16}, {32}, 16}, 256, 1), 144U);  // the second half of each row
  EXPECT_EQ(copy_lead({16, {8}, {32}, {16}, -16}, 128, 1), 0U);   // out of it
}

}  // namespace
}  // namespace byoc::layers
