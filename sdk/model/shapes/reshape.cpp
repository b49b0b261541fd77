// Reshape.
#include <optional>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// A shape as the model gives it: -1 is not a symbol here.
std::string list_text(const std::vector<std::int64_t>& values) {
  std::string out = "[";
  for (const std::int64_t v : values) out += (out.size() == 1 ? "" : ",") + std::to_string(v);
  return out + "]";
}

// The product of the known dims and whether that is all of them; nullopt when it overflows.
struct Volume {
  std::int64_t known = 1;
  bool complete = true;
};

std::optional<Volume> volume(const Dims& dims) {
  Volume v;
  for (const ir::Dim d : dims) {
    if (!is_known(d))
      v.complete = false;
    else if (__builtin_mul_overflow(v.known, d, &v.known))
      return std::nullopt;
  }
  return v;
}

}  // namespace

Result<void> reshape(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 0, 1)) return failure;
  const auto wanted = call.constant(1);
  if (!wanted) return call.set_dtype(0, call.in(0).dtype);
  const Dims& from = call.dims(0);
  const bool allow_zero = call.node.integer("allowzero", 0) != 0;
  Dims to = *wanted;
  Dims rest_in = from;  // what the dims that are neither kept nor open must multiply to
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == -1) {
      if (open) return call.error("the shape has more than one -1", list_text(*wanted));
      open = i;
    } else if (to[i] == 0 && !allow_zero) {
      if (i >= from.size())
        return call.error("the shape keeps a dim that the input does not have", std::to_string(i), call.text(0));
      to[i] = from[i];
    } else if (to[i] < 0) {
      return call.error("the shape has a negative dim", std::to_string(to[i]), "-1 or more");
    }
  }
  // Open dims that are kept in their place cancel out.
  for (std::size_t i = 0; i < to.size(); ++i)
    if (i != open && i < rest_in.size() && !is_known(to[i]) && to[i] == rest_in[i]) rest_in[i] = 1;
  Dims rest_out;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (i != open && (is_known(to[i]) || i >= from.size() || from[i] != to[i])) rest_out.push_back(to[i]);
  const std::optional<Volume> in = volume(rest_in);
  const std::optional<Volume> out = volume(rest_out);
  if (!in || !out) return call.error("the shape is too large", list_text(*wanted));
  if (open) {
    if (in->complete && out->complete) {
      if (out->known == 0 || in->known % out->known != 0)
        return call.error("the shape does not hold the input's elements", list_text(*wanted), call.text(0));
      to[*open] = in->known / out->known;
    } else {
      to[*open] = kUnknown;
    }
  } else if (in->complete && out->complete && in->known != out->known) {
    return call.error("the shape does not hold the input's elements", list_text(*wanted), call.text(0));
  }
  return call.set(0, call.in(0).dtype, std::move(to));
}

}  // namespace byoc::shapes
