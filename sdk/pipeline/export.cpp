#include "sdk/pipeline/export.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "sdk/compile/compiler.hpp"
#include "sdk/executor/aot.hpp"
#include "sdk/executor/control.hpp"
#include "sdk/import/import.hpp"
#include "sdk/object/object_facts.hpp"
#include "sdk/partition/partition.hpp"
#include "sdk/pipeline/kernel_names.hpp"
#include "sdk/pipeline/manifest.hpp"
#include "sdk/pipeline/vendor_artifacts.hpp"
#include "sdk/pipeline/vendor_sources.hpp"
#include "sdk/plugin/compilation.hpp"

namespace byoc {
namespace {

// How hard each part is optimised. Kernels are where the time goes; the rest is calls and tables. They are blocked by
// hand, so that -O3 brings a few percent for a fifth more code.
std::string kernel_level(Objective objective) {
  switch (objective) {
    case Objective::speed: return "3";
    case Objective::size: return "s";
    case Objective::balanced: return "2";
  }
  return "2";
}
constexpr const char* kGlueLevel = "s";

// Everything that can change the bytes of an object, for the names of shared kernels.
std::string fingerprint(const TargetSpec& t, const Compiler& compiler, Objective objective) {
  std::string out = t.triple + "|" + t.cpu + "|" + t.march + "|" + t.fpu + "|" + t.float_abi + "|" + t.abi + "|" +
                    t.code_model + "|" + (t.short_enums ? "short-enums" : "") + "|" + (t.pic ? "pic" : "");
  return out + "|" + compiler.identity() + "|" + compiler.flags() + "|" + kernel_level(objective);
}

class Export {
 public:
  Export(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags)
      : graph_(graph), options_(options), diags_(diags), prefix_(to_identifier(options.name)) {
    library_.header_name = prefix_ + ".h";
    internal_header_ = prefix_ + "_internal.h";
  }

  Result<Library> run() {
    // Every node has a codegen, or the model is refused here with everyone's reasons.
    stage("partition");
    auto placed = make_partition(graph_, options_.codegens, options_.target, options_.partition, diags_);
    if (!placed) return failure;

    stage("codegen");
    if (!generate(*placed)) return failure;
    // Beyond this point no new symbol is added but <prefix>_run and its like.

    stage("plan");
    auto schedule = executor::make_schedule(graph_, compilation_, options_.target, diags_);
    if (!schedule) return failure;

    stage("compile");
    const CompileOptions how{.sanitize = options_.sanitize};
    auto compiler = Compiler::create(options_.target, options_.toolchain, how, diags_);
    if (!compiler) return failure;
    kernel_names_ = name_kernels(compilation_, fingerprint(options_.target, **compiler, options_.objective));
    const executor::AotModule root = executor::make_aot({graph_, compilation_, *schedule, options_.target, prefix_,
                                                         library_.header_name, internal_header_, kernel_names_});
    if (!compile(**compiler, root)) return failure;

    stage("verify");
    if (!verify()) return failure;
    describe(root, (*compiler)->identity());
    return std::move(library_);
  }

 private:
  void stage(std::string_view name) const {
    if (options_.progress) options_.progress(name);
  }

  bool generate(const Partition& placed) {
    NameTable names;
    for (const char* reserved : {"_run", "_init", "_reset", "_deinit", "_inputs", "_outputs", "_inputs_t", "_outputs_t",
                                 "_instance", "_instance_t"})
      names.claim(prefix_ + reserved);
    const plugin::CompileRequest request{graph_, options_.target, options_.objective, prefix_, internal_header_};
    for (std::size_t c = 0; c < options_.codegens.size(); ++c) {
      std::vector<plugin::BoundRegion> own;
      for (const PlacedRegion& r : placed.regions)
        if (r.codegen == c) own.push_back(r.bound);
      if (own.empty()) continue;
      if (!plugin::compile_regions(*options_.codegens[c], own, request, names, compilation_, diags_)) return false;
    }
    const auto order = [&](const ir::Graph& graph, ir::NodeId n) {
      return (&graph == &graph_ ? placed.nodes : placed.bodies.at(&graph))[n].order;
    };
    executor::add_control_steps(graph_, prefix_, order, names, compilation_);
    plugin::order_steps(compilation_);
    executor::add_read_constants(graph_, prefix_, names, compilation_);
    return true;
  }

