// The output of a vendor's compiler: the CUSTOM operators of a .tflite file with their tensors, for plug-ins that hand
// Host::region_as_tflite() to a tool and get a compiled model back (command streams, weights, scratch sizes).
//
// Reads the file in place, without FlatBuffers' library; every offset is checked. The format: schema version 3 of
// TensorFlow Lite, https://flatbuffers.dev/internals. Standard headers only.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "byoc/types.hpp"

namespace byoc::tflite_file {

// dtype is undefined where the SDK does not have the type. `data` are the file's own bytes; empty where the tensor is
// computed, given or scratch.
struct Tensor {
  std::string name;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  Quantisation quantisation;
  bool is_variable = false;
  std::span<const std::byte> data;
};

struct CustomOperator {
  std::string code;  // "ethos-u"
  std::span<const std::byte> options;
  std::vector<std::optional<Tensor>> inputs;  // nothing where an optional one is not given
  std::vector<std::optional<Tensor>> outputs;
};

// The contents of the file's first subgraph.
struct Contents {
  std::vector<Tensor> inputs, outputs;
  std::vector<CustomOperator> custom;  // in the order of the file
  std::size_t builtin = 0;             // operators that the compiler has left as they were
};

namespace detail {

using Bytes = std::span<const std::byte>;

struct Damaged {};

// A place in the file. Every read is checked; what is outside throws Damaged, which read() catches.
class Table {
 public:
  Table(Bytes file, std::uint64_t at) : file_(file), at_(at) {
    const std::uint64_t vtable = at_ - static_cast<std::uint64_t>(std::int64_t{number<std::int32_t>(at_)});
    vtable_ = vtable;
    fields_ = number<std::uint16_t>(vtable_);
  }
  static Table root(Bytes file) {
    const Table start(file);
    return {file, start.number<std::uint32_t>(0)};
  }
  template <class T>
  [[nodiscard]] T scalar(std::uint32_t field, T otherwise) const {
    const std::uint64_t at = place(field);
    return at == 0 ? otherwise : number<T>(at);
  }
  [[nodiscard]] std::optional<Table> table(std::uint32_t field) const {
    const std::uint64_t at = place(field);
    if (at == 0) return std::nullopt;
    return Table(file_, at + number<std::uint32_t>(at));
  }
  // The elements of a vector of scalars.
  template <class T>
  [[nodiscard]] std::vector<T> list(std::uint32_t field) const {
    const Bytes bytes = vector(field, sizeof(T));
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  [[nodiscard]] Bytes vector(std::uint32_t field, std::uint64_t size) const {
    const std::uint64_t at = place(field);
    if (at == 0) return {};
    const std::uint64_t start = at + number<std::uint32_t>(at);
    const std::uint64_t bytes = number<std::uint32_t>(start) * size;
    return slice(start + sizeof(std::uint32_t), bytes);
  }
  [[nodiscard]] std::string text(std::uint32_t field) const {
    const Bytes bytes = vector(field, 1);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] std::vector<Table> tables(std::uint32_t field) const {
    const Bytes offsets = vector(field, sizeof(std::uint32_t));
    std::vector<Table> out;
    for (std::size_t i = 0; i < offsets.size(); i += sizeof(std::uint32_t)) {
      const auto at = static_cast<std::uint64_t>(offsets.data() + i - file_.data());
      out.emplace_back(file_, at + number<std::uint32_t>(at));
    }
    return out;
  }
  [[nodiscard]] Bytes slice(std::uint64_t at, std::uint64_t size) const {
    if (at > file_.size() || size > file_.size() - at) throw Damaged();
    return file_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  }

 private:
  explicit Table(Bytes file) : file_(file) {}

  template <class T>
  [[nodiscard]] T number(std::uint64_t at) const {
    T out;
    std::memcpy(&out, slice(at, sizeof out).data(), sizeof out);
    return out;
  }
  // The position of a field; 0: not in this table.
  [[nodiscard]] std::uint64_t place(std::uint32_t field) const {
    const std::uint64_t entry = 4 + 2 * std::uint64_t{field};
    if (entry + 2 > fields_) return 0;
    const auto offset = number<std::uint16_t>(vtable_ + entry);
    return offset == 0 ? 0 : at_ + offset;
  }

  Bytes file_;
  std::uint64_t at_ = 0;
  std::uint64_t vtable_ = 0;
  std::uint16_t fields_ = 0;
};

// Indexed by the numbers of TensorFlow Lite's schema.
[[nodiscard]] inline DType dtype_of(std::int8_t type) {
  constexpr DType kTypes[] = {DType::f32,       DType::f16,       DType::i32, DType::u8,        DType::i64,
                              DType::undefined, DType::boolean,   DType::i16, DType::undefined, DType::i8,
                              DType::f64,       DType::undefined, DType::u64, DType::undefined, DType::undefined,
                              DType::u32,       DType::u16,       DType::i4,  DType::bf16,      DType::i2};
  const auto i = static_cast<std::size_t>(type);
  return type >= 0 && i < std::size(kTypes) ? kTypes[i] : DType::undefined;
}

// Many operators may name one tensor: the lists that they make are bounded by this many tensors for every byte of the
// file.
class Reader {
 public:
  explicit Reader(Bytes file) : file_(file), model_(Table::root(file)) {
    const std::vector<Table> graphs = model_.tables(2);
    if (graphs.empty()) throw Damaged();
    graph_.emplace(graphs[0]);
    tensors_ = graph_->tables(0);
    buffers_ = model_.tables(4);
  }

