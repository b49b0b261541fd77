// The elements of a constant in another order: blocks, transposed axes, ends filled up with zeros. A description
// instead of bytes, so that whoever writes them needs no second copy of them in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace byoc::codegen {

// The result is a nest of loops over logical axes of the source, the first loop outermost. In each of its iterations
// the index along an axis is the sum of counter * step over the loops of that axis. If every index is less than the
// extent of its axis, the element is source[offset + sum(index * stride)]; otherwise it is zero.
//
// Filters OIHW to [O / 8][I][H W][8], for example: axes o {O, I H W}, i {I, H W}, t {H W, 1}, loops
// {(O + 7) / 8, o, 8}, {I, i, 1}, {H W, t, 1}, {8, o, 1}.
struct Arrangement {
  struct Axis {
    std::uint64_t extent = 0;
    std::uint64_t stride = 0;  // elements of the source
    bool operator==(const Axis&) const = default;
  };
  struct Loop {
    std::uint64_t count = 0;
    std::uint32_t axis = 0;  // of `axes`
    std::uint64_t step = 1;
    bool operator==(const Loop&) const = default;
  };

  std::uint32_t element_size = 1;  // bytes: 1, 2, 4 or 8
  std::uint64_t offset = 0;        // elements
  std::vector<Axis> axes = {};
  std::vector<Loop> loops = {};

  bool operator==(const Arrangement&) const = default;
  [[nodiscard]] std::uint64_t elements() const {
    std::uint64_t out = 1;
    for (const Loop& l : loops) out *= l.count;
    return out;
  }
  [[nodiscard]] std::uint64_t bytes() const { return elements() * element_size; }
};

// Writes any part of what an arrangement makes. The arrangement is one that reads nothing beyond the source; sizes fit
// into 63 bits.
class Arranger {
 public:
  explicit Arranger(const Arrangement& a) : element_size_(a.element_size), offset_(a.offset) {
    extents_.reserve(a.axes.size());
    for (const Arrangement::Axis& x : a.axes) extents_.push_back(x.extent);
    for (const Arrangement::Loop& l : a.loops) append({l.count, l.step * a.axes[l.axis].stride, l.axis, l.step});
    for (Loop& l : loops_) l.clipped = greatest_index(l.axis) >= extents_[l.axis];
    for (Loop& l : loops_)
      if (!l.clipped) l.step = 0;
    merge_loops();
    std::uint64_t inner = 1;
    for (std::size_t i = loops_.size(); i-- > 0;) {
      loops_[i].inner = inner;
      inner *= loops_[i].count;
    }
  }

  // Elements from number `first` on, as many as `out` has room for (whole ones).
  void write(std::span<const std::byte> source, std::uint64_t first, std::span<std::byte> out) const {
    switch (element_size_) {
      case 2: return write_as<std::uint16_t>(source, first, out);
      case 4: return write_as<std::uint32_t>(source, first, out);
      case 8: return write_as<std::uint64_t>(source, first, out);
      default: return write_as<std::uint8_t>(source, first, out);
    }
  }

 private:
  struct Loop {
    std::uint64_t count = 1;
    std::uint64_t stride = 0;  // elements of the source
    std::uint32_t axis = 0;
    std::uint64_t step = 0;   // along the axis; 0 where it does not matter
    bool clipped = false;     // the axis ends before its loops do
    std::uint64_t inner = 1;  // elements made in one iteration
  };

  [[nodiscard]] std::uint64_t greatest_index(std::uint32_t axis) const {
    std::uint64_t out = 0;
    for (const Loop& l : loops_)
      if (l.axis == axis && l.count != 0) out += (l.count - 1) * l.step;
    return out;
  }

  // A loop of one iteration is none.
  void append(const Loop& l) {
    if (l.count != 1) loops_.push_back(l);
  }

  // Two loops that walk on where the inner one ends are one: of the same axis, or of two that are never left.
  void merge_loops() {
    std::vector<Loop> out;
    for (const Loop& l : loops_) {
      const bool follows = !out.empty() && out.back().stride == l.count * l.stride;
      const bool free = follows && !out.back().clipped && !l.clipped;
      const bool same = follows && l.clipped && out.back().axis == l.axis && out.back().step == l.count * l.step;
      if (free || same)
        out.back() = {out.back().count * l.count, l.stride, l.axis, l.step, l.clipped};
      else
        out.push_back(l);
    }
    loops_ = std::move(out);
  }

  template <class T>
  struct Cursor {
    const std::byte* source = nullptr;
    T* out = nullptr;
    T* end = nullptr;
    std::uint64_t skip = 0;                 // elements before the first that is wanted
    std::vector<std::uint64_t> index = {};  // along each axis
  };

  template <class T>
  void write_as(std::span<const std::byte> source, std::uint64_t first, std::span<std::byte> out) const {
    // Writes through an aligned buffer if `out` is not aligned for T.
    std::vector<T> own;
    const std::size_t count = out.size() / sizeof(T);
    T* to = reinterpret_cast<T*>(out.data());
    if (reinterpret_cast<std::uintptr_t>(out.data()) % alignof(T) != 0) {
      own.resize(count);
      to = own.data();
    }
    Cursor<T> c{source.data(), to, to + count, first, std::vector<std::uint64_t>(extents_.size())};
    if (count != 0) fill(c, 0, offset_);
    if (!own.empty()) std::memcpy(out.data(), own.data(), count * sizeof(T));
  }

