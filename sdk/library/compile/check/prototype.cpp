#include "sdk/library/compile/check/prototype.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <optional>
#include <vector>

namespace byoc::compile {
namespace {

struct Parameter {
  bool is_const = false;
  std::string type;  // "float", "int8_t", "void"
};

std::vector<Parameter> parse(const std::string& prototype) {
  std::vector<Parameter> out;
  std::size_t at = prototype.find('(');
  while (at != std::string::npos && at + 1 < prototype.size()) {
    const std::size_t end = std::min(prototype.find(',', at + 1), prototype.rfind(')'));
    std::string text = prototype.substr(at + 1, end - at - 1);
    text.erase(0, text.find_first_not_of(' '));
    if (text == "void" || text.empty()) break;
    Parameter p;
    p.is_const = text.starts_with("const ");
    if (p.is_const) text.erase(0, 6);
    p.type = text.substr(0, text.find(' '));
    out.push_back(std::move(p));
    at = prototype[end] == ',' ? end : std::string::npos;
  }
  return out;
}

// {is floating, is signed, bits}; nothing for void.
struct Scalar {
  bool floating;
  bool is_signed;
  unsigned bits;
  bool operator==(const Scalar&) const = default;
};

std::optional<Scalar> scalar_of(const std::string& name) {
  if (name == "void") return std::nullopt;
  if (name == "float") return Scalar{true, true, 32};
  if (name == "double") return Scalar{true, true, 64};
  const bool is_signed = name[0] != 'u';
  return Scalar{false, is_signed, static_cast<unsigned>(std::stoul(name.substr(is_signed ? 3 : 4)))};
}

bool same(clang::QualType type, const std::string& name, const clang::ASTContext& context) {
  const auto expected = scalar_of(name);
  if (!expected || type->isVoidType()) return true;
  if (!type->isArithmeticType()) return false;
  const Scalar found{type->isRealFloatingType(), type->isRealFloatingType() || type->isSignedIntegerOrEnumerationType(),
                     static_cast<unsigned>(context.getTypeSize(type))};
  return found == *expected;
}

}  // namespace

bool fits(const clang::FunctionDecl& f, const std::string& prototype, const clang::ASTContext& context) {
  const std::vector<Parameter> expected = parse(prototype);
  if (f.isVariadic() || f.getNumParams() != expected.size() || f.getReturnType()->isVoidType() ||
      !same(f.getReturnType(), "int32_t", context))
    return false;
  for (unsigned i = 0; i < f.getNumParams(); ++i) {
    const clang::QualType type = f.getParamDecl(i)->getType();
    if (!type->isPointerType()) return false;
    const clang::QualType pointee = type->getPointeeType();
    if ((expected[i].is_const && !pointee.isConstQualified()) || !same(pointee, expected[i].type, context))
      return false;
  }
  return true;
}

}  // namespace byoc::compile
