#include "backends/llvm/kernels/nest.hpp"

#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {

Nest nest_of(const std::vector<std::int64_t>& result, const std::vector<std::vector<std::int64_t>>& shapes) {
  Nest out;
  out.steps.resize(shapes.size());
  std::vector<std::int64_t> step(shapes.size(), 1);  // of dense operands, from the last dim on
  for (std::size_t back = 1; back <= result.size(); ++back) {
    const std::int64_t length = result[result.size() - back];
    std::vector<std::int64_t> own(shapes.size(), 0);
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      if (shapes[s].size() < back) continue;
      const std::int64_t has = shapes[s][shapes[s].size() - back];
      if (has != 1) own[s] = step[s];
      step[s] *= has;
    }
    if (length == 1) continue;
    bool joins = !out.dims.empty();
    for (std::size_t s = 0; s < shapes.size() && joins; ++s) joins = own[s] == out.steps[s].back() * out.dims.back();
    if (joins) {
      out.dims.back() *= length;
      continue;
    }
    out.dims.push_back(length);
    for (std::size_t s = 0; s < shapes.size(); ++s) out.steps[s].push_back(own[s]);
  }
  if (out.dims.empty()) {
    out.dims.push_back(1);
    for (auto& steps : out.steps) steps.push_back(0);
  }
  std::reverse(out.dims.begin(), out.dims.end());
  for (auto& steps : out.steps) std::reverse(steps.begin(), steps.end());
  return out;
}

namespace {
constexpr std::int64_t kVectors = 4;  // of one iteration
}  // namespace

std::int64_t pieces_of(const Machine& machine, const Nest& n) {
  const std::int64_t each = n.dims.size() == 1 ? machine.lanes * kVectors : 1;
  return (n.dims[0] + each - 1) / each;
}

std::string key_of(const Nest& n) {
  std::ostringstream out;
  if (n.by_range) out << "by range ";
  for (const std::int64_t d : n.dims) out << d << ' ';
  for (const auto& steps : n.steps) {
    out << '/';
    for (const std::int64_t s : steps) out << s << ' ';
  }
  for (const Real real : n.operands) out << ' ' << static_cast<int>(real);
  out << '/' << static_cast<int>(n.out);
  return out.str();
}

void write_nest(Code& code, const std::string& symbol, const Nest& n, const Lanewise& f) {
  code.begin_function(symbol, n.steps.size() + 1, false, false, n.by_range);
  const std::size_t last = n.dims.size() - 1;
  const std::int64_t lanes = code.machine().lanes;
  const std::function<void(std::size_t, const Values&, Value)> walk = [&](std::size_t d, const Values& from, Value to) {
    if (d == last) {
      for_pieces(code, n.by_range && d == 0, n.dims[d], lanes * kVectors, [&](Value start, std::int64_t length) {
        for (std::int64_t v = 0; v < length; v += lanes) {
          const std::int64_t valid = std::min(lanes, length - v);
          const Value at = code.plus(start, v);
          Values operands;
          for (std::size_t s = 0; s < from.size(); ++s)
            operands.push_back(n.steps[s][d] == 0
                                   ? code.spread(code.load(from[s], 1, 1, n.real(s)), lanes)
                                   : code.load(code.at(from[s], at, n.real(s)), lanes, valid, n.real(s)));
          code.store(f(code, operands, lanes), code.at(to, at, n.out), valid, n.out);
        }
      });
      return;
    }
    std::int64_t inner = 1;
    for (std::size_t i = d + 1; i < n.dims.size(); ++i) inner *= n.dims[i];
    for_each(code, n.by_range && d == 0, 0, n.dims[d], [&](Value i) {
      Values own;
      for (std::size_t s = 0; s < from.size(); ++s)
        own.push_back(n.steps[s][d] == 0 ? from[s] : code.at(from[s], code.times(i, n.steps[s][d]), n.real(s)));
      walk(d + 1, own, code.at(to, code.times(i, inner), n.out));
    });
  };
  Values from;
  for (std::size_t s = 0; s < n.steps.size(); ++s) from.push_back(code.argument(s));
  walk(0, from, code.argument(n.steps.size()));
  code.end_function();
}

}  // namespace byoc::bitcode
