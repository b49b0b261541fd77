#include "sdk/library/pack/linker_fragment.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "byoc/c_text.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

std::uint64_t aligned(std::uint64_t value, std::uint64_t align) { return (value + align - 1) / align * align; }

// The parts of all libraries in one region.
struct Use {
  std::string name;
  std::string memory;  // "": where the script has .rodata
  std::vector<std::pair<std::string, const ConstantRegion*>> parts;
};

// The workspaces of all libraries in one RAM.
struct WorkspaceUse {
  std::string name, field, section;
  std::string memory;  // "": where the script has .bss
  std::uint32_t align = 1;
  std::vector<std::pair<std::string, std::uint64_t>> parts;  // {library, bytes}
};

class Writer {
 public:
  Writer(const std::vector<LibraryConstants>& libraries, const std::map<std::string, std::string>& memories,
         const std::string& name, Diagnostics& diags)
      : libraries_(libraries), memories_(memories), name_(name), diags_(diags) {}

  Result<LinkerFragment> run() {
    const std::size_t before = diags_.count();
    collect();
    for (const LibraryConstants& l : libraries_) {
      for (const WorkspaceMemory& w : l.workspaces) collect(l.name, w);
      if (libraries_.size() > 1 && upper_case(l.name) == upper_case(name_))
        diags_.error({}, l.name, "a library has the name of what is made of all", l.name, "another name");
    }
    for (const auto& [region, memory] : memories_) check_memory(region, memory);
    if (diags_.count() != before) return failure;
    return LinkerFragment{script(), header()};
  }

 private:
  void collect() {
    std::map<std::string, std::string> owners;
    for (const LibraryConstants& l : libraries_)
      for (const ConstantRegion& r : l.regions) {
        for (const std::string& s : r.symbols) {
          const auto [owner, is_new] = owners.emplace(s, l.name);
          if (!is_new) diags_.error({}, s, "two libraries have a constant of this name", owner->second + ", " + l.name);
        }
        auto use = std::find_if(uses_.begin(), uses_.end(), [&](const Use& u) { return u.name == r.name; });
        if (use == uses_.end()) {
          const auto memory = memories_.find(r.name);
          uses_.push_back({r.name, memory == memories_.end() ? "" : memory->second, {}});
          use = std::prev(uses_.end());
        }
        if (use->memory.empty() && !r.section.starts_with(".rodata"))
          diags_.error({}, r.name, "a region with a section of its own, " + r.section + ", has no memory", {},
                       "--place " + r.name + "=MEMORY");
        use->parts.emplace_back(l.name, &r);
      }
  }

  void collect(const std::string& library, const WorkspaceMemory& w) {
    auto use = std::find_if(ram_.begin(), ram_.end(), [&](const WorkspaceUse& u) { return u.name == w.name; });
    if (use == ram_.end()) {
      const auto memory = memories_.find(w.name);
      ram_.push_back({w.name, w.field, w.section, memory == memories_.end() ? "" : memory->second, 1, {}});
      use = std::prev(ram_.end());
      if (use->memory.empty() && !w.section.starts_with(".bss"))
        diags_.error({}, w.name, "a workspace with a section of its own, " + w.section + ", has no memory", {},
                     "--place " + w.name + "=MEMORY");
    }
    if (use->section != w.section)
      diags_.error({}, w.name, "two libraries have workspaces of this memory in different sections",
                   use->section + ", " + w.section, "one section");
    use->align = std::max(use->align, w.align);
    use->parts.emplace_back(library, w.bytes);
  }

  void check_memory(const std::string& region, const std::string& memory) {
    if (std::any_of(uses_.begin(), uses_.end(), [&](const Use& u) { return u.name == region; }) ||
        std::any_of(ram_.begin(), ram_.end(), [&](const WorkspaceUse& u) { return u.name == region; })) {
      if (!is_identifier(memory)) diags_.error({}, "--place", "not a memory of a linker script", memory, "a name");
      return;
    }
    std::string known;
    for (const Use& u : uses_) known += (known.empty() ? "" : ", ") + u.name;
    for (const WorkspaceUse& u : ram_) known += (known.empty() ? "" : ", ") + u.name;
    diags_.error({}, "--place", ram_.empty() ? "no constant is in this region" : "nothing is in this region", region,
                 known.empty() ? "none" : known);
  }

