#include "sdk/run/values/bounded_values.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/run/values/value_files.hpp"

namespace byoc {
namespace {

using ValueKind = HostValue::Kind;
using Bytes = std::vector<std::byte>;

std::vector<std::int64_t> own_dims(const BoundedValue& value, std::vector<std::int64_t> dims) {
  if (value.is_text()) dims.pop_back();
  return dims;
}

std::string shape_of(DType dtype, const std::vector<std::int64_t>& dims) {
  return type_text(HostValue{.dtype = dtype, .dims = dims});
}

class Spreading {
 public:
  Spreading(const ModelInterface& model, const BoundedValue& value, std::span<Bytes> buffers, Diagnostics& diags)
      : model_(model), value_(value), buffers_(buffers), diags_(diags) {}

  Result<void> run(const HostValue& given) {
    const HostValue* inside = &given;
    if (given.kind == ValueKind::optional) {
      if (!value_.is_optional) return wrong("is an optional", type_text(given), "what the model states");
      inside = given.items.empty() ? nullptr : &given.items[0];
    }
    if (value_.given) buffers_[*value_.given] = {inside == nullptr ? std::byte{0} : std::byte{1}};
    if (inside == nullptr && !value_.given) return wrong("holds nothing", {}, "a value");
    std::vector<const HostValue*> tensors;
    if (inside != nullptr && inside->kind == ValueKind::sequence)
      for (const HostValue& item : inside->items) tensors.push_back(&item);
    else if (inside != nullptr)
      tensors.push_back(inside);
    if (inside != nullptr && (inside->kind == ValueKind::sequence) != value_.is_sequence)
      return wrong("is of another kind", type_text(*inside), value_.is_sequence ? "a sequence" : "a tensor");
    if (tensors.size() > value_.elements || (inside != nullptr && !value_.count && tensors.size() != value_.elements))
      return wrong("has another number of elements than there is room for", std::to_string(tensors.size()),
                   (value_.count ? "at most " : "") + std::to_string(value_.elements));
    if (value_.count) {
      const auto count = static_cast<std::int32_t>(tensors.size());
      buffers_[*value_.count].resize(sizeof count);
      std::memcpy(buffers_[*value_.count].data(), &count, sizeof count);
    }
    for (std::uint32_t i = 0; i < value_.elements; ++i) {
      buffers_[value_.first + i].assign(model_.inputs[value_.first + i].bytes, std::byte{0});
      if (i < tensors.size() && !write(*tensors[i], value_.first + i)) return failure;
    }
    return {};
  }

 private:
  Failure wrong(const std::string& message, const std::string& found, const std::string& expected) {
    return diags_.error(model_.name, value_.name, message, found, expected);
  }

  Result<void> write(const HostValue& tensor, std::uint32_t input) {
    const IoTensor& to = model_.inputs[input];
    const std::vector<std::int64_t> dims = own_dims(value_, to.dims);
    if (tensor.kind != ValueKind::tensor || tensor.dtype != value_.dtype || tensor.dims != dims)
      return wrong("has another type than there is room for", type_text(tensor), shape_of(value_.dtype, dims));
    if (!value_.is_text()) {
      buffers_[input] = tensor.bytes;
      return {};
    }
    const auto cell = static_cast<std::size_t>(to.dims.back());
    for (std::size_t i = 0; i < tensor.texts.size(); ++i) {
      const std::string& text = tensor.texts[i];
      if (text.size() >= cell)
        return wrong("has a string that is longer than there is room for", std::to_string(text.size()) + " bytes",
                     "at most " + std::to_string(cell - 1) + ", or a larger --bound");
      if (text.find('\0') != std::string::npos) return wrong("has a string with a byte of 0 in it", {}, "text");
      std::memcpy(buffers_[input].data() + i * cell, text.data(), text.size());
    }
    return {};
  }

