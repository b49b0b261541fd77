// threads_program MODEL PLUGIN FOLDER: eight threads use libbyoc at the same time, half of them with PLUGIN in a
// process of its own. Each exports MODEL, runs what it wrote, and compares every tensor with the evaluator's, twice.
// Prints what differs between threads that were asked for the same, and fails.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "byoc/byoc.hpp"

namespace {

constexpr std::size_t kThreads = 8;
constexpr int kRounds = 2;

std::mutex output;
std::atomic<int> problems = 0;

void tell(const std::string& text) {
  const std::lock_guard lock(output);
  std::fprintf(stderr, "%s\n", text.c_str());
  ++problems;
}

void tell(const byoc::Diagnostics& diags) {
  for (const byoc::Diagnostic& d : diags.all()) tell(byoc::to_string(d));
}

// Everything that one thread made.
struct Made {
  std::string library;
  std::vector<std::vector<std::byte>> outputs;
  std::size_t compared = 0;
  bool operator==(const Made&) const = default;
};

std::vector<byoc::TensorBytes> inputs_of(const byoc::ModelInterface& model) {
  std::vector<byoc::TensorBytes> out;
  for (const byoc::IoTensor& t : model.inputs) {
    out.emplace_back(t.bytes);
    for (std::size_t i = 0; i < out.back().size(); ++i)  // floats are small numbers
      out.back()[i] = std::byte{static_cast<unsigned char>(i % 4 == 3 ? 0x3e : i * 7 % 64)};
  }
  return out;
}

bool make(const std::string& file, const std::string& plugin, const std::string& folder, Made& made,
          byoc::Diagnostics& diags) {
  const auto target = byoc::find_target("host", diags);
  const auto model = byoc::Model::load(file, {}, diags);
  if (!target || !model) return false;
  byoc::PluginChoice plugins;
  if (!plugin.empty()) {
    plugins.plugins = {plugin};
    plugins.isolate = true;
  }
  const auto codegens = byoc::Codegens::create(*target, plugins, diags);
  if (!codegens) return false;
  const std::string library = folder + "/model.so";
  const auto interface = byoc::export_model(*model, *codegens, {}, library, diags);
  if (!interface) return false;
  std::ifstream in(library, std::ios::binary);
  made.library.assign(std::istreambuf_iterator<char>(in), {});
  const auto exported = byoc::ExportedModel::open(library, {}, diags);
  if (!exported) return false;
  const auto inputs = inputs_of(exported->interface());
  auto ran = exported->run(inputs, {}, diags);
  if (!ran) return false;
  made.outputs = std::move(ran->outputs);
  byoc::ExportRequest traced;
  traced.trace = true;
  const auto compiled = byoc::CompiledModel::compile(*model, *codegens, traced, diags);
  if (!compiled) return false;
  byoc::RunOptions how;
  how.compare = true;
  const auto checked = compiled->run(inputs, how, diags);
  if (!checked || !checked->comparison) return false;
  if (checked->comparison->difference) tell("a tensor differs from the evaluator's");
  made.compared = checked->comparison->tensors;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string model = argv[1], plugin = argv[2], folder = argv[3];
  std::vector<Made> made(kThreads * kRounds);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string own = folder + "/" + std::to_string(t) + "." + std::to_string(round);
        std::filesystem::create_directories(own);
        byoc::Diagnostics diags;
        if (!make(model, t % 2 == 0 ? "" : plugin, own, made[t * kRounds + static_cast<std::size_t>(round)], diags))
          tell("thread " + std::to_string(t) + " failed");
        tell(diags);
      }
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Made& first = made[(i / kRounds % 2) * kRounds];
    if (made[i].outputs != made[0].outputs) tell("thread " + std::to_string(i / kRounds) + " has other outputs");
    if (!(made[i] == first)) tell("thread " + std::to_string(i / kRounds) + " made something else");
  }
  if (made[0].compared == 0 || made[0].library.empty()) tell("nothing was made");
  if (problems == 0) std::printf("%zu libraries, all equal\n", made.size());
  return problems == 0 ? 0 : 1;
}
