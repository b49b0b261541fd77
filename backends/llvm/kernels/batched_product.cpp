#include "backends/llvm/kernels/batched_product.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {
namespace {

// to[block][depth][channel] = from, the columns behind the last one zero.
void pack(Code& code, const nodes::MatMul& m, const Tile& tile, Value from, Value to) {
  const std::int64_t channels = tile.channels();
  for_pieces(code, m.columns, channels, [&](Value column, std::int64_t count) {
    const Value block = code.at(to, code.times(column, m.depth));
    const Value first = code.at(from, code.times(column, m.b_column));
    code.loop(m.depth, [&](Value k) {
      const Value row = code.at(block, code.times(k, channels)), source = code.at(first, code.times(k, m.b_depth));
      for (std::int64_t c = 0; c < channels; c += tile.lanes) {
        const std::int64_t valid = std::clamp<std::int64_t>(count - c, 0, tile.lanes);
        if (valid == 0) continue;  // product kernels do not read vectors without a column
        if (m.b_column == 1) {
          code.store(code.load(code.at(source, c), tile.lanes, valid), code.at(row, c), tile.lanes);
          continue;
        }
        for (std::int64_t i = 0; i < tile.lanes; ++i) {
          const Value v = i < valid ? code.load(code.at(source, (c + i) * m.b_column), 1) : code.real(0, 1);
          code.store(v, code.at(row, c + i), 1);
        }
      }
    });
  });
}

}  // namespace

Product one_of(const nodes::MatMul& m) {
  Product p;
  p.in = m.depth;
  p.out = m.columns;
  p.cols = m.rows;
  p.x_col = m.a_row;
  p.y_col = m.columns;
  return p;
}

std::int64_t packed_floats(const nodes::MatMul& m, const Tile& tile) {
  return blocks_of(m.columns, tile.channels()) * tile.channels() * m.depth;
}

void write_batched_product(Code& code, const std::string& symbol, const nodes::MatMul& m, const Tile& tile,
                           const std::string& product) {
  enum : std::size_t { kA, kB, kBias, kY, kPacked, kArguments };
  code.begin_function(symbol, kArguments, false, true);
  const Value packed = code.argument(kPacked);
  // A right matrix is packed once for all batches that share it.
  std::size_t packs = 0;  // in the loop before this one
  for (std::size_t d = 0; d < nodes::kMatMulBatchRank; ++d)
    if (m.b_batch[d] != 0 && m.batch[d] != 1) packs = d + 1;
  const std::function<void(std::size_t, Value, Value, Value)> walk = [&](std::size_t d, Value a, Value b, Value y) {
    if (d == packs) pack(code, m, tile, b, packed);
    if (d == nodes::kMatMulBatchRank) {
      const Value arguments[] = {a, packed, code.argument(kBias), y};
      return code.call(product, arguments);
    }
    std::int64_t inner = m.rows * m.columns;
    for (std::size_t i = d + 1; i < nodes::kMatMulBatchRank; ++i) inner *= m.batch[i];
    code.loop(m.batch[d], [&](Value i) {
      walk(d + 1, code.at(a, code.times(i, m.a_batch[d])), code.at(b, code.times(i, m.b_batch[d])),
           code.at(y, code.times(i, inner)));
    });
  };
  walk(0, code.argument(kA), code.argument(kB), code.argument(kY));
  code.end_function();
}

std::string key_of(const nodes::MatMul& m) {
  std::ostringstream out;
  for (const auto* steps : {&m.batch, &m.a_batch, &m.b_batch})
    for (const std::int64_t n : *steps) out << n << ' ';
  out << m.b_depth << ' ' << m.b_column;
  return out.str();
}

}  // namespace byoc::bitcode