  const ModelInterface& model_;
  const BoundedValue& value_;
  std::span<Bytes> buffers_;
  Diagnostics& diags_;
};

HostValue tensor_of(const BoundedValue& value, const std::vector<std::int64_t>& dims, const Bytes& bytes) {
  HostValue out{.dtype = value.dtype, .dims = own_dims(value, dims)};
  if (!value.is_text()) {
    out.bytes = bytes;
    return out;
  }
  const auto cell = static_cast<std::size_t>(dims.back());
  for (std::size_t at = 0; at + cell <= bytes.size(); at += cell) {
    const auto* text = reinterpret_cast<const char*>(bytes.data() + at);
    out.texts.emplace_back(text, std::find(text, text + cell - 1, '\0'));
  }
  return out;
}

}  // namespace

std::vector<BoundedValue> own_values(const ModelInterface& model, bool outputs) {
  const std::size_t count = outputs ? model.output_count() : model.inputs.size();
  std::vector<BoundedValue> out;
  const auto add_plain = [&](std::uint32_t from, std::uint32_t end) {
    for (std::uint32_t i = from; i < end; ++i) {
      BoundedValue& plain = out.emplace_back();
      plain.name = (outputs ? model.outputs : model.inputs)[i].name;
      plain.is_output = outputs;
      plain.dtype = (outputs ? model.outputs : model.inputs)[i].dtype;
      plain.first = i;
    }
  };
  std::uint32_t next = 0;
  for (const BoundedValue& b : model.bounded) {
    if (b.is_output != outputs) continue;
    add_plain(next, b.first);
    next = b.first + b.elements + (b.count ? 1 : 0) + (b.given ? 1 : 0);
    out.push_back(b);
  }
  add_plain(next, static_cast<std::uint32_t>(count));
  return out;
}

ValueInfo info_of(const ModelInterface& model, const BoundedValue& value) {
  ValueInfo out;
  out.name = value.name;
  out.dtype = value.dtype;
  out.kind = value.is_optional ? ValueKind::optional : value.is_sequence ? ValueKind::sequence : ValueKind::tensor;
  const std::vector<IoTensor>& side = value.is_output ? model.outputs : model.inputs;
  if (value.elements != 0) {
    out.dims = own_dims(value, side[value.first].dims);
    out.type = shape_of(out.dtype, *out.dims);
  }
  if (value.is_sequence) out.type = "sequence of " + std::to_string(value.elements) + " " + out.type;
  if (value.is_optional) out.type = "optional " + out.type;
  if (value.is_sequence || value.is_optional) out.dims.reset();
  return out;
}

Result<void> spread_value(const ModelInterface& model, const BoundedValue& value, const HostValue& given,
                          std::span<Bytes> buffers, Diagnostics& diags) {
  return Spreading(model, value, buffers, diags).run(given);
}

Result<HostValue> gather_value(const ModelInterface& model, const BoundedValue& value,
                               std::span<const std::vector<std::int64_t>> dims, std::span<const Bytes> buffers,
                               Diagnostics& diags) {
  const auto at = [&](std::uint32_t i) { return tensor_of(value, dims[i], buffers[i]); };
  const bool there = !value.given || (!buffers[*value.given].empty() && buffers[*value.given][0] != std::byte{0});
  auto count = static_cast<std::int32_t>(value.elements);
  if (value.count) {
    count = -1;
    if (buffers[*value.count].size() == sizeof count) std::memcpy(&count, buffers[*value.count].data(), sizeof count);
    if (count < 0 || static_cast<std::uint32_t>(count) > value.elements)
      return diags.error(model.name, value.name, "the count of elements is out of range", std::to_string(count),
                         "0 to " + std::to_string(value.elements));
  }
  HostValue inside;
  if (value.is_sequence) {
    inside.kind = ValueKind::sequence;
    inside.dtype = value.dtype;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) inside.items.push_back(at(value.first + i));
  } else if (value.elements != 0) {
    inside = at(value.first);
  }
  if (!value.is_optional) return inside;
  HostValue out{.kind = ValueKind::optional, .dtype = value.dtype};
  if (there) out.items.push_back(std::move(inside));
  return out;
}

Result<std::vector<HostValue>> own_outputs(const ModelInterface& model, std::span<const std::vector<std::int64_t>> dims,
                                           std::span<const Bytes> buffers, Diagnostics& diags) {
  std::vector<HostValue> out;
  for (const BoundedValue& own : own_values(model, true)) {
    auto value = gather_value(model, own, dims, buffers, diags);
    if (!value) return failure;
    out.push_back(std::move(*value));
  }
  return out;
}

bool has_bounded(const ModelInterface& model, bool outputs) {
  return std::any_of(model.bounded.begin(), model.bounded.end(),
                     [&](const BoundedValue& b) { return b.is_output == outputs; });
}

}  // namespace byoc
