#include "sdk/library/object/localise.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ObjCopy/CommonConfig.h>
#include <llvm/ObjCopy/ELF/ELFConfig.h>
#include <llvm/ObjCopy/ELF/ELFObjcopy.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include "sdk/library/object/object_facts.hpp"

namespace byoc {

Result<std::vector<std::byte>> localise_symbols(std::span<const std::byte> object,
                                                const std::function<bool(std::string_view)>& keep,
                                                const std::string& name, Diagnostics& diags) {
  auto facts = read_object_facts(object, name, diags);
  if (!facts) return failure;
  const auto broken = [&](llvm::Error error) {
    return diags.error(name, {}, "its symbols cannot be made local: " + llvm::toString(std::move(error)));
  };
  llvm::objcopy::CommonConfig config;
  for (const ObjectSymbol& s : facts->defined) {
    if (s.section.empty() || keep(s.name)) continue;
    auto pattern = llvm::objcopy::NameOrPattern::create(s.name, llvm::objcopy::MatchStyle::Literal,
                                                        [](llvm::Error error) { return error; });
    if (llvm::Error error = config.SymbolsToLocalize.addMatcher(std::move(pattern))) return broken(std::move(error));
  }
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, name));
  if (!file) return broken(file.takeError());
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  if (llvm::Error error = llvm::objcopy::elf::executeObjcopyOnBinary(
          config, llvm::objcopy::ELFConfig(), *llvm::cast<llvm::object::ELFObjectFileBase>(file->get()), stream))
    return broken(std::move(error));
  const auto* first = reinterpret_cast<const std::byte*>(out.data());
  return std::vector<std::byte>(first, first + out.size());
}

}  // namespace byoc
