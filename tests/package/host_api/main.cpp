// host_api MODEL TARGET OUT [PLUGIN]...: prints what the model is and who takes which node, and exports it. A shared
// library is loaded again. Where HOST_API_CC is a compiler's command, the model is exported once more with that as a
// callback for sources and one for constants, to OUT with ".by_cc.a" behind it.
#include <byoc/byoc.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace {

int failed(const byoc::Diagnostics& diags) {
  for (const byoc::Diagnostic& d : diags.all()) std::printf("%s\n", byoc::to_string(d).c_str());
  return 1;
}

void print(const char* what, const std::vector<byoc::TensorInfo>& tensors) {
  for (const byoc::TensorInfo& t : tensors)
    std::printf("%s %s: %s, %zu dims\n", what, t.name.c_str(), std::string(byoc::to_string(t.dtype)).c_str(),
                t.dims.size());
}

// In a folder of each source's own: sources are compiled by several threads.
byoc::Result<std::vector<std::byte>> by_cc(const byoc::CSource& source, const byoc::CHeaders& headers,
                                           byoc::Diagnostics& diags) {
  const std::filesystem::path folder = std::filesystem::current_path() / "by_cc" / source.name;
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : headers) std::ofstream(folder / name) << text;
  const std::string stem = (folder / source.name).string();
  std::ofstream(stem + ".c") << source.text;
  const std::string command = std::string(std::getenv("HOST_API_CC")) + " -O" + source.opt_level +
                              " -std=" + source.standard + " -ffp-contract=off -I'" + folder.string() + "' -c '" +
                              stem + ".c' -o '" + stem + ".o'";
  if (std::system(command.c_str()) != 0) return diags.error(source.name + ".c", {}, command + " failed");
  std::ifstream object(stem + ".o", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(object)), {});
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(bytes, bytes + text.size());
}

// Of constants of which no two are the same.
byoc::Result<std::vector<std::byte>> constants_by_cc(std::span<const byoc::PackedConstant> constants,
                                                     const byoc::TargetSpec& target, byoc::Diagnostics& diags) {
  std::printf("%zu constants for %s\n", constants.size(), target.name.c_str());
  byoc::CSource source{.name = "constants", .text = {}, .opt_level = "0", .standard = "gnu11"};
  for (const byoc::PackedConstant& c : constants) {
    source.text += "const unsigned char " + c.symbol + "[] __attribute__((section(\"" + c.section + "\"), aligned(" +
                   std::to_string(c.align) + "))) = {";
    for (const std::byte b : c.bytes) source.text += std::to_string(static_cast<unsigned>(b)) + ",";
    source.text += "};\n";
  }
  return by_cc(source, {}, diags);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  byoc::Diagnostics diags;
  const auto target = byoc::find_target(argv[2], diags);
  const auto model = byoc::Model::load(argv[1], {}, diags);
  if (!target || !model) return failed(diags);
  byoc::PluginChoice plugins;
  for (int i = 4; i < argc; ++i) plugins.plugins.emplace_back(argv[i]);
  const auto codegens = byoc::Codegens::create(*target, plugins, diags);
  if (!codegens) return failed(diags);
  print("input", model->inputs());
  print("output", model->outputs());
  const auto report = byoc::partition_model(*model, *codegens, {}, diags);
  if (!report) return failed(diags);
  for (const byoc::NodeReport& node : report->nodes)
    std::printf("%s: %s (%s)\n", node.name.c_str(), node.codegen.c_str(), node.decision.c_str());
  const auto interface = byoc::export_model(*model, *codegens, {}, argv[3], diags);
  if (!interface) return failed(diags);
  std::printf("%zu steps, workspace %llu bytes\n", interface->steps.size(),
              static_cast<unsigned long long>(interface->workspace_bytes));
  if (std::string_view(argv[3]).ends_with(".so")) {
    const auto root = byoc::load_module(argv[3], {}, diags);
    if (!root) return failed(diags);
    const auto function = root->function(interface->prefix + "_run", byoc::Lookup::own, diags);
    if (!function) return failed(diags);
    std::printf("loaded %s, %s, %zu imports, %zu bytes of manifest\n", root->name().c_str(), root->kind().c_str(),
                root->imports().size(), root->manifest().size());
  }
  if (std::getenv("HOST_API_CC") == nullptr) return failed(diags) - 1;
  byoc::ExportRequest request;
  request.name = "by_cc";
  request.compiler.toolchain = "our cc";
  request.compile = by_cc;
  request.encoding.function = constants_by_cc;
  if (!byoc::export_model(*model, *codegens, request, std::string(argv[3]) + ".by_cc.a", diags)) return failed(diags);
  return failed(diags) - 1;
}
