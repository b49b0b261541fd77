#include <llvm/Object/ELFObjectFile.h>

#include "sdk/library/object/carried_sections.hpp"

namespace byoc {

Result<std::vector<CarriedSection>> read_carried_sections(std::span<const std::byte> object, std::string_view prefix,
                                                          const std::string& name, Diagnostics& diags) {
  const llvm::StringRef text(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(text, name));
  if (!file)
    return diags.error(name, {}, "is not a readable object file", llvm::toString(file.takeError()), "ELF relocatable");
  std::vector<CarriedSection> out;
  for (const llvm::object::SectionRef section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> its = section.getName();
    if (its && !its->starts_with(llvm::StringRef(prefix.data(), prefix.size()))) continue;
    llvm::Expected<llvm::StringRef> bytes = its ? section.getContents() : llvm::Expected<llvm::StringRef>("");
    if (!its || !bytes)
      return diags.error(name, {}, "is not a readable object file",
                         llvm::toString(llvm::joinErrors(its.takeError(), bytes.takeError())), "ELF relocatable");
    out.push_back({its->str(), {reinterpret_cast<const std::byte*>(bytes->data()), bytes->size()}});
  }
  return out;
}

}  // namespace byoc
