#include "sdk/library/compile/check/source_check.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>

#include <algorithm>
#include <array>
#include <set>

#include "sdk/library/compile/check/prototype.hpp"
#include "sdk/library/compile/clang_driver.hpp"

namespace byoc::compile {
namespace {

using Kind = SourceFinding::Kind;

template <std::size_t N>
bool is_one_of(llvm::StringRef name, const std::array<const char*, N>& names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

constexpr std::array kHeap{"malloc",    "calloc",  "realloc",      "free",           "aligned_alloc", "memalign",
                           "valloc",    "strdup",  "strndup",      "posix_memalign", "pvalloc",       "reallocarray",
                           "_malloc_r", "_free_r", "pvPortMalloc", "vPortFree",      "sbrk"};
// Headers of the C library whose functions need neither heap nor an operating system.
constexpr std::array kPlainHeaders{"string.h", "strings.h",  "math.h",   "ctype.h",     "complex.h", "fenv.h",
                                   "tgmath.h", "inttypes.h", "stdint.h", "stdatomic.h", "math-ll.h", "cmse.h"};
// Functions of <stdlib.h>.
constexpr std::array kPlainFunctions{"abs",     "labs",   "llabs",   "div",  "ldiv", "lldiv",  "qsort",
                                     "bsearch", "strtol", "strtoul", "atoi", "atol", "memccpy"};
constexpr std::array kStdioHeaders{"stdio.h", "wchar.h"};

class Check : public clang::RecursiveASTVisitor<Check> {
 public:
  Check(clang::ASTContext& context, const SourceRules& rules, std::vector<SourceFinding>& findings)
      : context_(context), sources_(context.getSourceManager()), rules_(rules), findings_(findings) {}

  bool VisitVarDecl(clang::VarDecl* v) {
    if (!v->hasGlobalStorage() || v->isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly) return true;
    // A section of its own is a declaration that it is meant to be there: a buffer that a device reads.
    if (v->hasAttr<clang::SectionAttr>()) return true;
    const clang::QualType element = context_.getBaseElementType(v->getType());
    if (element.isConstQualified()) return true;
    const bool table = v->getType()->isArrayType();
    const char* what = !table ? "a variable in static storage, which instances of the model share"
                       : element->isPointerType()
                           ? "a table whose pointers can be written; 'const' belongs behind the *"
                           : "a table that can be written; 'const' keeps it in flash";
    add({Kind::writable, place(v->getLocation()), v->getNameAsString(), what,
         v->getType().getAsString(context_.getPrintingPolicy()), "const, or a section of its own", false});
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* f) {
    if (f->hasAttr<clang::ConstructorAttr>() || f->hasAttr<clang::DestructorAttr>())
      add({Kind::constructor,
           place(f->getLocation()),
           f->getNameAsString(),
           "a constructor or destructor: nobody calls it on the device",
           {},
           {},
           false});
    const auto expected = rules_.prototypes.find(f->getNameAsString());
    if (expected == rules_.prototypes.end() || !f->isThisDeclarationADefinition()) return true;
    if (!fits(*f, expected->second, context_))
      add({Kind::prototype, place(f->getLocation()), f->getNameAsString(),
           "an entry point with another prototype than the generated one",
           f->getReturnType().getAsString(context_.getPrintingPolicy()) + " " + parameters(*f), expected->second,
           false});
    return true;
  }

  bool TraverseFunctionDecl(clang::FunctionDecl* f) {
    const clang::FunctionDecl* before = function_;
    function_ = f;
    const bool go_on = RecursiveASTVisitor::TraverseFunctionDecl(f);
    function_ = before;
    return go_on;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(e->getDecl())) use_function(*e, *f);
    if (auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl()))
      if (v->hasExternalStorage() && v->getDefinition() == nullptr && !in_system(v->getLocation()))
        add_external(*e, *v, "an object that nobody defines");
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* e) {
    if (!e->isAssignmentOp() || e->isCompoundAssignmentOp()) use_number(*e, e->getLHS()->getType());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* e) {
    if (e->isArithmeticOp() || e->isIncrementDecrementOp()) use_number(*e, e->getType());
    return true;
  }
  bool VisitCastExpr(clang::CastExpr* e) {
    switch (e->getCastKind()) {
      case clang::CK_IntegralToFloating: use_number(*e, e->getType()); break;
      case clang::CK_FloatingToIntegral:
      case clang::CK_FloatingToBoolean: use_number(*e, e->getSubExpr()->getType()); break;
      case clang::CK_FloatingCast:
        use_number(*e, e->getType());
        use_number(*e, e->getSubExpr()->getType());
        break;
      default: break;
    }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* e) {
    use_number(*e, e->getType());
    return true;
  }

  // Templates and implicit code do not exist in C; what headers of the system do is the toolchain's.
  bool is_ours(const clang::Decl& d) const { return !in_system(d.getLocation()); }

 private:
  bool in_system(clang::SourceLocation at) const { return at.isInvalid() || sources_.isInSystemHeader(at); }