  bool compile(Compiler& compiler, const executor::AotModule& root) {
    HeaderMap headers(compilation_.headers.begin(), compilation_.headers.end());
    headers[library_.header_name] = root.header;
    headers[internal_header_] = root.internal_header;

    const auto rules = options_.check_sources == CheckSources::off
                           ? std::map<std::string, compile::SourceRules>()
                           : source_rules(graph_, compilation_, options_, root.internal_header);
    std::vector<Source> sources = {{prefix_, root.root, kGlueLevel, {}}};
    std::vector<LibraryMember> known;
    for (const plugin::SourceArtifact& s : compilation_.sources) {
      if (s.decl.shared && take_known(kernel_names_.at(s.decl.symbol), known)) continue;
      Source& source = sources.emplace_back();
      source.name = s.decl.shared ? kernel_names_.at(s.decl.symbol) : s.decl.name;
      source.text = s.decl.shared ? rename_kernels(s.text, kernel_names_) : s.text;
      source.opt_level = s.decl.shared ? kernel_level(options_.objective) : kGlueLevel;
      source.standard = s.decl.standard;
      source.include_directories = s.decl.include_directories;
      if (options_.built_in.contains(s.codegen)) continue;
      source.codegen = s.codegen;
      const auto own = rules.find(s.codegen);
      source.rules = own == rules.end() ? nullptr : &own->second;
      // Places in diagnostics are those of the text that was handed over.
      if (source.text.size() != s.text.size()) source.text.insert(source.text.size() - s.text.size(), "#line 1\n");
    }
    if (options_.trace) sources.push_back({prefix_, "#define BYOC_TRACE 1\n" + root.root, kGlueLevel, {}});

    auto objects = compiler.compile_all(sources, headers, diags_, options_.limits);
    if (!objects) return false;
    if (options_.trace) {
      library_.traced_root = std::move(objects->back().object);
      objects->pop_back();
    }
    std::vector<VendorFindings> findings;
    for (std::size_t i = 0; i < objects->size(); ++i) {
      library_.members.push_back({member_name(sources[i].name), std::move((*objects)[i].object), {}});
      if (!(*objects)[i].findings.empty()) findings.push_back({sources[i].codegen, std::move((*objects)[i].findings)});
    }
    library_.members.insert(library_.members.end(), known.begin(), known.end());
    if (!add_vendor_artifacts()) return false;
    add_constants();
    if (!findings.empty() && !report_findings(findings, compilation_, library_.members, options_.check_sources, diags_))
      return false;
    if (options_.kernel_objects == nullptr) return true;
    for (const auto& [symbol, name] : kernel_names_)
      for (const LibraryMember& m : library_.members)
        if (m.name == name + ".o") options_.kernel_objects->emplace(name, m.object);
    return true;
  }

  bool add_vendor_artifacts() {
    auto artifacts =
        take_artifacts(compilation_, options_.target, kernel_level(options_.objective), options_.limits, diags_);
    if (!artifacts) return false;
    for (LibraryMember& m : artifacts->members) {
      m.name = member_name(m.name.substr(0, m.name.rfind('.')));
      library_.members.push_back(std::move(m));
    }
    library_.link_libraries = std::move(artifacts->link_libraries);
    licences_ = std::move(artifacts->licences);
    return true;
  }

  // Two codegens may call their files alike, and like the member that carries the constants.
  std::string member_name(const std::string& stem) {
    std::string name = stem + ".o";
    for (unsigned n = 2; name == constants_name() || !member_names_.insert(name).second; ++n)
      name = stem + "_" + std::to_string(n) + ".o";
    return name;
  }
  std::string constants_name() const { return prefix_ + "_constants.o"; }

  bool take_known(const std::string& kernel, std::vector<LibraryMember>& known) const {
    if (options_.kernel_objects == nullptr) return false;
    const auto found = options_.kernel_objects->find(kernel);
    if (found == options_.kernel_objects->end()) return false;
    known.push_back({kernel + ".o", found->second, {}});
    return true;
  }

  // System V ABI for x86-64, 3.1.2: an array of 16 bytes or more is aligned to 16; compilers rely on it when they read
  // one that is declared as such.
  std::uint32_t least_align(std::uint64_t bytes) const {
    return options_.target.triple.starts_with("x86_64") && bytes >= 16 ? 16 : 1;
  }

  void add_constants() {
    LibraryMember member{constants_name(), {}, {}};
    for (const plugin::ConstantArtifact& c : compilation_.constants) {
      ConstantArtifact out;
      out.symbol = c.decl.symbol;
      out.bytes = c.bytes;
      out.align = std::max(c.decl.align, least_align(c.bytes.size()));
      out.region = c.decl.region;
      out.element = c.decl.element;
      out.model_data = c.decl.model_data;
      member.constants.push_back(std::move(out));
    }
    if (!member.constants.empty()) library_.members.push_back(std::move(member));
  }

  bool verify() {
    bool ok = true;
    for (const LibraryMember& m : library_.members) {
      if (m.object.empty()) continue;
      const std::string name = m.codegen.empty() ? m.name : m.name + " of codegen '" + m.codegen + "'";
      auto facts = read_object_facts(m.object, name, diags_);
      ok = facts && check_object(*facts, options_.target, name, diags_) && ok;
    }
    return ok && check_definitions(compilation_, library_.members, diags_);
  }

  void describe(const executor::AotModule& root, const std::string& toolchain) {
    library_.interface = root.interface;
    library_.header = root.header;
    library_.example_main = root.example_main;
    std::vector<std::string> members;
    for (const LibraryMember& m : library_.members) members.push_back(m.name);
    std::vector<std::string> kernels;
    for (const auto& [symbol, name] : kernel_names_) kernels.push_back(name);
    static const std::vector<ConstantArtifact> kNone;
    const LibraryMember& last = library_.members.back();
    library_.manifest =
        write_manifest({root.interface, options_.target, toolchain, last.constants.empty() ? kNone : last.constants,
                        members, kernels, library_.link_libraries, licences_, options_.origins});
  }

  const ir::Graph& graph_;
  const ExportOptions& options_;
  Diagnostics& diags_;
  std::string prefix_;
  std::string internal_header_;
  plugin::Compilation compilation_;
  std::map<std::string, std::string> kernel_names_;
  std::set<std::string> member_names_;
  std::vector<Licence> licences_;
  Library library_;
};

}  // namespace

Result<ir::Graph> load_model(const std::string& path, const PrepareOptions& options, Diagnostics& diags) {
  auto graph = import_model(path, diags);
  if (!graph || !prepare(*graph, options, diags)) return failure;
  return graph;
}

Result<Library> compile_model(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  return Export(graph, options, diags).run();
}

std::string default_name(const std::string& model_path) {
  return to_identifier(std::filesystem::path(model_path).stem().string());
}

}  // namespace byoc
