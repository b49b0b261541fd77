#include "sdk/model/import/tflite/sparse.hpp"

#include <algorithm>
#include <cstring>

namespace byoc::tflite {
namespace {

template <class Vector>
std::vector<std::int64_t> numbers(const Vector* v) {
  return v == nullptr ? std::vector<std::int64_t>() : std::vector<std::int64_t>(v->begin(), v->end());
}

template <class Vector>
std::vector<std::int64_t> values_of(const Vector* v) {
  return v == nullptr ? std::vector<std::int64_t>() : numbers(v->values());
}

std::vector<std::int64_t> segments_of(const schema::DimensionMetadata& level) {
  switch (level.array_segments_type()) {
    case schema::SparseIndexVector::Int32Vector: return values_of(level.array_segments_as_Int32Vector());
    case schema::SparseIndexVector::Uint16Vector: return values_of(level.array_segments_as_Uint16Vector());
    case schema::SparseIndexVector::Uint8Vector: return values_of(level.array_segments_as_Uint8Vector());
    default: return {};
  }
}

std::vector<std::int64_t> indices_of(const schema::DimensionMetadata& level) {
  switch (level.array_indices_type()) {
    case schema::SparseIndexVector::Int32Vector: return values_of(level.array_indices_as_Int32Vector());
    case schema::SparseIndexVector::Uint16Vector: return values_of(level.array_indices_as_Uint16Vector());
    case schema::SparseIndexVector::Uint8Vector: return values_of(level.array_indices_as_Uint8Vector());
    default: return {};
  }
}

// One level of the traversal.
struct Level {
  std::int64_t size = 0;    // of the dim in blocks, or of the block
  std::int64_t stride = 0;  // elements of the dense tensor from one index to the next
  bool is_dense = true;
  std::vector<std::int64_t> segments, indices;
};

class Filler {
 public:
  Filler(const schema::SparsityParameters& how, const ir::TensorType& type, std::span<const std::byte> stored,
         std::vector<std::byte>& dense)
      : how_(how), dims_(*type.dims), width_(bit_width(type.dtype) / 8), stored_(stored), dense_(dense) {}

  std::optional<SparseFault> run() {
    if (!read_levels() || !walk(0, 0, 0)) return fault_;
    if (next_ * width_ != stored_.size())
      return SparseFault{"its buffer does not have the elements that its sparsity says",
                         std::to_string(stored_.size()) + " bytes", std::to_string(next_ * width_) + " bytes"};
    return std::nullopt;
  }

 private:
  bool wrong(std::string message, std::string found = {}, std::string expected = {}) {
    fault_ = SparseFault{std::move(message), std::move(found), std::move(expected)};
    return false;
  }

