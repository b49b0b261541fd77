#include "tests/e2e/kernels/program.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "backends/reference.hpp"
#include "byoc/c_text.hpp"
#include "sdk/base/support/process.hpp"
#include "tests/support/fake_host.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInternalHeader = "internal.h";
constexpr int kGuard = 16;

std::string bytes_text(const void* data, std::size_t n) {
  std::string out;
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < n; ++i) out += std::to_string(p[i]) + ((i % 32) == 31 ? ",\n" : ",");
  return out;
}

// A constant is written as bytes of a union-free aligned array of its element type, element by element.
std::string constant_text(const FakeHost::Constant& c) {
  const std::size_t size = bit_width(c.decl.element) / 8;
  std::string out = "const " + std::string(c_type(c.decl.element)) + " " + c.decl.symbol + "[" +
                    std::to_string(c.bytes.size() / size) + "] __attribute__((aligned(" + std::to_string(c.decl.align) +
                    "))) = {";
  for (std::size_t i = 0; i < c.bytes.size(); i += size) {
    if (c.decl.element == DType::f32) {
      float f = 0;
      std::memcpy(&f, c.bytes.data() + i, 4);
      out += c_float(f);
    } else {
      std::int64_t v = 0;
      std::memcpy(&v, c.bytes.data() + i, size);
      if (c.decl.element == DType::i8) v = static_cast<std::int8_t>(v);
      if (c.decl.element == DType::i16) v = static_cast<std::int16_t>(v);
      if (c.decl.element == DType::i32) v = static_cast<std::int32_t>(v);
      out += v == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(v);
    }
    out += (i / size % 16) == 15 ? ",\n" : ",";
  }
  return out + "};\n";
}

std::string prototype(const codegen::Step& s, const codegen::Region& r) {
  std::string p;
  const auto add = [&](const std::string& type) { p += (p.empty() ? "" : ", ") + type; };
  for (const auto& o : s.inputs) add("const " + std::string(c_type(r.values[o.value].dtype)) + " *");
  for (const auto& o : s.outputs) add(std::string(c_type(r.values[o.value].dtype)) + " *");
  for (std::size_t i = 0; i < s.workspaces.size(); ++i) add("void *");
  return "int32_t " + s.symbol + "(" + p + ");\n";
}

const std::vector<std::int8_t>& operand(const Layer& layer, const codegen::Step& s, std::uint32_t input) {
  return layer.inputs[s.inputs[input].value];
}

// From the start of the output to the end of both.
std::size_t overlaid_bytes(const Layer& layer, const codegen::Step& s, const codegen::Overlay& o) {
  return std::max(layer.expected.size(), std::size_t{o.lead} + operand(layer, s, o.input).size());
}

std::string main_text(std::span<const Layer> layers, const FakeHost& host, bool bare) {
  std::string out = "#include <string.h>\n#include <stdint.h>\n#include \"internal.h\"\n";
  std::size_t largest = 0, workspace = 16, shared = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string n = std::to_string(i);
    for (std::size_t k = 0; k < layers[i].inputs.size(); ++k)
      out += "static const uint8_t x" + n + "_" + std::to_string(k) + "[] __attribute__((aligned(16))) = {" +
             bytes_text(layers[i].inputs[k].data(), layers[i].inputs[k].size()) + "};\n";
    out += "static const uint8_t y" + n + "[] = {" + bytes_text(layers[i].expected.data(), layers[i].expected.size()) +
           "};\n";
    largest = std::max(largest, layers[i].expected.size());
    for (const auto& w : host.steps[i].workspaces) workspace = std::max(workspace, std::size_t{w.bytes});
    for (const codegen::Overlay& o : host.steps[i].overlays)
      shared = std::max({shared, overlaid_bytes(layers[i], host.steps[i], o)});
  }
  largest = std::max(largest, shared);
  out += "static int8_t y[" + std::to_string(largest + 2 * kGuard) + "] __attribute__((aligned(16)));\n";
  out += "static uint8_t ws[" + std::to_string(workspace + 2 * kGuard) + "] __attribute__((aligned(16)));\n";
  out += bare ? "void platform_put(const char *);\n" : "#include <stdio.h>\n#define platform_put(t) fputs(t, stdout)\n";
  out += R"(
