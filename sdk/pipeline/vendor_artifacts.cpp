#include "sdk/pipeline/vendor_artifacts.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "sdk/compile/llvm_module.hpp"
#include "sdk/object/object_facts.hpp"

namespace byoc {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::size_t kHeaderSize = 60;  // name 16, time 12, owner 6, group 6, mode 8, size 10, "`\n"

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string trimmed(std::string_view field) {
  const std::size_t end = field.find_last_not_of(' ');
  return std::string(field.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

// "conv.o/", or "/123": at that offset of the table of long names, up to "/\n". "" if it is neither.
std::string member_name(const std::string& field, std::string_view long_names) {
  std::string name = field;
  if (name.size() > 1 && name[0] == '/') {
    std::size_t at = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), at);
    if (error != std::errc() || end != name.data() + name.size() || at >= long_names.size()) return {};
    name = std::string(long_names.substr(at, long_names.find('\n', at) - at));
  }
  if (name.ends_with('/')) name.pop_back();
  return name;
}

class Taker {
 public:
  Taker(const TargetSpec& target, const std::string& opt_level, const WorkerLimits& limits, Diagnostics& diags)
      : target_(target), diags_(diags) {
    compile_.opt_level = opt_level;
    compile_.limits = limits;
  }

  Result<VendorArtifacts> run(const plugin::Compilation& compilation) {
    bool ok = true;
    for (const plugin::OtherArtifact& a : compilation.others) ok = take(a) && ok;
    if (!ok) return failure;
    return std::move(out_);
  }

 private:
  bool take(const plugin::OtherArtifact& a) {
    switch (a.decl.kind) {
      case codegen::ArtifactKind::object: return add_object(a, a.decl.name + ".o", a.bytes);
      case codegen::ArtifactKind::llvm_bitcode: return add_bitcode(a);
      case codegen::ArtifactKind::static_library: return add_library(a);
      case codegen::ArtifactKind::link_library:
        if (std::find(out_.link_libraries.begin(), out_.link_libraries.end(), a.decl.name) == out_.link_libraries.end())
          out_.link_libraries.push_back(a.decl.name);
        return true;
      case codegen::ArtifactKind::licence:
        out_.licences.push_back({a.codegen, a.decl.name, std::string(text_of(a.bytes))});
        return true;
    }
    return false;
  }

  static std::string origin(const plugin::OtherArtifact& a) {
    return "'" + a.decl.name + "' of codegen '" + a.codegen + "'";
  }

  bool add_bitcode(const plugin::OtherArtifact& a) {
    auto object =
        compile_llvm_module(a.decl.name + ".bc of codegen '" + a.codegen + "'", a.bytes, target_, compile_, diags_);
    return object && add_object(a, a.decl.name + ".o", std::move(*object));
  }

  bool add_object(const plugin::OtherArtifact& a, const std::string& name, std::vector<std::byte> object) {
    auto facts = read_object_facts(object, name + " of codegen '" + a.codegen + "'", diags_);
    if (!facts) return false;
    std::set<std::string> defined;
    for (const ObjectSymbol& s : facts->defined) defined.insert(s.name);
    out_.members.push_back({name, std::move(object), {}, a.codegen});
    return check_promises(a, defined);
  }

  bool add_library(const plugin::OtherArtifact& a) {
    auto objects = read_archive(a.bytes, origin(a), diags_);
    if (!objects) return false;
    std::set<std::string> defined;
    for (auto& [name, bytes] : *objects) {
      auto facts = read_object_facts(bytes, name + " of codegen '" + a.codegen + "'", diags_);
      if (!facts) return false;
      for (const ObjectSymbol& s : facts->defined) defined.insert(s.name);
      // Libraries of two vendors may have members of one name.
      out_.members.push_back({a.decl.name + "_" + name, std::move(bytes), {}, a.codegen});
    }
    return check_promises(a, defined);
  }

  bool check_promises(const plugin::OtherArtifact& a, const std::set<std::string>& defined) {
    bool ok = true;
    for (const std::string& symbol : a.decl.defines)
      if (!defined.contains(symbol)) {
        ok = false;
        diags_.error(a.decl.name, symbol, "codegen '" + a.codegen + "' promised this symbol and does not define it");
      }
    return ok;
  }

  const TargetSpec& target_;
  Diagnostics& diags_;
  CompileOptions compile_;
  VendorArtifacts out_;
};

}  // namespace

Result<VendorArtifacts> take_artifacts(const plugin::Compilation& compilation, const TargetSpec& target,
                                       const std::string& opt_level, const WorkerLimits& limits, Diagnostics& diags) {
  return Taker(target, opt_level, limits, diags).run(compilation);
}

Result<std::vector<std::pair<std::string, std::vector<std::byte>>>> read_archive(std::span<const std::byte> archive,
                                                                                 const std::string& name,
                                                                                 Diagnostics& diags) {
  const std::string_view text = text_of(archive);
  if (text.starts_with("!<thin>\n"))
    return diags.error(name, {}, "is a thin archive, which names files instead of holding them");
  if (!text.starts_with(kMagic)) return diags.error(name, {}, "is no static library");
  std::vector<std::pair<std::string, std::vector<std::byte>>> out;
  std::string_view long_names;
  for (std::size_t at = kMagic.size(); at < text.size();) {
    if (text.size() - at < kHeaderSize || text.substr(at + 58, 2) != "`\n")
      return diags.error(name, {}, "is a damaged static library: no member at offset " + std::to_string(at));
    const std::string field = trimmed(text.substr(at, 16));
    const std::string length = trimmed(text.substr(at + 48, 10));
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
    at += kHeaderSize;
    if (error != std::errc() || end != length.data() + length.size() || size > text.size() - at)
      return diags.error(name, {}, "is a damaged static library: member '" + field + "' is cut");
    if (field == "//") {
      long_names = text.substr(at, size);
    } else if (field != "/" && field != "/SYM64/") {
      const std::string member = member_name(field, long_names);
      if (member.empty() || member.find('/') != std::string::npos)
        return diags.error(name, {}, "is a damaged static library: a member has no name", "'" + field + "'");
      out.emplace_back(member, std::vector<std::byte>(archive.begin() + static_cast<std::ptrdiff_t>(at),
                                                      archive.begin() + static_cast<std::ptrdiff_t>(at + size)));
    }
    at += size + size % 2;  // members start at even offsets
  }
  return out;
}

Result<void> check_definitions(const plugin::Compilation& compilation, const std::vector<LibraryMember>& members,
                               Diagnostics& diags) {
  std::set<std::string> defined;
  for (const LibraryMember& m : members) {
    if (m.object.empty()) continue;
    auto facts = read_object_facts(m.object, m.name, diags);
    if (!facts) return failure;
    for (const ObjectSymbol& s : facts->defined) defined.insert(s.name);
  }
  bool ok = true;
  const auto need = [&](const std::string& symbol, const std::string& codegen, const char* what) {
    if (symbol.empty() || defined.contains(symbol)) return;
    ok = false;
    diags.error({}, symbol,
                "codegen '" + codegen + "' declared this " + what + ", and none of its artifacts defines it");
  };
  for (const plugin::Step& s : compilation.steps)
    if (s.control == ir::kNoNode) need(s.decl.symbol, s.codegen, "step");
  for (const plugin::InstanceArtifact& i : compilation.instances)
    for (const std::string* symbol : {&i.decl.init, &i.decl.reset, &i.decl.deinit})
      need(*symbol, i.codegen, "function of its instance");
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