  std::string place(clang::SourceLocation at) const {
    const clang::PresumedLoc p = sources_.getPresumedLoc(sources_.getExpansionLoc(at));
    if (p.isInvalid()) return {};
    std::string file = p.getFilename();
    const std::string folder = kVirtualFolder;
    if (file.starts_with(folder)) file.erase(0, folder.size());
    return file + ":" + std::to_string(p.getLine()) + ":" + std::to_string(p.getColumn());
  }

  std::string parameters(const clang::FunctionDecl& f) const {
    std::string out;
    for (const clang::ParmVarDecl* p : f.parameters())
      out += (out.empty() ? "" : ", ") + p->getType().getAsString(context_.getPrintingPolicy());
    return f.getNameAsString() + "(" + (out.empty() ? "void" : out) + ")";
  }

  void add(SourceFinding finding) {
    if (told_.insert({finding.kind, finding.symbol}).second) findings_.push_back(std::move(finding));
  }

  // "stdlib.h": where the C standard, or this C library, declares it.
  std::string header_of(const clang::FunctionDecl& f) const {
    if (const unsigned id = f.getBuiltinID())
      if (const char* header = context_.BuiltinInfo.getHeaderName(id)) return header;
    if (!in_system(f.getLocation())) return {};
    const llvm::StringRef path = sources_.getFilename(sources_.getExpansionLoc(f.getLocation()));
    return path.substr(path.rfind('/') + 1).str();
  }

  void use_function(const clang::DeclRefExpr& e, const clang::FunctionDecl& f) {
    const llvm::StringRef name = f.getName();
    if (f.isDefined() || !f.isExternallyVisible() || name.starts_with("__builtin_")) return;
    if (is_one_of(name, kHeap)) {
      add({Kind::heap, place(e.getLocation()), name.str(), "a function of the heap, which firmware may not have",
           name.str(), "a workspace, a private value or the instance", false});
      return;
    }
    const std::string header = header_of(f);
    if (is_one_of(header, kStdioHeaders)) {
      add({Kind::stdio,
           place(e.getLocation()),
           name.str(),
           "input and output, which firmware may not have",
           name.str(),
           {},
           false});
      return;
    }
    // Instructions of the target.
    if (f.getBuiltinID() != 0 && header.empty()) return;
    if (is_one_of(header, kPlainHeaders) || (!header.empty() && is_one_of(name, kPlainFunctions))) return;
    // The functions that math.h declares through other headers.
    if (header.starts_with("mathcalls")) return;
    add_external(e, f, "a function that nobody defines");
  }

  void add_external(const clang::DeclRefExpr& e, const clang::NamedDecl& d, const char* message) {
    SourceFinding finding{Kind::external, place(e.getLocation()), d.getNameAsString(), message, {}, {}, false};
    finding.expected = "it in the C library, an artifact of the codegen, or a link library with a header";
    finding.in_header = !sources_.isInMainFile(sources_.getExpansionLoc(d.getLocation()));
    add(std::move(finding));
  }

  void use_number(const clang::Expr& e, clang::QualType type) {
    if ((!rules_.no_float && !rules_.no_double) || !type->isRealFloatingType() || function_ == nullptr) return;
    const bool wide = context_.getTypeSize(type) > 32;
    if (wide ? !rules_.no_double : !rules_.no_float) return;
    clang::Expr::EvalResult constant;
    if (e.EvaluateAsRValue(constant, context_) && !constant.HasSideEffects) return;
    // Once in a function: what follows has the same cause.
    add({Kind::floating_point, place(e.getBeginLoc()), function_->getNameAsString() + (wide ? " " : ""),
         std::string(wide ? "double" : "floating-point") + " arithmetic in '" + function_->getNameAsString() +
             "', which " + rules_.target + " does in software",
         type.getAsString(context_.getPrintingPolicy()), wide ? "float or integers" : "integers", false});
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const SourceRules& rules_;
  std::vector<SourceFinding>& findings_;
  const clang::FunctionDecl* function_ = nullptr;
  std::set<std::pair<Kind, std::string>> told_;
};

// Collects what is declared at the top: a precompiled header is not among it and stays unread.
class Consumer : public clang::ASTConsumer {
 public:
  Consumer(const SourceRules& rules, std::vector<SourceFinding>& findings) : rules_(rules), findings_(findings) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    declarations_.insert(declarations_.end(), group.begin(), group.end());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Check check(context, rules_, findings_);
    for (clang::Decl* d : declarations_)
      if (check.is_ours(*d)) check.TraverseDecl(d);
  }

 private:
  const SourceRules& rules_;
  std::vector<SourceFinding>& findings_;
  std::vector<clang::Decl*> declarations_;
};

}  // namespace

clang::ASTConsumer* make_source_check(clang::CompilerInstance&, const SourceRules& rules,
                                      std::vector<SourceFinding>& findings) {
  return new Consumer(rules, findings);
}

}  // namespace byoc::compile