static int bad;
static void prepare(uint32_t n, uint32_t w) {
  memset(y, 0x5a, sizeof y);
  memset(ws, 0x5a, sizeof ws);
  (void)n;
  (void)w;
}
static void number(uint32_t v) {
  char text[12];
  int at = 11;
  text[11] = 0;
  do text[--at] = (char)('0' + v % 10); while (v /= 10);
  platform_put(text + at);
}
/* n: bytes of the result; all: from its start to the end of what it overlays. */
static void check(uint32_t layer, const uint8_t *want, uint32_t n, uint32_t all, uint32_t w) {
  uint32_t i, wrong = 0, first = 0;
  for (i = 0; i < n; ++i)
    if (y[i + 16] != (int8_t)want[i]) {
      if (!wrong) first = i;
      ++wrong;
    }
  for (i = 0; i < 16; ++i)
    if (y[i] != 0x5a || y[all + 16 + i] != 0x5a || ws[i] != 0x5a || ws[w + 16 + i] != 0x5a) wrong += 1000000;
  if (!wrong) return;
  ++bad;
  platform_put("layer "); number(layer); platform_put(": wrong "); number(wrong); platform_put(" of "); number(n);
  platform_put(", first "); number(first); platform_put("\n");
}
int main(void) {
)";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const codegen::Step& s = host.steps[i];
    const std::string n = std::to_string(i), size = std::to_string(layers[i].expected.size()),
                      w = std::to_string(s.workspaces.empty() ? 0 : s.workspaces[0].bytes);
    const auto call = [&](const codegen::Overlay* o) {
      std::string arguments;
      for (std::uint32_t k = 0; k < s.inputs.size(); ++k) {
        const std::string at = o != nullptr && o->input == k ? "(y + 16 + " + std::to_string(o->lead) + ")"
                                                             : "x" + n + "_" + std::to_string(s.inputs[k].value);
        arguments += "(const " + std::string(c_type(layers[i].region.values[s.inputs[k].value].dtype)) +
                     " *)(const void *)" + at + ", ";
      }
      return "  if (" + s.symbol + "(" + arguments + "(" +
             std::string(c_type(layers[i].region.values[s.outputs[0].value].dtype)) + " *)(void *)(y + 16)" +
             (s.workspaces.empty() ? "" : ", ws + 16") + ")) ++bad;\n";
    };
    out += "  prepare(" + size + ", " + w + ");\n" + call(nullptr);
    out += "  check(" + n + ", y" + n + ", " + size + ", " + size + ", " + w + ");\n";
    // Once more in the place of each input that it may overwrite.
    for (const codegen::Overlay& o : s.overlays) {
      const std::string all = std::to_string(overlaid_bytes(layers[i], s, o));
      out += "  prepare(" + size + ", " + w + ");\n  memcpy(y + 16 + " + std::to_string(o.lead) + ", x" + n + "_" +
             std::to_string(s.inputs[o.input].value) + ", " + std::to_string(operand(layers[i], s, o.input).size()) +
             ");\n" + call(&o);
      // What lies behind the result is what is left of the input.
      out += "  check(" + n + ", y" + n + ", " + size + ", " + all + ", " + w + ");\n";
    }
  }
  return out + "  if (!bad) { platform_put(\"ok \"); number(" + std::to_string(layers.size()) +
         "); }\n  return bad != 0;\n}\n";
}

