#include "lower.hpp"

#include <algorithm>
#include <cstring>

#include "weights.hpp"

namespace npu {
namespace {

constexpr std::uint64_t kAlign = NPU_ALIGN;

std::uint64_t align_up(std::uint64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

std::int64_t row_of(const Value& v) { return v.dims.empty() ? 1 : v.dims.back(); }

// Rows inside the region start at multiples of the device's 16-byte bus, where nobody looks across their ends. What
// crosses the region's border keeps the graph's layout.
std::vector<Storage> store_values(const Region& region, const std::vector<Layer>& layers) {
  std::vector<Storage> out(region.values.size());
  for (ValueId v = 0; v < out.size(); ++v) out[v].root = v;
  for (const Layer& l : layers)
    if (l.kind == Layer::Kind::reshape) out[l.output.value].root = out[l.inputs[0].value].root;
  std::vector<bool> dense(out.size(), false);
  for (const ValueId v : region.inputs) out[out[v].root].border = true;
  for (const ValueId v : region.outputs) out[out[v].root].border = true;
  for (const Layer& l : layers) {
    for (const View& view : l.inputs)
      if (view.dense) dense[out[view.value].root] = true;
    if (l.output.dense) dense[out[l.output.value].root] = true;
  }
  for (ValueId v = 0; v < out.size(); ++v) {
    Storage& s = out[v];
    const std::int64_t row = row_of(region.values[v]);
    s.border = out[s.root].border;
    s.pitch = s.border || dense[s.root] ? row : static_cast<std::int64_t>(align_up(static_cast<std::uint64_t>(row)));
    const std::int64_t elements = region.values[v].elements();
    s.bytes = row == 0 ? 0 : static_cast<std::uint64_t>(elements / row * s.pitch);
  }
  return out;
}

// Offsets for values of the region's own: largest first, each in the lowest gap among those alive at the same time.
std::map<ValueId, std::uint32_t> share_scratch(const std::vector<Layer>& layers, const std::vector<Storage>& storage,
                                               std::uint32_t start, std::uint32_t& end) {
  struct Life {
    ValueId value;
    std::size_t first, last;
    std::uint64_t offset = 0;
  };
  std::vector<Life> lives;
  const auto touch = [&](ValueId v, std::size_t layer) {
    const ValueId root = storage[v].root;
    if (storage[root].border) return;
    const auto known = std::find_if(lives.begin(), lives.end(), [&](const Life& l) { return l.value == root; });
    if (known == lives.end())
      lives.push_back({root, layer, layer});
    else
      known->last = layer;
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const View& view : layers[i].inputs) touch(view.value, i);
    touch(layers[i].output.value, i);
  }
  const auto size = [&](const Life& l) { return align_up(storage[l.value].bytes); };
  std::stable_sort(lives.begin(), lives.end(), [&](const Life& a, const Life& b) { return size(a) > size(b); });
  std::map<ValueId, std::uint32_t> out;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    Life& life = lives[i];
    life.offset = start;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t k = 0; k < i; ++k) {
        const Life& other = lives[k];
        if (other.last < life.first || life.last < other.first) continue;
        if (life.offset + size(life) <= other.offset || other.offset + size(other) <= life.offset) continue;
        life.offset = other.offset + size(other);
        moved = true;
      }
    }
    out[life.value] = static_cast<std::uint32_t>(life.offset);
    end = std::max(end, static_cast<std::uint32_t>(life.offset + size(life)));
  }
  return out;
}

template <class T>
void append(std::vector<std::byte>& out, const T& item) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&item);
  out.insert(out.end(), bytes, bytes + sizeof item);
}

class JobWriter {
 public:
  JobWriter(const Region& region, const std::vector<Storage>& storage, const std::map<ValueId, std::uint32_t>& scratch,
            std::uint32_t line_bytes, Job& job)
      : region_(region), storage_(storage), scratch_(scratch), job_(job) {
    job_.line_bytes = line_bytes;
    job_.scratch_bytes = line_bytes;
  }

  void add(const Layer& layer) {
    job_.macs += layer.macs;
    switch (layer.kind) {
      case Layer::Kind::convolution: return add_convolution(layer);
      case Layer::Kind::average: return add_pool(layer, NPU_AVERAGE);
      case Layer::Kind::maximum: return add_pool(layer, NPU_MAXIMUM);
      case Layer::Kind::add: return add_sum(layer);
      case Layer::Kind::reshape: return;
    }
  }

 private:
  static std::uint32_t index_in(std::vector<ValueId>& list, ValueId v) {
    const auto at = std::find(list.begin(), list.end(), v);
    const auto index = static_cast<std::uint32_t>(at - list.begin());
    if (at == list.end()) list.push_back(v);
    return index;
  }