  template <class T>
  static T load(const std::byte* source, std::uint64_t element) {
    T out;
    std::memcpy(&out, source + element * sizeof(T), sizeof(T));
    return out;
  }

  // The number of iterations of a loop, from the current index of its axis, that are inside.
  template <class T>
  std::uint64_t valid(const Cursor<T>& c, const Loop& l) const {
    if (!l.clipped) return l.count;
    const std::uint64_t at = c.index[l.axis], extent = extents_[l.axis];
    if (at >= extent) return 0;
    return l.step == 0 ? l.count : std::min(l.count, (extent - at - 1) / l.step + 1);
  }

  template <class T>
  bool inside(const Cursor<T>& c) const {
    for (std::size_t a = 0; a < extents_.size(); ++a)
      if (c.index[a] >= extents_[a]) return false;
    return true;
  }

  // The iterations of loop `d` and those in it, until there is room for no more.
  template <class T>
  void fill(Cursor<T>& c, std::size_t d, std::uint64_t from) const {
    if (d == loops_.size()) {  // a single element
      *c.out++ = inside(c) ? load<T>(c.source, from) : T{};
      return;
    }
    const Loop& l = loops_[d];
    if (d + 1 == loops_.size()) return run(c, l, from);
    const std::uint64_t before = c.skip / l.inner, at = c.index[l.axis];
    c.skip -= before * l.inner;
    c.index[l.axis] += before * l.step;
    from += before * l.stride;
    if (d + 2 == loops_.size() && c.skip == 0 && !loops_[d + 1].clipped && inside(c)) {
      const std::uint64_t room = static_cast<std::uint64_t>(c.end - c.out) / l.inner;
      // Inside, for as many iterations as are valid from here on.
      Loop rest = l;
      rest.count = l.count - before;
      const std::uint64_t rows = std::min(room, valid(c, rest));
      tile(c, rows, l.stride, loops_[d + 1], from);
      c.index[l.axis] += rows * l.step;
      from += rows * l.stride;
      for (std::uint64_t i = before + rows; i < l.count && c.out != c.end; ++i, from += l.stride) {
        run(c, loops_[d + 1], from);
        c.index[l.axis] += l.step;
      }
    } else {
      for (std::uint64_t i = before; i < l.count && c.out != c.end; ++i, from += l.stride) {
        fill(c, d + 1, from);
        c.index[l.axis] += l.step;
      }
    }
    c.index[l.axis] = at;
  }

  // The two innermost loops without clipping: rows of `inner`. The usual block lengths of kernels are compile-time
  // constants.
  template <class T>
  static void tile(Cursor<T>& c, std::uint64_t rows, std::uint64_t stride, const Loop& inner, std::uint64_t from) {
    switch (inner.count) {
      case 4: return tile_of<T, 4>(c, rows, stride, inner, from);
      case 8: return tile_of<T, 8>(c, rows, stride, inner, from);
      case 16: return tile_of<T, 16>(c, rows, stride, inner, from);
      default: return tile_of<T, 0>(c, rows, stride, inner, from);
    }
  }
  template <class T, std::uint64_t kCount>
  static void tile_of(Cursor<T>& c, std::uint64_t rows, std::uint64_t stride, const Loop& inner, std::uint64_t from) {
    const std::uint64_t count = kCount == 0 ? inner.count : kCount;
    const std::byte* row = c.source + from * sizeof(T);
    T* out = c.out;
    for (std::uint64_t r = 0; r < rows; ++r, row += stride * sizeof(T), out += count) {
#pragma GCC unroll 16
      for (std::uint64_t i = 0; i < count; ++i) out[i] = load<T>(row, i * inner.stride);
    }
    c.out = out;
  }

  // The innermost loop.
  template <class T>
  void run(Cursor<T>& c, const Loop& l, std::uint64_t from) const {
    const std::uint64_t first = c.skip;
    c.skip = 0;
    const std::uint64_t last = std::min(l.count, first + static_cast<std::uint64_t>(c.end - c.out));
    const std::uint64_t ends = inside(c) ? std::clamp(valid(c, l), first, last) : first;
    if (l.stride == 1 && ends != first)
      std::memcpy(c.out, c.source + (from + first) * sizeof(T), (ends - first) * sizeof(T));
    else
      for (std::uint64_t i = first; i < ends; ++i) c.out[i - first] = load<T>(c.source, from + i * l.stride);
    std::fill(c.out + (ends - first), c.out + (last - first), T{});
    c.out += last - first;
  }

  std::uint32_t element_size_;
  std::uint64_t offset_;
  std::vector<std::uint64_t> extents_;
  std::vector<Loop> loops_;
};

// The whole result of an arrangement.
[[nodiscard]] inline std::vector<std::byte> arranged(const Arrangement& a, std::span<const std::byte> source) {
  std::vector<std::byte> out(static_cast<std::size_t>(a.bytes()));
  Arranger(a).write(source, 0, out);
  return out;
}

}  // namespace byoc::codegen