void write(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

// Writes what the backend made; returns the C files, or nothing with the reason in `error`.
std::vector<std::string> generate(const Platform& platform, std::span<const Layer> layers, const fs::path& folder,
                                  std::string& error) {
  FakeHost host;
  std::vector<codegen::Region> regions;
  const reference::Option layout{"layout", "graph"};
  const auto backend = reference::find("c")->create({&layout, 1});
  for (const Layer& layer : layers) {
    regions.push_back(layer.region);
    // As if another node had computed the operands: where this is the last to read them, it pays to overwrite them.
    if (regions.size() % 2 == 0) regions.back().inputs.clear();
    for (const codegen::Verdict& v : backend->verdicts(layer.region, platform.target))
      if (!v.claimed) error += layer.text + ": refused: " + v.text + "\n";
  }
  if (!error.empty()) return {};
  if (!backend->compile({platform.target, platform.objective, kInternalHeader, regions}, host)) {
    for (const auto& [severity, text] : host.diagnostics) error += text + "\n";
    return {};
  }
  std::string internal = "#ifndef INTERNAL_H\n#define INTERNAL_H\n#include <stdint.h>\n",
              constants = "#include \"internal.h\"\n";
  for (std::size_t i = 0; i < host.steps.size(); ++i) internal += prototype(host.steps[i], regions[i]);
  for (const auto& k : host.constants) {
    internal += "extern const " + std::string(c_type(k.decl.element)) + " " + k.decl.symbol + "[];\n";
    constants += constant_text(k);
  }
  write(folder / kInternalHeader, internal + "#endif\n");
  for (const auto& [name, text] : host.headers) write(folder / name, text);
  std::set<std::string> files;
  for (const auto& s : host.sources) {
    files.insert((folder / (s.decl.name + ".c")).string());
    write(folder / (s.decl.name + ".c"), s.text);
  }
  write(folder / "constants.c", constants);
  write(folder / "main.c", main_text(layers, host, platform.bare));
  files.insert((folder / "constants.c").string());
  files.insert((folder / "main.c").string());
  return {files.begin(), files.end()};
}

bool run(std::vector<std::string> command, std::string& text) {
  Diagnostics diagnostics;
  ProcessOptions options;
  options.timeout_seconds = 100;
  const auto result = run_process(command, diagnostics, options);
  if (!result) {
    text += "cannot run " + command[0] + "\n";
    return false;
  }
  text += result->output + result->errors + (result->timed_out ? "timed out\n" : "");
  return result->exit_code == 0 && !result->timed_out;
}

}  // namespace

bool Platform::available() const {
  return !find_program(compiler[0]).empty() && !find_program(linker[0]).empty() &&
         (runner.empty() || !find_program(runner[0]).empty());
}

void PrintTo(const Platform& platform, std::ostream* out) { *out << platform.name; }

Outcome run_layers(const Platform& platform, std::span<const Layer> layers, const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  Outcome out;
  std::vector<std::string> files = generate(platform, layers, folder, out.text);
  if (files.empty()) return out;
  if (platform.bare) files.push_back(test::source_dir() + "/tests/e2e/kernels/platform.c");
  std::vector<std::string> link = platform.linker;
  for (const std::string& file : files) {
    std::vector<std::string> command = platform.compiler;
    const std::string object = folder + "/" + fs::path(file).stem().string() + ".o";
    command.insert(command.end(), {"-I", folder, "-c", file, "-o", object});
    if (!run(command, out.text)) return out;
    link.push_back(object);
  }
  link.insert(link.end(), {"-o", folder + "/program"});
  if (platform.bare) link.insert(link.end(), {"-T", test::source_dir() + "/tests/e2e/kernels/platform.ld"});
  if (platform.bare) link.insert(link.end(), {"-lc", "-lgcc"});
  if (!run(link, out.text)) return out;
  out.built = true;
  out.text.clear();
  std::vector<std::string> command = platform.runner;
  command.push_back(folder + "/program");
  run(command, out.text);
  return out;
}

}  // namespace byoc::test
