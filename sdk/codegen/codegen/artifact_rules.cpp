#include "sdk/codegen/codegen/artifact_rules.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "byoc/abi/abi.h"
#include "sdk/base/support/valid_text.hpp"

namespace byoc::plugin {
namespace {

constexpr const char* kStandards[] = {"", "c99", "c11", "c17", "gnu99", "gnu11", "gnu17"};

template <class E>
std::string number(E code) {
  return std::to_string(static_cast<std::uint32_t>(code));
}

std::optional<BrokenRule> broken_effort(codegen::Effort effort, const std::string& name) {
  if (effort <= codegen::Effort::glue) return std::nullopt;
  return BrokenRule{"'" + name + "' is of an unknown effort", number(effort), {}};
}

}  // namespace

std::string kind_name(std::uint32_t kind) {
  switch (kind) {
    case BYOC_ARTIFACT_C_SOURCE: return "C source";
    case BYOC_ARTIFACT_C_HEADER: return "C header";
    case BYOC_ARTIFACT_LLVM_BITCODE: return "LLVM bitcode";
    case BYOC_ARTIFACT_OBJECT: return "object";
    case BYOC_ARTIFACT_CONSTANT: return "constant";
    case BYOC_ARTIFACT_STATIC_LIBRARY: return "static library";
    case BYOC_ARTIFACT_LINK_LIBRARY: return "link library";
    case BYOC_ARTIFACT_LICENCE: return "licence";
    default: return "artifact of kind " + std::to_string(kind);
  }
}

std::optional<BrokenRule> broken_name(const std::string& name, std::uint32_t kind) {
  if (kind == BYOC_ARTIFACT_C_HEADER ? is_plain_path(name) : is_plain_name(name)) return std::nullopt;
  return BrokenRule{"the name of a " + kind_name(kind) + " is not a plain file name", "'" + name + "'", {}};
}

std::optional<BrokenRule> broken_rule(const codegen::ConstantDecl& d) {
  if (d.element != DType::undefined && bit_width(d.element) != 0) return std::nullopt;
  return BrokenRule{"constant '" + d.symbol + "' has an unknown element type", number(d.element), {}};
}

std::optional<BrokenRule> broken_rule(const codegen::SourceDecl& d) {
  if (auto broken = broken_name(d.name, BYOC_ARTIFACT_C_SOURCE)) return broken;
  if (d.shared && !is_identifier(d.symbol))
    return BrokenRule{"the symbol of a shared source is no C identifier", "'" + d.symbol + "'", {}};
  if (!is_standard(d.standard))
    return BrokenRule{"C source '" + d.name + "' wants an unknown language standard", "'" + d.standard + "'",
                      "c99, c11, c17, gnu99, gnu11 or gnu17"};
  return broken_effort(d.effort, d.name);
}

std::optional<BrokenRule> broken_rule(const codegen::ArtifactDecl& d) {
  const auto kind = static_cast<std::uint32_t>(d.kind);
  const bool known = kind == BYOC_ARTIFACT_LLVM_BITCODE || kind == BYOC_ARTIFACT_OBJECT ||
                     (kind >= BYOC_ARTIFACT_STATIC_LIBRARY && kind <= BYOC_ARTIFACT_LICENCE);
  if (!known) return BrokenRule{"hands over an artifact of an unknown kind", std::to_string(kind), {}};
  if (auto broken = broken_name(d.name, kind)) return broken;
  if (d.shared && d.kind != codegen::ArtifactKind::llvm_bitcode)
    return BrokenRule{"'" + d.name + "' cannot be shared", kind_name(kind), "C or LLVM bitcode"};
  if (d.shared && !is_identifier(d.symbol))
    return BrokenRule{"the symbol of a shared LLVM module is no C identifier", "'" + d.symbol + "'", {}};
  return broken_effort(d.effort, d.name);
}

std::optional<BrokenRule> broken_rule(const codegen::Verdict& v) {
  if (v.exactness > codegen::Exactness::relative)
    return BrokenRule{"gave a verdict of an unknown exactness", number(v.exactness), {}};
  if (!(v.tolerance >= 0) || !(v.cost >= 0)) return BrokenRule{"gave a verdict with a negative number", {}, {}};
  if (v.reason > codegen::Reason::group && v.reason < codegen::Reason::vendor)
    return BrokenRule{"gave a verdict with an unknown reason", number(v.reason), {}};
  if (!v.claimed && v.text.empty()) return BrokenRule{"refused a node and did not say why", {}, {}};
  return std::nullopt;
}

bool is_standard(const std::string& name) {
  return std::find(std::begin(kStandards), std::end(kStandards), name) != std::end(kStandards);
}

std::optional<BrokenRule> check_arrangement(const codegen::Arrangement& how, std::uint64_t source_bytes) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  if (how.element_size == 0 || how.element_size > 8 || !std::has_single_bit(how.element_size))
    return BrokenRule{"has elements of a size that there is not", std::to_string(how.element_size) + " bytes",
                      "1, 2, 4 or 8"};
  // Greatest index along each axis; numbers beyond 64 bits are beyond every bound here.
  std::vector<std::uint64_t> greatest(how.axes.size(), 0);
  std::uint64_t bytes = how.element_size;
  bool fits = true, empty = false;
  for (const codegen::Arrangement::Loop& l : how.loops) {
    if (l.axis >= how.axes.size())
      return BrokenRule{"has a loop over an axis that does not exist", std::to_string(l.axis),
                        "less than " + std::to_string(how.axes.size())};
    std::uint64_t last = 0;
    empty = empty || l.count == 0;
    fits = fits && !__builtin_mul_overflow(bytes, l.count, &bytes) &&
           !__builtin_mul_overflow(l.count == 0 ? 0 : l.count - 1, l.step, &last) &&
           !__builtin_add_overflow(greatest[l.axis], last, &greatest[l.axis]);
  }
  if (!empty && (!fits || bytes > kMostBytes))
    return BrokenRule{"makes too much", fits ? std::to_string(bytes) + " bytes" : "2^64 bytes or more",
                      "at most 2^40 bytes"};
  const bool reads =
      !empty && std::none_of(how.axes.begin(), how.axes.end(), [](const auto& a) { return a.extent == 0; });
  if (!reads) return std::nullopt;
  std::uint64_t last = how.offset;
  for (std::size_t i = 0; i < how.axes.size(); ++i) {
    std::uint64_t along = 0;
    fits = fits && !__builtin_mul_overflow(std::min(greatest[i], how.axes[i].extent - 1), how.axes[i].stride, &along) &&
           !__builtin_add_overflow(last, along, &last);
  }
  const std::uint64_t elements = source_bytes / how.element_size;
  if (fits && last < elements) return std::nullopt;
  return BrokenRule{"reaches past the end of the constant", fits ? "element " + std::to_string(last) : "2^64 or more",
                    "less than " + std::to_string(elements)};
}

}  // namespace byoc::plugin
