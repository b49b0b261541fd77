#include "sdk/program/graphjson/params.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace byoc {
namespace {

constexpr std::uint64_t kDictionary = 0xF7E58D4F05049CB7;
constexpr std::uint64_t kTensor = 0xDD5E40F096B4A13F;
constexpr std::int32_t kMostDims = 64;

template <class T>
T little_endian(T value) {
  if constexpr (std::endian::native == std::endian::big) {
    auto* first = reinterpret_cast<unsigned char*>(&value);
    std::reverse(first, first + sizeof value);
  }
  return value;
}

class ParamsReader {
 public:
  ParamsReader(std::span<const std::byte> file, const std::string& name, Diagnostics& diags)
      : rest_(file), size_(file.size()), name_(name), diags_(diags) {}

  Result<std::vector<Param>> run() {
    std::uint64_t magic = 0, reserved = 0, count = 0, tensors = 0;
    if (!number(magic) || magic != kDictionary) return error({}, "is no file of parameters");
    std::set<std::string> seen;
    if (!number(reserved) || !number(count)) return cut({});
    std::vector<Param> out;
    for (std::uint64_t i = 0; i < count; ++i) {
      Param p;
      if (!string(p.name)) return cut("name " + std::to_string(i));
      if (!seen.insert(p.name).second) return error(p.name, "two parameters have this name");
      out.push_back(std::move(p));
    }
    if (!number(tensors)) return cut({});
    if (tensors != count)
      return diags_.error(name_, {}, "has different numbers of tensors and names", std::to_string(tensors),
                          std::to_string(count));
    for (Param& p : out)
      if (!tensor(p)) return failure;
    if (!rest_.empty()) return error({}, std::to_string(rest_.size()) + " bytes follow the last parameter");
    return out;
  }

 private:
  Failure error(const std::string& param, const std::string& what) {
    return diags_.error(name_, param, what + " (at byte " + std::to_string(size_ - rest_.size()) + ")");
  }
  Failure cut(const std::string& what) { return error(what, "ends early"); }

  template <class T>
  bool number(T& out) {
    if (rest_.size() < sizeof out) return false;
    std::memcpy(&out, rest_.data(), sizeof out);
    out = little_endian(out);
    rest_ = rest_.subspan(sizeof out);
    return true;
  }

  bool string(std::string& out) {
    std::uint64_t length = 0;
    if (!number(length) || length > rest_.size()) return false;
    out.assign(reinterpret_cast<const char*>(rest_.data()), length);
    rest_ = rest_.subspan(length);
    return true;
  }

  Result<void> tensor(Param& p) {
    std::uint64_t magic = 0, reserved = 0;
    std::int32_t device = 0, id = 0, dims = 0;
    if (!number(magic) || !number(reserved) || !number(device) || !number(id) || !number(dims) ||
        !number(p.type.code) || !number(p.type.bits) || !number(p.type.lanes))
      return cut(p.name);
    if (magic != kTensor) return error(p.name, "is no tensor");
    if (device != BYOC_DL_CPU)
      return diags_.error(name_, p.name, "is on a device that is not the CPU", std::to_string(device), "1");
    if (p.type.bits == 0 || p.type.lanes != 1 || p.type.code > BYOC_DL_BFLOAT || p.type.code == BYOC_PACKED_HANDLE)
      return diags_.error(name_, p.name, "has an unknown element type",
                          "code " + std::to_string(p.type.code) + ", " + std::to_string(p.type.bits) + " bits, " +
                              std::to_string(p.type.lanes) + " lanes");
    if (dims < 0 || dims > kMostDims)
      return diags_.error(name_, p.name, "has a number of dimensions that is out of range", std::to_string(dims),
                          "0 to " + std::to_string(kMostDims));
    for (std::int32_t d = 0; d < dims; ++d) {
      p.shape.push_back(0);
      if (!number(p.shape.back())) return cut(p.name);
    }
    return content(p);
  }

  Result<void> content(Param& p) {
    std::int64_t bytes = 0;
    if (!number(bytes)) return cut(p.name);
    const auto expected = tensor_bytes(p.type, p.shape);
    if (!expected || bytes < 0 || static_cast<std::uint64_t>(bytes) != *expected)
      return diags_.error(name_, p.name, "has another size than its shape", std::to_string(bytes) + " bytes",
                          expected ? std::to_string(*expected) : "a shape with a size");
    if (*expected > rest_.size()) return cut(p.name);
    p.bytes = rest_.first(*expected);
    rest_ = rest_.subspan(*expected);
    return {};
  }

  std::span<const std::byte> rest_;
  const std::size_t size_;
  const std::string& name_;
  Diagnostics& diags_;
};

class Writer {
 public:
  template <class T>
  void number(T value) {
    value = little_endian(value);
    append(std::as_bytes(std::span(&value, 1)));
  }
  void append(std::span<const std::byte> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

}  // namespace

Result<std::vector<Param>> read_params(std::span<const std::byte> file, const std::string& name, Diagnostics& diags) {
  return ParamsReader(file, name, diags).run();
}

std::vector<std::byte> write_params(std::vector<Param> params) {
  std::sort(params.begin(), params.end(), [](const Param& a, const Param& b) { return a.name < b.name; });
  Writer out;
  out.number(kDictionary);
  out.number(std::uint64_t{0});
  out.number(std::uint64_t{params.size()});
  for (const Param& p : params) {
    out.number(std::uint64_t{p.name.size()});
    out.append(std::as_bytes(std::span(p.name)));
  }
  out.number(std::uint64_t{params.size()});
  for (const Param& p : params) {
    out.number(kTensor);
    out.number(std::uint64_t{0});
    for (const std::int32_t n : {std::int32_t{BYOC_DL_CPU}, 0, static_cast<std::int32_t>(p.shape.size())})
      out.number(n);
    out.number(p.type.code);
    out.number(p.type.bits);
    out.number(p.type.lanes);
    for (const std::int64_t d : p.shape) out.number(d);
    out.number(static_cast<std::int64_t>(p.bytes.size()));
    out.append(p.bytes);
  }
  return out.take();
}

}  // namespace byoc