  npu_map_t map(const View& view, bool is_output) {
    const Storage& s = storage_[view.value];
    const Value& v = region_.values[view.value];
    npu_map_t m{};
    if (const auto own = scratch_.find(s.root); own != scratch_.end()) {
      m.base = NPU_SCRATCH;
      m.offset = own->second;
      job_.scratch_bytes =
          std::max(job_.scratch_bytes, static_cast<std::uint32_t>(align_up(own->second + storage_[s.root].bytes)));
    } else {
      // What the job itself computed before is read where it was written.
      const bool computed =
          is_output || std::find(job_.outputs.begin(), job_.outputs.end(), s.root) != job_.outputs.end();
      m.base = computed ? NPU_OUTPUT + index_in(job_.outputs, s.root) : NPU_INPUT + index_in(job_.inputs, s.root);
    }
    m.height = view.height;
    m.width = view.width;
    m.channels = view.channels;
    const auto pitch = static_cast<std::int32_t>(view.dense ? view.channels : s.pitch);
    m.stride_x = view.channels_first ? 1 : pitch;
    m.stride_y = view.channels_first ? pitch : view.width * pitch;
    m.stride_c = view.channels_first ? view.height * pitch : 1;
    m.zero_point = static_cast<std::int32_t>(v.quantisation.zero_points[0]);
    return m;
  }

  // Pads the command to a multiple of the alignment.
  template <class Command>
  void put(Command command, std::uint32_t opcode, const Layer& layer) {
    constexpr auto kWords = static_cast<std::uint32_t>((sizeof(Command) + NPU_ALIGN - 1) / NPU_ALIGN * NPU_ALIGN / 4);
    command.header = {opcode, kWords, layer.low, layer.high};
    const std::size_t at = job_.commands.size();
    job_.commands.resize(at + kWords, 0);
    std::memcpy(job_.commands.data() + at, &command, sizeof command);
  }

  void add_convolution(const Layer& layer) {
    npu_convolution_t c{};
    c.in = map(layer.inputs[0], false);
    c.out = map(layer.output, true);
    c.window = layer.window;
    c.in_per_group = layer.in_per_group;
    c.out_per_group = layer.out_per_group;
    const std::size_t each = layer.weights.size() / layer.channels.size();
    const std::size_t pass = std::clamp<std::size_t>(job_.line_bytes / each, 1, layer.channels.size());
    c.channels_per_pass = static_cast<std::int32_t>(pass);
    job_.weights.resize(align_up(job_.weights.size()));
    c.channels = static_cast<std::uint32_t>(job_.weights.size());
    for (const npu_channel_t& channel : layer.channels) append(job_.weights, channel);
    c.weights = static_cast<std::uint32_t>(job_.weights.size());
    const std::span<const std::int8_t> all(layer.weights);
    std::vector<std::byte> packed;
    for (std::size_t first = 0; first < all.size(); first += pass * each)
      pack(all.subspan(first, std::min(pass * each, all.size() - first)), packed);
    // What training has left dense does not get shorter.
    c.packed = packed.size() < all.size() ? 1 : 0;
    if (c.packed == 0) packed.assign(std::as_bytes(all).begin(), std::as_bytes(all).end());
    job_.weights.insert(job_.weights.end(), packed.begin(), packed.end());
    put(c, NPU_CONVOLUTION, layer);
  }

  void add_pool(const Layer& layer, std::uint32_t opcode) {
    npu_pool_t p{};
    p.in = map(layer.inputs[0], false);
    p.out = map(layer.output, true);
    p.window = layer.window;
    put(p, opcode, layer);
  }

  void add_sum(const Layer& layer) {
    npu_add_t s{};
    s.a = map(layer.inputs[0], false);
    s.b = map(layer.inputs[1], false);
    s.out = map(layer.output, true);
    s.a_factor = layer.factors[0];
    s.b_factor = layer.factors[1];
    s.out_factor = layer.factors[2];
    put(s, NPU_ADD, layer);
  }

  const Region& region_;
  const std::vector<Storage>& storage_;
  const std::map<ValueId, std::uint32_t>& scratch_;
  Job& job_;
};

// Decoded weights of one pass: all of the layer where they fit.
std::uint32_t line_of(const Layer& layer) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(align_up(layer.weights.size()), NPU_LINE_MOST));
}

Job one_job(const Region& region, const std::vector<Layer>& layers, const std::vector<Storage>& storage) {
  std::uint32_t line = 0;
  for (const Layer& l : layers) line = std::max(line, line_of(l));
  std::uint32_t end = line;
  const std::map<ValueId, std::uint32_t> scratch = share_scratch(layers, storage, line, end);
  Job job;
  JobWriter writer(region, storage, scratch, line, job);
  for (byoc::codegen::NodeId n = 0; n < layers.size(); ++n) {
    writer.add(layers[n]);
    job.nodes.push_back(n);
  }
  return job;
}

}  // namespace

Plan lower(const Region& region, const std::vector<Layer>& layers, Granularity granularity) {
  Plan out;
  out.values = store_values(region, layers);
  if (granularity == Granularity::region) {
    out.jobs.push_back(one_job(region, layers, out.values));
  } else {
    for (byoc::codegen::NodeId n = 0; n < layers.size(); ++n) {
      Job job;
      JobWriter(region, out.values, {}, line_of(layers[n]), job).add(layers[n]);
      job.nodes = {n};
      out.jobs.push_back(std::move(job));
    }
  }
  std::erase_if(out.jobs, [](const Job& job) { return job.commands.empty(); });
  return out;
}

}  // namespace npu