  [[nodiscard]] Contents read() {
    Contents out;
    for (const std::int32_t t : graph_->list<std::int32_t>(1)) out.inputs.push_back(tensor(t));
    for (const std::int32_t t : graph_->list<std::int32_t>(2)) out.outputs.push_back(tensor(t));
    const std::vector<Table> codes = model_.tables(1);
    for (const Table& op : graph_->tables(3)) {
      const auto index = op.scalar<std::uint32_t>(0, 0);
      if (index >= codes.size()) throw Damaged();
      const Table& code = codes[index];
      constexpr std::int32_t kCustom = 32;
      if (std::max<std::int32_t>(code.scalar<std::int32_t>(3, 0), code.scalar<std::int8_t>(0, 0)) != kCustom) {
        ++out.builtin;
        continue;
      }
      CustomOperator custom{code.text(1), op.vector(5, 1), operands(op, 1), operands(op, 2)};
      if (const auto size = op.scalar<std::uint64_t>(10, 0); size != 0)
        custom.options = op.slice(op.scalar<std::uint64_t>(9, 0), size);
      out.custom.push_back(std::move(custom));
    }
    return out;
  }

 private:
  [[nodiscard]] std::vector<std::optional<Tensor>> operands(const Table& op, std::uint32_t field) {
    std::vector<std::optional<Tensor>> out;
    for (const std::int32_t t : op.list<std::int32_t>(field)) {
      out.emplace_back();
      if (t != -1) out.back() = tensor(t);
    }
    return out;
  }

  [[nodiscard]] Tensor tensor(std::int32_t index) {
    if (index < 0 || static_cast<std::size_t>(index) >= tensors_.size()) throw Damaged();
    const Table& t = tensors_[static_cast<std::size_t>(index)];
    Tensor out;
    out.name = t.text(3);
    out.dtype = dtype_of(t.scalar<std::int8_t>(1, 0));
    for (const std::int32_t d : t.list<std::int32_t>(0)) out.dims.push_back(d);
    out.is_variable = t.scalar<std::uint8_t>(5, 0) != 0;
    if (const auto q = t.table(4)) {
      out.quantisation.scales = q->list<float>(2);
      out.quantisation.zero_points = q->list<std::int64_t>(3);
      if (out.quantisation.scales.size() > 1) out.quantisation.axis = q->scalar<std::int32_t>(6, 0);
    }
    const auto buffer = t.scalar<std::uint32_t>(2, 0);
    if (buffer >= buffers_.size()) throw Damaged();
    const Table& b = buffers_[buffer];
    const auto at = b.scalar<std::uint64_t>(1, 0);
    out.data = at > 1 ? b.slice(at, b.scalar<std::uint64_t>(2, 0)) : b.vector(0, 1);
    total_ += out.name.size() + 16 * (out.dims.size() + out.quantisation.scales.size()) + 64;
    if (total_ > 1024 * file_.size()) throw Damaged();
    return out;
  }

  Bytes file_;
  Table model_;
  std::optional<Table> graph_;
  std::vector<Table> tensors_, buffers_;
  std::uint64_t total_ = 0;  // of what was made of it, in bytes
};

}  // namespace detail

// `file` must outlive what is returned, which has spans of it; it may be anything. Error: why it cannot be read, for
// Host::diag().
[[nodiscard]] inline std::variant<Contents, std::string> read(std::span<const std::byte> file) {
  if (file.size() < 8 || std::memcmp(file.data() + 4, "TFL3", 4) != 0)
    return std::string("is not a TFLite model: no 'TFL3' at offset 4");
  try {
    return detail::Reader(file).read();
  } catch (const detail::Damaged&) {
    return std::string("is a damaged TFLite model: an offset or index in it points outside");
  }
}

}  // namespace byoc::tflite_file
