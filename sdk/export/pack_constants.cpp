#include "sdk/export/pack_constants.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/export/encode_constants.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/library/pack/archive.hpp"
#include "sdk/library/pack/companions.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

Result<std::vector<ConstantArtifact>> read_files(std::span<const ConstantFile> files,
                                                 const ConstantFileOptions& options, std::vector<FileStamp>& inputs,
                                                 Diagnostics& diags) {
  std::vector<ConstantArtifact> out;
  for (const ConstantFile& f : files) {
    auto mapped = MappedFile::open(f.path, diags);
    if (!mapped) return failure;
    inputs.push_back((*mapped)->stamp());
    const std::uint64_t size = (*mapped)->bytes().size();
    if (size == 0) return diags.error(f.path, {}, "an empty file makes no constant", "0 bytes", "at least one byte");
    const std::string symbol = f.symbol.empty() ? to_identifier(fs::path(f.path).filename().string()) : f.symbol;
    if (!is_identifier(symbol))
      return diags.error(f.path, symbol, "the symbol is not an identifier of C", symbol, to_identifier(symbol));
    ConstantArtifact constant;
    constant.symbol = symbol;
    constant.bytes = Blob::map(*mapped, 0, size);
    constant.align = options.align;
    constant.region = options.region;
    out.push_back(std::move(constant));
  }
  return out;
}

std::string header_text(const std::string& stem, const std::vector<ConstantArtifact>& constants, bool far) {
  std::string guard = to_identifier(stem) + "_H_";
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out = "/* Constants in flash, made by byoc pack-constants. */\n#ifndef " + guard + "\n#define " + guard +
                    "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  if (far)
    out +=
        "\n#if !defined(__code_model_medium__) && !defined(__code_model_large__)\n#error \"these constants are beyond "
        "the reach of the small code model: compile with -mcmodel=medium\"\n#endif\n";
  for (const ConstantArtifact& c : constants) {
    std::string size = c.symbol + "_SIZE";
    for (char& letter : size) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const std::string count = std::to_string(c.bytes.size());
    out += "\n/* Aligned to " + std::to_string(c.align) + " bytes, in " + c.region + ". */\n#define " + size + " " +
           count + (c.bytes.size() > UINT32_MAX ? "ull" : "u") + "\nextern const uint8_t " + c.symbol + "[" + count +
           "];\n";
  }
  return out + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

Result<void> pack_constants(std::span<const ConstantFile> files, const TargetSpec& given,
                            const ConstantFileOptions& options, const std::string& out, Diagnostics& diags) {
  const fs::path path = out;
  const bool archive = path.extension() == ".a";
  if (!archive && path.extension() != ".o")
    return diags.error(out, {}, "the output's name does not say what it is", path.extension().string(), ".a | .o");
  const Companions beside{companion(out, ".h"), companion(out, ".json"), {}};
  std::vector<FileStamp> inputs;
  auto constants = read_files(files, options, inputs, diags);
  const std::vector<OutputName> names{{out, {}, true}, {beside.header}, {beside.manifest}};
  if (!constants || !check_outputs(inputs, names, diags) || !check_owner(out, beside, options.force, diags))
    return failure;
  std::uint64_t bytes = 0;
  for (const ConstantArtifact& c : *constants) bytes += c.bytes.size();
  const TargetSpec target = for_constants(given, bytes);
  auto object = encode_constants(target, *constants, options.encoding, {options.compiler}, diags);
  if (!object) return failure;
  object->identify_when_written();
  const ConstantObject written = *object;
  const bool far = std::any_of(object->contents().begin(), object->contents().end(),
                               [](const ConstantObject::Content& c) { return c.is_large(); });

  const std::string name = path.filename().string();
  OutputSet outputs(diags, std::move(inputs));
  if (!outputs.make_folder_of(out)) return failure;
  if (archive) {
    std::vector<ArchiveMember> members;
    members.push_back({"constants.o", std::move(*object)});
    auto packed = Archive::create(std::move(members), diags);
    if (!packed || !outputs.add(out, [&](int fd) { return packed->write(fd); })) return failure;
  } else if (!outputs.add(out, [&](int fd) { return object->write(fd); })) {
    return failure;
  }
  if (!outputs.add(beside.manifest, write_constants_manifest(target, *constants, &written, name)) ||
      !outputs.add(beside.header, header_text(path.stem().string(), *constants, far)))
    return failure;
  return outputs.commit(options.durability);
}

}  // namespace byoc
