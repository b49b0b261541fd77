// The plan of an i8 convolution: the path, its form, and the overlays.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "backends/c/lower/quantise/requantise.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/matmul.hpp"

namespace byoc::c {

// The plan of a depthwise kernel.
struct DepthwisePlan {
  Path path;
  bool turned;    // rows and columns exchanged
  Convolution c;  // as the kernel sees it
  std::int64_t plane_w, band_rows;
  std::int64_t unpacked = 0;               // bytes for a filter whose weights are packed
  std::optional<std::uint64_t> lead = {};  // of the output before the input, if it may lie over it
  std::int64_t channels = 1;               // MVE: that share a plane, 1 or 2
  std::int64_t block_w = 0;  // MVE: how many of four results computed together lie side by side; 0: sums one by one

  [[nodiscard]] std::int64_t plane(std::int64_t band) const {
    const Window& w = c.window;
    return ((band - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1) * plane_w;
  }
  // byoc_depthwise_s8_t's, of the MVE kernel.
  [[nodiscard]] std::int64_t form() const { return block_w + (channels == 2 ? 8 : 0); }
  // The number of blocks of four results in `rows` rows.
  [[nodiscard]] std::int64_t blocks(std::int64_t rows) const {
    const std::int64_t block_h = block_w ? 4 / block_w : 0;
    return block_w && rows >= block_h ? (rows + block_h - 1) / block_h * ((c.out.width + block_w - 1) / block_w) : 0;
  }
  // Bytes of the sums of so many rows, or of pairs of blocks (pair_t of the MVE kernel).
  [[nodiscard]] std::int64_t results(std::int64_t rows) const {
    return std::max(4 * rows * c.out.width, (blocks(rows) + 1) / 2 * 24);
  }
  [[nodiscard]] std::int64_t workspace(std::int64_t band) const {
    if (path == Path::mve) return (channels * plane(band) + 3) / 4 * 4 + results(band) + results(c.out.height % band);
    return (path == Path::dsp ? 2 : 1) * plane(band) + unpacked;
  }
};

// Rows and columns exchanged: the kernels walk the image by strides and do not care.
[[nodiscard]] Convolution transposed(Convolution);

// The depthwise kernels on this layer with weights of `bits` bits. `last_use`: of the input. `attempt`: of
// codegen::Request.
[[nodiscard]] DepthwisePlan plan_depthwise(const Convolution& image, Scaling scaling, unsigned bits,
                                           const TargetSpec& target, std::uint32_t attempt, bool last_use);

// The 3x3 windows that the kernel of the DSP extension takes two results at a time from, of undilated filters.
[[nodiscard]] bool is_plain_3x3(const DepthwisePlan&);
[[nodiscard]] bool is_strided_3x3(const DepthwisePlan&);
// True if it takes lines for them (requant_lines.hpp).
[[nodiscard]] bool takes_lines(const DepthwisePlan&);

// The depthwise kernel of MVE that takes eight channels through all taps of a pixel.
inline constexpr std::string_view kVectorTaps = "depthwise_s8_mve_taps";

// The matrix kernels over patches: which of them.
[[nodiscard]] Path patches_path(const Convolution&, Scaling, const TargetSpec&);
// Elements of a patch, rounded up to what these kernels take at once with weights of `bits` bits: the one of the DSP
// extension, and MVE's.
[[nodiscard]] std::int64_t whole_words(std::int64_t depth, unsigned bits);
[[nodiscard]] std::int64_t whole_vectors(std::int64_t depth, unsigned bits);
// The MVE kernel copies patches 16 elements at a time: those of a tap are so many, and next to each other.
[[nodiscard]] bool are_whole_blocks(const Convolution&);
// A layer on single pixels whose rows lie one behind the other, as one long row: kernels take several pixels of one.
[[nodiscard]] Convolution in_one_row(Convolution);
// The MVE kernel copies such patches by offsets from their first elements.
[[nodiscard]] bool within_reach(const Convolution&);
// Bytes, with patches of `padded` elements.
[[nodiscard]] std::int64_t patches_workspace(const Convolution&, std::int64_t padded);
// Patches that are read where they lie must be copied before they are written over, which costs a little time.
[[nodiscard]] bool may_copy_patches(bool last_use, Objective objective, std::uint32_t attempt);

// A convolution of one pixel to one pixel is a product of rows with a matrix, whose kernel takes several channels at a
// time. Nullopt for other convolutions.
[[nodiscard]] std::optional<RowsByMatrix> as_dense(const Convolution&);

}  // namespace byoc::c