  [[nodiscard]] std::string script() const {
    std::string text = "/* Where the constants of ";
    for (const LibraryConstants& l : libraries_) text += (&l == libraries_.data() ? "" : ", ") + l.name;
    text += " go. Written by byoc of their manifests; to be INCLUDEd after MEMORY and before SECTIONS. */\n";
    std::string sections;
    for (const Use& u : uses_) {
      if (u.memory.empty()) {
        text += "/* " + u.name + ": " + std::to_string(bytes(u)) + " bytes where this firmware has .rodata.* */\n";
        continue;
      }
      std::uint32_t align = 1;
      for (const auto& [library, r] : u.parts) align = std::max(align, r->align);
      const std::string symbol = name_ + "_" + u.name;
      sections += "  ." + symbol + " : ALIGN(" + std::to_string(align) + ")\n  {\n    " + symbol + "_start = .;\n";
      for (const auto& [library, r] : u.parts) {
        sections += "    /* " + library + " */\n";
        for (std::size_t i = 0; i < r->symbols.size(); ++i)
          sections +=
              "    *(" + r->section + "." + r->symbols[i] + ") /* " + std::to_string(r->bytes[i]) + " bytes */\n";
      }
      sections += "    " + symbol + "_end = .;\n  } > " + u.memory + "\n";
    }
    for (const WorkspaceUse& u : ram_) {
      if (u.memory.empty()) {
        text += "/* " + c_comment(u.name) + ": workspaces where this firmware has .bss.* */\n";
        continue;
      }
      const std::string symbol = name_ + "_" + u.field;
      sections +=
          "  ." + symbol + " (NOLOAD) : ALIGN(" + std::to_string(u.align) + ")\n  {\n    " + symbol + "_start = .;\n";
      for (const auto& [library, bytes] : u.parts)
        sections += "    /* " + library + ": " + std::to_string(bytes) + " bytes */\n";
      sections += "    *(" + u.section + " " + u.section + ".*)\n    " + symbol + "_end = .;\n  } > " + u.memory + "\n";
    }
    return sections.empty() ? text : text + "SECTIONS\n{\n" + sections + "}\n";
  }

  [[nodiscard]] std::string header() const {
    const std::string guard = "BYOC_" + upper_case(name_) + "_REGIONS_H";
    std::string text = "/* Constants by region, in bytes, as " + name_ +
                       ".ld places them. Written by byoc. */\n#ifndef " + guard + "\n#define " + guard +
                       "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const Use& u : uses_) {
      text += "\n#define " + upper_case(name_ + "_" + u.name) + "_BYTES " + std::to_string(bytes(u)) + "\n";
      for (const auto& [library, r] : u.parts)
        text += "#define " + upper_case(library + "_" + u.name) + "_BYTES " + std::to_string(r->total) + "\n";
      if (u.memory.empty()) continue;
      const std::string symbol = name_ + "_" + u.name;
      text += "extern const unsigned char " + symbol + "_start[], " + symbol + "_end[];\n";
    }
    for (const WorkspaceUse& u : ram_) {
      text += "\n";
      for (const auto& [library, bytes] : u.parts)
        text += "#define " + upper_case(library + "_" + u.field) + "_BYTES " + std::to_string(bytes) + "\n";
      if (u.memory.empty()) continue;
      const std::string symbol = name_ + "_" + u.field;
      text += "extern unsigned char " + symbol + "_start[], " + symbol + "_end[];\n";
    }
    return text + arenas() + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  }

  // The largest workspace in each memory.
  [[nodiscard]] std::string arenas() const {
    std::vector<PoolWorkspace> most;
    std::string models;
    for (const LibraryConstants& l : libraries_) {
      if (!l.runs_in.empty()) models += (models.empty() ? "" : ", ") + l.name;
      for (const PoolWorkspace& w : l.runs_in) {
        const auto same = std::find_if(most.begin(), most.end(), [&](const auto& m) { return m.field == w.field; });
        if (same == most.end()) {
          most.push_back(w);
          continue;
        }
        same->bytes = std::max(same->bytes, w.bytes);
        same->align = std::max(same->align, w.align);
      }
    }
    if (most.empty()) return {};
    std::string text = "\n/* What is enough for runs of " + models + ", one at a time. */\n";
    for (const PoolWorkspace& w : most) {
      const std::string stem = upper_case(name_ + "_WORKSPACE" + (w.field.empty() ? "" : "_" + w.field));
      text += "#define " + stem + "_SIZE " + std::to_string(w.bytes) + "\n";
      text += "#define " + stem + "_ALIGN " + std::to_string(w.align) + "\n";
      if (!w.section.empty()) text += "#define " + stem + "_SECTION \"" + w.section + "\"\n";
    }
    return text;
  }

  [[nodiscard]] static std::uint64_t bytes(const Use& u) {
    std::uint64_t sum = 0;
    for (const auto& [library, r] : u.parts) sum = aligned(sum, r->align) + r->total;
    return sum;
  }

  const std::vector<LibraryConstants>& libraries_;
  const std::map<std::string, std::string>& memories_;
  const std::string& name_;
  Diagnostics& diags_;
  std::vector<Use> uses_;
  std::vector<WorkspaceUse> ram_;
};

}  // namespace

