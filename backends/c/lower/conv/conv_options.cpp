// Costs of an i8 convolution in each kernel that can compute it.
#include <algorithm>

#include "backends/c/lower/conv/conv_plan.hpp"
#include "backends/c/lower/conv/conv_quantised.hpp"
#include "backends/c/lower/conv/conv_twins.hpp"
#include "backends/c/lower/conv/conv_weights.hpp"
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/packed_weights.hpp"
#include "backends/c/lower/quantise/requant_lines.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/layers/in_place.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Verdict;

std::uint64_t bytes_of(double weights, unsigned bits) { return (static_cast<std::uint64_t>(weights) * bits + 7) / 8; }

// Elements of the windows of all results, and how dear it is to copy them: channels that are not next to each other
// come one by one.
double copied_patches(const Convolution& c) {
  const bool joined = c.in.chan == 1 && c.in.col == c.in.channels / c.groups && c.window.dilation_w == 1;
  const double pixels = static_cast<double>(c.in.batch * c.groups * c.out.height * c.out.width);
  return pixels * static_cast<double>(c.depth()) * (joined ? 1 : 2);
}

KernelOption patches_option(const Convolution& c, Scaling scaling, unsigned bits, const LayerQuestion& q,
                            bool last_use) {
  const Path path = patches_path(c, scaling, q.target);
  const bool copies = may_copy_patches(last_use, q.objective, q.attempt);
  const std::int64_t depth = c.depth(), channels = c.group_out(), pixels = c.out.height * c.out.width;
  const auto images = static_cast<double>(c.in.batch * c.groups);
  KernelOption o;
  o.kernel = path_stem("conv_s8", path) + bits_suffix(bits);
  o.suffix = requant_suffix(scaling);
  o.work.rows = images * static_cast<double>(pixels * c.window.kernel_h);
  o.work.copied = copied_patches(c);
  if (path == Path::mve) {
    const auto padded = static_cast<double>(whole_vectors(depth, bits));
    o.way = !are_whole_blocks(c) ? within_reach(c) ? "by offsets" : "staged" : depth <= 64 ? "few" : "";
    o.work.starts = images * rounded_up(pixels, 4) / 4;
    // In an image of one row, four pixels are copied at once.
    if (o.way == "few" && in_one_row(c).in.height == 1) o.work.rows = 0;
    o.work.results = images * rounded_up(pixels, 4) * rounded_up(channels, 2);
    o.work.products = o.work.results * padded;
    o.constants = bytes_of(static_cast<double>(c.groups) * rounded_up(channels, 2) * padded, bits);
    o.workspace = static_cast<std::uint64_t>(patches_workspace(c, whole_vectors(depth, bits)));
  } else if (path == Path::dsp) {
    const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
    o.way = staged ? "staged" : "";
    o.work.starts = images * rounded_up(pixels, 4) / 4 * static_cast<double>(channels);
    o.work.results = 4 * o.work.starts;
    const auto padded = static_cast<double>(whole_words(depth, bits));
    o.work.products = o.work.results * padded;
    o.constants = bytes_of(static_cast<double>(c.out.channels) * padded, bits);
    o.workspace = static_cast<std::uint64_t>(padded * (staged ? 9 : 8));
    o.reads = o.work.starts * static_cast<double>(bytes_of(padded, bits));
  } else {
    if (c.in_place() && !copies) o.work.rows = o.work.copied = 0;
    o.work.starts = images * rounded_up(pixels, 2) / 2 * rounded_up(channels, 2) / 2;
    o.work.results = images * static_cast<double>(pixels * channels);
    o.work.products = 4 * o.work.starts * static_cast<double>(depth);
    o.constants = static_cast<std::uint64_t>(c.out.channels) * bytes_of(static_cast<double>(depth), bits);
    o.workspace = static_cast<std::uint64_t>(2 * depth);
  }
  return o;
}