  // First the dims in some order, then their blocks.
  bool read_levels() {
    const std::vector<std::int64_t> order = numbers(how_.traversal_order()), blocks = numbers(how_.block_map());
    const std::size_t rank = dims_.size(), count = rank + blocks.size();
    const auto* stored = how_.dim_metadata();
    if (order.size() != count || stored == nullptr || stored->size() != count)
      return wrong("its sparsity has another number of levels than it has dims and blocks",
                   std::to_string(order.size()) + " and " + std::to_string(stored == nullptr ? 0 : stored->size()),
                   std::to_string(count));
    std::vector<bool> seen(count, false);
    for (std::size_t l = 0; l < count; ++l) {
      const bool fits = order[l] >= (l < rank ? 0 : static_cast<std::int64_t>(rank)) &&
                        order[l] < static_cast<std::int64_t>(l < rank ? rank : count);
      if (!fits || seen[static_cast<std::size_t>(order[l])])
        return wrong("its sparsity visits no permutation of the dims and then of the blocks", std::to_string(order[l]));
      seen[static_cast<std::size_t>(order[l])] = true;
    }
    std::vector<std::int64_t> strides(rank, 1), block(rank, 1);
    for (std::size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * dims_[d];
    levels_.resize(count);
    for (std::size_t l = rank; l < count; ++l) {
      const std::int64_t d = blocks[static_cast<std::size_t>(order[l]) - rank];
      const std::int64_t size = stored->Get(static_cast<flatbuffers::uoffset_t>(l))->dense_size();
      if (d < 0 || d >= static_cast<std::int64_t>(rank) || size <= 0 || block[static_cast<std::size_t>(d)] != 1 ||
          dims_[static_cast<std::size_t>(d)] % size != 0)
        return wrong("its sparsity has blocks that do not divide a dim",
                     std::to_string(size) + " of dim " + std::to_string(d));
      block[static_cast<std::size_t>(d)] = size;
      levels_[l] = {size, strides[static_cast<std::size_t>(d)], true, {}, {}};
    }
    for (std::size_t l = 0; l < rank; ++l) {
      const auto d = static_cast<std::size_t>(order[l]);
      levels_[l] = {dims_[d] / block[d], strides[d] * block[d], true, {}, {}};
    }
    for (std::size_t l = 0; l < count; ++l)
      if (!read_level(*stored->Get(static_cast<flatbuffers::uoffset_t>(l)), levels_[l])) return false;
    return true;
  }

  bool read_level(const schema::DimensionMetadata& from, Level& level) {
    level.is_dense = from.format() == schema::DimensionType::DENSE;
    if (level.is_dense)
      return from.dense_size() == level.size || wrong("a level of its sparsity has another size than the dim or block",
                                                      std::to_string(from.dense_size()), std::to_string(level.size));
    level.segments = segments_of(from);
    level.indices = indices_of(from);
    const auto most = static_cast<std::int64_t>(level.indices.size());
    const bool rising = std::is_sorted(level.segments.begin(), level.segments.end());
    if (!rising || level.segments.size() < 2 || level.segments.front() < 0 || level.segments.back() > most)
      return wrong("its sparsity has segments that are none", {}, "rising numbers up to " + std::to_string(most));
    for (const std::int64_t i : level.indices)
      if (i < 0 || i >= level.size)
        return wrong("its sparsity has an index out of range", std::to_string(i),
                     "less than " + std::to_string(level.size));
    return true;
  }

  // Visits everything below `level`; the levels above are at place `position` and at element `at`.
  bool walk(std::size_t level, std::uint64_t position, std::int64_t at) {
    if (level == levels_.size()) return take(at);
    const Level& l = levels_[level];
    if (l.is_dense) {
      for (std::int64_t i = 0; i < l.size; ++i)
        if (!walk(level + 1, position * static_cast<std::uint64_t>(l.size) + static_cast<std::uint64_t>(i),
                  at + i * l.stride))
          return false;
      return true;
    }
    if (position + 1 >= l.segments.size())
      return wrong("its sparsity has too few segments", std::to_string(l.segments.size()),
                   "more than " + std::to_string(position + 1));
    for (std::int64_t k = l.segments[position]; k < l.segments[position + 1]; ++k)
      if (!walk(level + 1, static_cast<std::uint64_t>(k), at + l.indices[static_cast<std::size_t>(k)] * l.stride))
        return false;
    return true;
  }

  bool take(std::int64_t at) {
    const std::size_t from = next_ * width_;
    if (from + width_ > stored_.size())
      return wrong("its buffer does not have the elements that its sparsity says",
                   std::to_string(stored_.size()) + " bytes", "more");
    std::memcpy(dense_.data() + static_cast<std::size_t>(at) * width_, stored_.data() + from, width_);
    ++next_;
    return true;
  }

  const schema::SparsityParameters& how_;
  const std::vector<ir::Dim>& dims_;
  const std::size_t width_;  // bytes of an element
  std::span<const std::byte> stored_;
  std::vector<std::byte>& dense_;
  std::vector<Level> levels_;
  std::size_t next_ = 0;  // of the elements that are stored
  SparseFault fault_;
};

}  // namespace

std::optional<SparseFault> fill_in(const schema::SparsityParameters& how, const ir::TensorType& type,
                                   std::span<const std::byte> stored, std::vector<std::byte>& dense) {
  return Filler(how, type, stored, dense).run();
}

}  // namespace byoc::tflite
