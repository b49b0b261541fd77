#include "sdk/export/encode_constants.hpp"

#include <algorithm>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/export/pack_imports.hpp"
#include "sdk/library/compile/llvm_constants.hpp"
#include "sdk/library/compile/llvm_module.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/constant_source.hpp"
#include "sdk/library/object/encoded_constants.hpp"

namespace byoc {
namespace {

constexpr const char* kName = "constants";

class Encoder {
 public:
  Encoder(const TargetSpec& target, const ConstantObject& promised, const EncodingTools& tools, Diagnostics& diags)
      : target_(target), promised_(promised), tools_(tools), diags_(diags) {}

  Result<ConstantObject> run(ConstantForm form) {
    if (form == ConstantForm::llvm) {
      CompileOptions options;
      return take(compile_llvm_module(kName, write_llvm_constants(promised_), target_, options, diags_));
    }
    auto compiler = make_compiler();
    if (!compiler) return failure;
    if (form == ConstantForm::c) return compile(**compiler, constants_as_c(promised_), {});
    auto folder = TemporaryDirectory::create(diags_);
    if (!folder || !check_name(folder->path())) return failure;
    if (form == ConstantForm::embed && !knows_embed(**compiler)) return failure;
    if (!write_contents(folder->path())) return failure;
    return compile(**compiler,
                   form == ConstantForm::embed ? constants_as_embed(promised_, folder->path())
                                               : constants_as_incbin(promised_, folder->path()),
                   folder->path());
  }

 private:
  // Data needs no debug information and nothing to be linked with, is made anew faster than it is found in a cache, and
  // the C is not for people.
  Result<std::unique_ptr<Compiler>> make_compiler() {
    if (tools_.function) return Compiler::from_function(target_, tools_.choice.toolchain, tools_.function, diags_);
    CompilerChoice choice = tools_.choice;
    choice.debug_info = false;
    choice.lto = false;
    choice.cache.clear();
    return Compiler::create(target_, choice.toolchain,
                            with(choice, {.warnings = false, .warnings_as_errors = false, .standard = "gnu11"}),
                            diags_);
  }

  Result<void> check_name(const std::string& folder) {
    const auto bad = [](unsigned char c) { return c == '"' || c == '\\' || c < 0x20 || c == 0x7f; };
    if (std::none_of(folder.begin(), folder.end(), bad)) return {};
    return diags_.error(folder, "TMPDIR", "a source cannot name a file in this folder", folder,
                        "a folder without quotes, backslashes and control characters");
  }

  Result<void> knows_embed(Compiler& compiler) {
    Diagnostics told;
    if (compiler.compile({.name = "probe_embed", .text = "#ifndef __has_embed\n#error\n#endif\nint probe_embed;\n"}, {},
                         told))
      return {};
    return diags_.error({}, "--constants-as", "the compiler does not know #embed", compiler.identity(),
                        "Clang, GCC 15 or later; or elf, incbin, c, llvm");
  }

  Result<void> write_contents(const std::string& folder) {
    OutputSet files(diags_);
    for (std::size_t i = 0; i < promised_.contents().size(); ++i)
      if (!files.add(folder + "/" + std::to_string(i) + ".bin",
                     [&](int fd) { return write_blob(fd, promised_.contents()[i].bytes); }))
        return failure;
    return files.commit();
  }

  Result<ConstantObject> compile(Compiler& compiler, std::string text, const std::string& folder) {
    return take(compiler.compile({.name = kName, .text = std::move(text), .directory = folder}, {}, diags_));
  }

  Result<ConstantObject> take(Result<ObjectBytes> object) {
    if (!object) return failure;
    return take_encoded(promised_, std::move(*object), target_, kName, diags_);
  }

  const TargetSpec& target_;
  const ConstantObject& promised_;
  const EncodingTools& tools_;
  Diagnostics& diags_;
};

}  // namespace

Result<ConstantObject> encode_constants(const TargetSpec& target, const std::vector<ConstantArtifact>& constants,
                                        const ConstantEncoding& encoding, const EncodingTools& tools,
                                        Diagnostics& diags) {
  auto promised = ConstantObject::create(target, constants, diags);
  if (!promised) return failure;
  if (encoding.function || !encoding.command.empty()) return pack_imports(*promised, target, encoding, diags);
  if (encoding.form == ConstantForm::elf) return promised;
  return Encoder(target, *promised, tools, diags).run(encoding.form);
}

bool is_left_to_pack(const ConstantEncoding& encoding) {
  return encoding.form == ConstantForm::elf && encoding.command.empty() && !encoding.function;
}

Result<void> encode_members(std::vector<LibraryMember>& members, const TargetSpec& target,
                            const ConstantEncoding& encoding, const EncodingTools& tools, Diagnostics& diags) {
  if (is_left_to_pack(encoding)) return {};
  for (LibraryMember& m : members) {
    if (m.constants.empty()) continue;
    auto encoded = encode_constants(target, m.constants, encoding, tools, diags);
    if (!encoded) return failure;
    m.encoded = std::make_shared<const ConstantObject>(std::move(*encoded));
  }
  return {};
}

}  // namespace byoc