KernelOption depthwise_option(const Convolution& image, const QuantisedLayer& layer, unsigned bits,
                              const LayerQuestion& q, bool last_use) {
  const Scaling scaling = layer.scaling;
  const DepthwisePlan plan = plan_depthwise(image, scaling, bits, q.target, q.attempt, last_use);
  const bool has_lines =
      takes_lines(plan) && lines_of(layer, image.clamp, filter_rows_of(image, layer.weights), image.out.channels);
  const Convolution& c = plan.c;
  const SumFactors f = sum_factors(scaling, layer.in, layer.weights, layer.bias, layer.out, image.out.channels);
  // Int8 weights hardly ever have other scales: their kernel has no fast form for them.
  const bool slow = bits == 8 && plan.path == Path::dsp && !has_lines && scaling == Scaling::tflite &&
                    !std::all_of(f.multipliers.begin(), f.multipliers.end(), is_fast);
  KernelOption o;
  o.kernel = path_stem("depthwise_s8", plan.path) + bits_suffix(bits);
  o.suffix = requant_suffix(scaling);
  if (plan.path != Path::mve)
    o.way = !is_plain_3x3(plan) || slow ? "" : is_strided_3x3(plan) ? "3x3 strided" : has_lines ? "3x3 line" : "3x3";
  else if (plan.block_w)
    o.way = "blocks";
  const std::int64_t bands = (c.out.height + plan.band_rows - 1) / plan.band_rows;
  const std::int64_t rows = bands * plan.plane(plan.band_rows) / plan.plane_w;
  const std::int64_t multiplier = c.out.channels / c.in.channels;
  const auto planes = static_cast<double>(c.in.batch * c.in.channels);
  o.work.starts = planes * static_cast<double>(bands * multiplier);
  o.work.rows = planes * static_cast<double>(rows + multiplier * c.out.height);
  o.work.copied = planes * static_cast<double>(rows * plan.plane_w);
  o.work.results = planes * static_cast<double>(multiplier * c.out.height) * rounded_up(c.out.width, 2);
  if (plan.block_w) {
    // Rows are copied only, once for all channels of a plane; all results of a band are one loop.
    const double copies = planes / static_cast<double>(plan.channels);
    o.work.rows = copies * static_cast<double>(rows);
    o.work.copied = copies * static_cast<double>(rows * plan.plane_w);
    o.work.results = planes * static_cast<double>(multiplier * plan.blocks(c.out.height) * 4);
  }
  // A block of results takes what it takes, however many taps they have.
  o.work.products = plan.block_w ? 0 : o.work.results * static_cast<double>(c.taps());
  o.constants = bytes_of(static_cast<double>(c.out.channels * c.taps()), bits);
  o.workspace = static_cast<std::uint64_t>(plan.workspace(plan.band_rows));
  return o;
}

// Depthwise, eight channels at a time through all taps.
bool takes_vector_taps(const Convolution& c, const QuantisedLayer& layer, const TargetSpec& target) {
  return kernel_path(layer.scaling, target) == Path::mve && c.group_out() == 1 && c.in.chan == 1 && c.out.chan == 1 &&
         fits_vectors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, c.out.channels);
}

KernelOption vector_taps_option(const Convolution& c, Scaling scaling) {
  KernelOption o;
  o.kernel = kVectorTaps;
  o.suffix = requant_suffix(scaling);
  o.work.starts = static_cast<double>(c.in.batch * c.out.height * c.out.width);
  o.work.rows = o.work.starts * static_cast<double>(c.taps());
  o.work.results = o.work.starts * rounded_up(c.out.channels, 8);
  o.work.products = o.work.results * static_cast<double>(c.taps());
  o.constants = static_cast<std::uint64_t>(rounded_up(c.out.channels, 8)) * static_cast<std::uint64_t>(c.taps());
  o.workspace = static_cast<std::uint64_t>(4 * c.taps() + c.in.channels);
  return o;
}

}  // namespace