namespace {

// Places the instance beside the workspace of its memory, if there is one.
void add_instance(const PoolWorkspace& i, std::vector<WorkspaceMemory>& memories) {
  const auto same = std::find_if(memories.begin(), memories.end(), [&](const auto& m) { return m.name == i.pool; });
  if (same == memories.end()) return memories.push_back({i.pool, i.field, i.section, i.bytes, i.align});
  same->bytes = aligned(same->bytes, std::max<std::uint32_t>(i.align, 1)) + i.bytes;
  same->align = std::max(same->align, i.align);
}

}  // namespace

Result<LibraryConstants> read_constant_regions(std::string_view text, const std::string& file, Diagnostics& diags) {
  const auto constants = read_manifest_constants(text, file, diags);
  auto sections = constants ? read_manifest_sections(text, file, diags) : Result<ManifestSections>(failure);
  if (!sections) return failure;
  const std::size_t before = diags.count();
  LibraryConstants out;
  out.name = to_identifier(sections->prefix.empty() ? fs::path(file).stem().string() : sections->prefix);
  for (const PoolWorkspace& w : sections->workspaces)
    out.workspaces.push_back({w.pool, w.field, w.section, w.bytes, w.align});
  if (sections->workspace) {
    out.runs_in = sections->workspaces;
    out.runs_in.insert(out.runs_in.begin(), *sections->workspace);
  }
  if (const std::optional<PoolWorkspace>& i = sections->instance) add_instance(*i, out.workspaces);
  for (const WorkspaceMemory& w : out.workspaces)
    if (!is_identifier(w.field) || !is_section_name(w.section))
      diags.error(file, w.name, "the manifest does not say what section the workspace is in",
                  w.field + " in '" + w.section + "'", "\"further_workspaces\" as byoc export writes them");
  for (const ExpectedConstant& c : *constants) {
    if (c.may_be_dropped) continue;  // where it is is for its compiler to say
    const std::string& section = sections->regions[c.region];
    if (!is_identifier(c.symbol) || !is_identifier(c.region) || !is_section_name(section)) {
      diags.error(file, c.symbol, "the manifest does not say what section the constant is in",
                  c.region + " in '" + section + "'", "\"regions\" as byoc export writes them");
      continue;
    }
    auto region = std::find_if(out.regions.begin(), out.regions.end(),
                               [&](const ConstantRegion& r) { return r.name == c.region; });
    if (region == out.regions.end()) {
      out.regions.push_back({.name = c.region, .section = section});
      region = std::prev(out.regions.end());
    }
    region->symbols.push_back(c.symbol);
    region->bytes.push_back(c.size);
    region->align = std::max(region->align, c.align);
    region->total = aligned(region->total, std::max<std::uint32_t>(c.align, 1)) + c.size;
  }
  return diags.count() == before ? Result<LibraryConstants>(std::move(out)) : failure;
}

Result<LinkerFragment> write_linker_fragment(const std::vector<LibraryConstants>& libraries,
                                             const std::map<std::string, std::string>& memories,
                                             const std::string& name, Diagnostics& diags) {
  return Writer(libraries, memories, name, diags).run();
}

}  // namespace byoc
