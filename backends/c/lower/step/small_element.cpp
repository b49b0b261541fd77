#include "backends/c/lower/step/small_element.hpp"

#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {
namespace {

// "4, 3, 7, BYOC_SPECIAL_NAN"
std::string format_text(const SmallFloat& f) {
  const std::string_view specials = f.specials == FloatSpecials::ieee            ? "IEEE"
                                    : f.specials == FloatSpecials::nan           ? "NAN"
                                    : f.specials == FloatSpecials::unsigned_zero ? "UNSIGNED_ZERO"
                                                                                 : "NONE";
  return std::to_string(f.exponent_bits) + ", " + std::to_string(f.mantissa_bits) + ", " + std::to_string(f.bias) +
         ", BYOC_SPECIAL_" + std::string(specials);
}

std::string scale_text(ScaleRounding r) {
  return r == ScaleRounding::up ? "UP" : r == ScaleRounding::down ? "DOWN" : "NEAREST";
}

}  // namespace

std::string element_work(DType t) {
  if (const auto e = element_type(t)) return std::string(e->work);
  const ElementKind kind = element_row(t).kind;
  return kind == ElementKind::real ? "float" : kind == ElementKind::whole ? "int8_t" : "uint8_t";
}

void define_indexed(Kernel& kernel, const std::string& prefix, DType t, SmallRounding rounding) {
  if (element_type(t)) {
    define_element(kernel, prefix, t);
    kernel.defines[prefix + "_GET(p, i)"] = prefix + "_LOAD((p)[i])";
    kernel.defines[prefix + "_PUT(p, i, v)"] = "((p)[i] = " + prefix + "_STORE(v))";
    return;
  }
  const std::string bits = std::to_string(bit_width(t));
  std::string get = "byoc_field(p, i, " + bits + ")", put = "(uint32_t)(v)";
  const SmallFloat* f = small_float(t);
  if (f != nullptr && f->has_sign) {
    get = "byoc_load_small(" + get + ", " + format_text(*f) + ")";
    put = "byoc_store_small(v, " + format_text(*f) + ", " + (rounding.saturate ? "1" : "0") + ")";
  } else if (f != nullptr) {
    get = "byoc_load_scale(" + get + ")";
    put = "byoc_store_scale(v, BYOC_SCALE_" + scale_text(rounding.scale) + ", " + (rounding.saturate ? "1" : "0") + ")";
  } else if (element_row(t).kind == ElementKind::whole) {
    get = "((int8_t)byoc_signed_field(p, i, " + bits + "))";
  } else {
    get = "((uint8_t)" + get + ")";
  }
  kernel.defines[prefix] = c_type(t);
  kernel.defines[prefix + "_WORK"] = element_work(t);
  kernel.defines[prefix + "_GET(p, i)"] = get;
  kernel.defines[prefix + "_PUT(p, i, v)"] = "byoc_put_field(p, &pending, i, count, " + bits + ", " + put + ")";
}

SmallRounding rounding_of(const codegen::Node& node, DType to) {
  SmallRounding out;
  const SmallFloat* f = small_float(to);
  if (f == nullptr || f->specials == FloatSpecials::none) return out;
  out.saturate = node.integer("saturate", 1) != 0;
  if (f->has_sign) return out;
  const std::string mode = node.text("round_mode", "up");
  out.scale = mode == "down" ? ScaleRounding::down : mode == "nearest" ? ScaleRounding::nearest : ScaleRounding::up;
  return out;
}

std::string rounding_suffix(DType to, SmallRounding rounding) {
  const SmallFloat* f = small_float(to);
  if (f == nullptr) return "";
  std::string out = rounding.saturate ? "" : "_open";
  if (!f->has_sign && rounding.scale != ScaleRounding::up)
    out += rounding.scale == ScaleRounding::down ? "_down" : "_nearest";
  return out;
}

}  // namespace byoc::c