KernelOption small_conv_option(const Convolution& c, Scaling scaling, unsigned bits, const TargetSpec& target) {
  const bool dsp = kernel_path(scaling, target) == Path::dsp, by_pixels = c.depthwise() && c.group_out() == 1;
  const std::int64_t depth = c.depth(), block = dsp ? 4 : 2, pixels = c.out.height * c.out.width;
  KernelOption o;
  const auto padded = static_cast<double>(dsp ? whole_words(depth, bits) : depth);
  o.kernel = std::string(kSmallConv) + bits_suffix(bits);
  o.suffix = requant_suffix(scaling);
  o.constants = static_cast<std::uint64_t>(c.out.channels) * bytes_of(padded, bits);
  if (by_pixels) {
    o.constants = bytes_of(static_cast<double>(c.out.channels * depth), bits);
    o.way = "by pixels";
    o.work.starts = static_cast<double>(c.in.batch * pixels);
    o.work.rows = o.work.starts * static_cast<double>(c.taps());
    o.work.results = o.work.starts * static_cast<double>(c.out.channels);
    o.work.products = o.work.results * static_cast<double>(depth);
    o.workspace = static_cast<std::uint64_t>(4 * c.out.channels);
    o.reads = o.work.starts * static_cast<double>(o.constants);
    return o;
  }
  const auto images = static_cast<double>(c.in.batch * c.groups);
  o.work.starts = images * rounded_up(pixels, block) / static_cast<double>(block) * static_cast<double>(c.group_out());
  o.work.rows = images * static_cast<double>(pixels * c.taps());
  o.work.copied = images * static_cast<double>(pixels * depth);
  o.work.results = images * static_cast<double>(pixels * c.group_out());
  o.work.products = o.work.starts * static_cast<double>(block) * padded;
  o.workspace = static_cast<std::uint64_t>(padded * (dsp ? 8 : 2));
  o.reads = o.work.starts * static_cast<double>(bytes_of(padded, bits));
  return o;
}

std::vector<KernelOption> conv_layer_options(const LayerQuestion& q, const Node& node, const QuantisedLayer& layer) {
  Verdict why;
  const auto c = read_convolution(q.region, node, layer.in, layer.weights, layer.out, why);
  if (!c || is_general(layer, c->filter.out_axis, c->depth(), q.objective)) return {};
  if (const auto dense = as_dense(*c)) return dense_options(q, layer, *dense);
  const bool last_use = is_last_use(q.region, layer.input);
  std::vector<KernelOption> out;
  for (const unsigned bits : bits_to_choose(packed_bits(layer, c->filter.out_axis, c->depth()), q.objective)) {
    if (c->depthwise()) {
      out.push_back(depthwise_option(*c, layer, bits, q, last_use));
      if (bits == 8 && takes_vector_taps(*c, layer, q.target)) out.push_back(vector_taps_option(*c, layer.scaling));
      if (out.back().kernel == "depthwise_s8_dsp" && q.objective != Objective::size)
        if (const auto channels = taps_channels(*c, layer, filter_rows_of(*c, layer.weights)))
          out.push_back(taps_option(*c, *channels));
    } else {
      const std::size_t patches = out.size();
      out.push_back(patches_option(*c, layer.scaling, bits, q, last_use));
      if (out.back().kernel == "conv_s8_dsp") {
        const auto forms = twin_channels(*c, layer, filter_rows_of(*c, layer.weights));
        // Layers without lines take the last form, and two forms are twice the code, for a twentieth of the time.
        const bool fast = q.objective == Objective::speed;
        if (!forms.empty()) {
          const TwinChannels& twins = fast ? forms.front() : forms.back();
          out.push_back(twin_option(*c, twins, out[patches]));
          const auto blocks = fast ? block_option(*c, q.target, out.back()) : std::nullopt;
          if (blocks) out.push_back(*blocks);
        }
      }
    }
    if (kernel_path(layer.scaling, q.target) != Path::mve)
      out.push_back(small_conv_option(*c, layer.scaling, bits, q.target));
  }
  return out;
}

std::vector<KernelOption> conv_options(const LayerQuestion& q, const Node& node) {
  if (!q.region.values[node.inputs[0]].quantised()) return {};
  return conv_layer_options(q, node, lifted_layer(q.region, node));
}

}  // namespace byoc::c
