// host_tools MODEL INPUT FOLDER: what the command line does beside the export, as a program does it: runs MODEL on
// INPUT and compares, goes on from a folder, packs, verifies and looks into what it wrote. Everything is for this
// machine.
#include <byoc/byoc.hpp>
#include <byoc/inspect.hpp>
#include <byoc/pack.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

byoc::Diagnostics diags;

int failed() {
  for (const byoc::Diagnostic& d : diags.all()) std::printf("%s\n", byoc::to_string(d).c_str());
  return 1;
}

// Runs it with everything that can be watched; the outputs.
byoc::Result<std::vector<byoc::TensorBytes>> run(const byoc::CompiledModel& model,
                                                 const std::vector<byoc::TensorBytes>& inputs) {
  const auto result = model.run(inputs, {.profile = true, .dump = true, .compare = true}, diags);
  if (!result) return byoc::failure;
  const byoc::RunComparison& c = *result->comparison;
  std::printf("compared %zu tensors of %zu runs, %zu exact, %s\n", c.tensors, c.runs, c.exact,
              c.difference ? c.difference->tensor.c_str() : "no difference");
  std::printf("%zu steps counted, %zu dumped, weights %llu bytes, ran for some time: %d\n", result->step_counts.size(),
              result->dumps.size(), static_cast<unsigned long long>(result->flash.weights),
              result->nanoseconds.has_value());
  return result->outputs;
}

// What it says where something cannot be watched.
template <class Library>
void refuse(const Library& library, const std::vector<byoc::TensorBytes>& inputs) {
  byoc::Diagnostics told;
  if (!library.run(inputs, {.dump = true}, told))
    for (const byoc::Diagnostic& d : told.all()) std::printf("refused: %s\n", d.message.c_str());
}

// A folder that was exported runs without the model, and is packed.
bool go_on(const std::string& folder, const std::vector<byoc::TensorBytes>& inputs,
           const std::vector<byoc::TensorBytes>& expected) {
  const auto exported = byoc::ExportedModel::open(folder + "/m/", "", diags);
  if (!exported) return false;
  const auto again = exported->run(inputs, {}, diags);
  if (!again) return false;
  std::printf("exported %s for %s, %s\n", exported->interface().prefix.c_str(), exported->target().name.c_str(),
              again->outputs == expected ? "the same outputs" : "other outputs");
  refuse(*exported, inputs);
  const std::string folders[] = {folder + "/m/"};
  byoc::BuildOptions options;
  if (!byoc::pack_folders(folders, options, folder + "/m.a", diags)) return false;
  options.pack.system_library = "table";
  return bool(byoc::pack_folders(folders, options, folder + "/with_table.a", diags));
}

bool pack_other_things(const byoc::TargetSpec& target, const std::string& folder) {
  std::ofstream(folder + "/glue.c") << "int glue(void) { return 3; }\n";
  const std::string files[] = {folder + "/glue.c"};
  const byoc::ConstantFile data[] = {{folder + "/glue.c", "text_of_glue"}};
  return byoc::build_library(files, target, {}, folder + "/glue.a", diags) &&
         byoc::pack_files(data, target, {.align = 16}, folder + "/data.o", diags);
}

bool look(const byoc::Model& model, const byoc::Codegens& codegens, const std::string& path,
          const std::string& folder) {
  for (const char* form : {"/shared.so", "/archive.tar", "/m.a"})
    if (!byoc::export_model(model, codegens, {.name = "m"}, folder + form, diags)) return false;
  const std::string manifests[] = {folder + "/m.json"};
  // An image as its linker leaves it, with its symbols.
  const std::string image = folder + "/image.so";
  const std::string link =
      "cc -shared -Wl,--whole-archive '" + folder + "/m.a' -Wl,--no-whole-archive -lm -o '" + image + "'";
  if (std::system(link.c_str()) != 0) return false;
  const auto verified = byoc::verify_firmware(image, manifests, diags);
  const auto fragment = byoc::linker_fragment(manifests, {}, "m", diags);
  const auto text = byoc::imported_text(path, 16, diags);
  const auto library = byoc::inspect_shared_library(folder + "/shared.so", diags);
  const auto archive = byoc::inspect_model_library(folder + "/archive.tar", diags);
  if (!verified || !fragment || !text || !library || !archive) return false;
  std::printf("%zu constants verified, %zu regions\n", verified->constants, verified->regions.size());
  std::printf("script %d, header %d\n", !fragment->script.empty(), !fragment->header.empty());
  std::printf("imported %s\n", text->substr(0, text->find(' ')).c_str());
  std::printf("library %s for %s: %zu modules\n", library->interface.prefix.c_str(), library->target.c_str(),
              library->modules.size());
  std::printf("archive %s, version %llu\n", archive->modules.at(0).name.c_str(),
              static_cast<unsigned long long>(archive->version));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string path = argv[1], folder = argv[3];
  std::printf("%zu targets\n", byoc::targets().size());
  const auto target = byoc::find_target("host", diags);
  const auto model = byoc::Model::load(path, {}, diags);
  if (!target || !model) return failed();
  const auto codegens = byoc::Codegens::create(*target, {}, diags);
  if (!codegens) return failed();
  byoc::ExportRequest request{.name = "m", .step_table = true, .trace = true};
  const auto compiled = byoc::CompiledModel::compile(*model, *codegens, request, diags);
  if (!compiled) return failed();
  const auto report = compiled->report(*codegens, diags);
  if (!report) return failed();
  std::printf("%zu nodes, %s\n", report->nodes.size(),
              report->json.find("\"steps\"") != std::string::npos ? "with their steps" : "");
  std::vector<byoc::TensorBytes> inputs;
  for (int runs = 0; runs < 2; ++runs) {
    auto tensor = byoc::read_tensor(argv[2], compiled->interface().inputs.at(0), diags);
    if (!tensor) return failed();
    inputs.push_back(std::move(*tensor));
  }
  const auto outputs = run(*compiled, inputs);
  if (!outputs || !compiled->write(folder + "/m/", diags) || !go_on(folder, inputs, *outputs) ||
      !pack_other_things(*target, folder) || !look(*model, *codegens, path, folder))
    return failed();
  const auto plain = byoc::CompiledModel::compile(*model, *codegens, {.name = "m"}, diags);
  if (!plain) return failed();
  refuse(*plain, inputs);
  if (!codegens->end(diags)) return failed();
  const auto late = byoc::CompiledModel::compile(*model, *codegens, request, diags);
  if (late || !diags.has_errors()) return 3;
  failed();
  return 0;
}
