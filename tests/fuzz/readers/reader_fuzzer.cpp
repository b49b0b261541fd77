// libFuzzer's entry for what the command line reads beside models: whatever the bytes, reading them ends in a value, or
// in a diagnostic. BYOC_FUZZ_READER names which reader; each has a corpus of its own.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/frame.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/codegen/plugin/abi/manifest.hpp"
#include "sdk/codegen/plugin/record/session_record.hpp"
#include "sdk/library/compile/toolchain.hpp"
#include "sdk/library/object/foreign_code.hpp"
#include "sdk/library/object/image_symbol.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/object/verify_image.hpp"
#include "sdk/library/pack/folder.hpp"
#include "sdk/library/pack/loader_part.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/library/pack/model_library/unpack_model_library.hpp"
#include "sdk/library/pack/shared_library_content.hpp"
#include "sdk/library/pack/static_library.hpp"
#include "sdk/library/pack/tar.hpp"
#include "sdk/library/weights/describe.hpp"
#include "sdk/library/weights/difference.hpp"
#include "sdk/library/weights/intel_hex.hpp"
#include "sdk/program/graphjson/graph_json.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/run/values/input.hpp"
#include "sdk/run/values/input_set.hpp"
#include "sdk/run/values/input_value.hpp"
#include "sdk/run/values/run_result.hpp"
#include "sdk/target/module/device_blob.hpp"
#include "sdk/target/target/target.hpp"

namespace {

using namespace byoc;

[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

struct Input {
  std::span<const std::byte> bytes;
  std::string path;  // of a file with these bytes, alone in its folder and named as a folder's tree

  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

const TargetSpec& target(const char* name) {
  static std::map<std::string, TargetSpec> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  Diagnostics diags;
  return known[name] = *resolve_target(name, diags);
}

bool read_target(const Input& in, Diagnostics& diags) { return bool(parse_target(in.text(), "x", diags)); }
bool read_toolchain(const Input& in, Diagnostics& diags) { return bool(parse_toolchain(in.text(), "x", diags)); }

// Three parts of a program read it, each for itself; what all three accept is a manifest.
bool read_manifests(const Input& in, Diagnostics& diags) {
  const bool constants = bool(read_manifest_constants(in.text(), "x", diags));
  const bool sections = bool(read_manifest_sections(in.text(), "x", diags));
  const bool model = bool(read_manifest(in.text(), "x", diags));
  return constants && sections && model;
}

bool read_plugin_manifest(const Input& in, Diagnostics& diags) { return bool(plugin::read_manifest(in.path, diags)); }

IoTensor wanted(const char* name, DType dtype, std::vector<std::int64_t> dims, std::uint64_t bytes) {
  IoTensor t;
  t.name = name;
  t.dtype = dtype;
  t.dims = std::move(dims);
  t.bytes = bytes;
  return t;
}

bool read_npy_file(const Input& in, Diagnostics& diags) {
  return bool(read_npy(in.path, wanted("x", DType::f32, {2, 3}, 24), diags));
}

bool read_tensor_file(const Input& in, Diagnostics& diags) {
  const bool numbers = bool(read_tensor_proto(in.path, wanted("x", DType::f32, {2, 3}, 24), diags));
  Diagnostics said;  // that it is of one kind only is no news
  (void)value_of_proto(in.path, {.dtype = DType::string}, said);
  for (const auto kind : {HostValue::Kind::sequence, HostValue::Kind::optional})
    (void)value_of_proto(in.path, {.kind = kind, .dtype = DType::f32}, said);
  return numbers;
}

template <class Bytes>
void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// With sums of headers that are right: behind a wrong one nothing would ever be read. ustar, POSIX.1-1988, 10.1.1.
void seal_tar(const Input& in) {
  constexpr std::size_t kBlock = 512, kSize = 124, kSizeDigits = 12, kSum = 148, kSumDigits = 8;
  std::string bytes(in.text());
  for (std::size_t at = 0; at + kBlock <= bytes.size();) {
    const std::span header(bytes.data() + at, kBlock);
    std::uint64_t size = 0;
    std::from_chars(header.data() + kSize, header.data() + kSize + kSizeDigits, size, 8);
    std::fill_n(header.begin() + kSum, kSumDigits, ' ');
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header.data() + kSum, kSumDigits, "%06o", sum);
    if (size > bytes.size()) break;
    at += kBlock + (static_cast<std::size_t>(size) + kBlock - 1) / kBlock * kBlock;
  }
  write_file(in.path, bytes);
}

bool read_tar(const Input& in, Diagnostics& diags) {
  seal_tar(in);
  return bool(read_model_library(in.path, diags));
}

// What there is to read in a Model Library Format beside the archive itself.
bool read_metadata(const Input& in, Diagnostics& diags) {
  std::FILE* const file = std::fopen(in.path.c_str(), "wb");
  if (file == nullptr) broken("there is room for temporary files");
  TarWriter writer(fileno(file), 0);
  const bool written = writer.add_text("./metadata.json", in.text()) &&
                       writer.add_text("./codegen/host/lib/m_lib0.o", "an object") && writer.finish();
  if (std::fclose(file) != 0 || !written) broken("there is room for temporary files");
  Diagnostics said;  // that nothing in it can be loaded is no news
  const auto to = TemporaryDirectory::create(said);
  if (to && !unpack_model_library(in.path, to->path(), said) && !said.has_errors())
    broken("what is refused has an error");
  return bool(read_model_library(in.path, diags));
}

bool read_so(const Input& in, Diagnostics& diags) {
  Diagnostics said;  // that it has no name, or no such symbol, is no news
  (void)shared_library_name(in.bytes, "x", said);
  (void)dynamic_symbol_bytes(in.bytes, "byoc_import_tree", "x", said);
  return bool(read_shared_library(in.path, diags));
}

bool read_object(const Input& in, Diagnostics& diags) {
  const auto facts = read_object_facts(in.bytes, "x", diags);
  if (!facts) return false;
  Diagnostics said;  // that it does not fit is no news
  for (const char* name : {"cortex-m4f", "riscv32imc", "host", "aarch64-linux-gnu"}) {
    if (!check_object(*facts, target(name), "x", said) && !said.has_errors()) broken("a refused object has an error");
    if (const auto reader = CodeReader::create(target(name))) (void)reader->read(in.bytes, "x", said);
  }
  return true;
}

bool read_result(const Input& in, Diagnostics& diags) {
  return bool(read_run_result(in.bytes, {}, target("cortex-m4f"), diags));
}

bool read_tree(const Input& in, Diagnostics& diags) {
  return bool(read_folder(std::filesystem::path(in.path).parent_path(), std::nullopt, diags));
}

bool read_npz_file(const Input& in, Diagnostics& diags) {
  const std::vector<IoTensor> inputs{wanted("x", DType::f32, {2, 3}, 24), wanted("y", DType::i4, {3}, 2)};
  std::vector<InputOrigin> slots(inputs.size());
  return bool(read_npz(in.path, inputs, slots, diags));
}

// What load_module() reads before it links anything.
bool read_archive(const Input& in, Diagnostics& diags) {
  const auto members = list_static_library(in.bytes, "x", diags);
  std::map<std::string, CarriedLibrary> libraries;
  if (!members) return false;
  for (const LibraryObject& m : *members)
    if (!read_carried_libraries(m.bytes, m.name, libraries, diags)) return false;
  for (const auto& [name, library] : libraries)
    if (!library.tree.empty() && !read_import_tree(library.tree, name, diags)) return false;
  return true;
}

bool unpack_tar(const Input& in, Diagnostics& diags) {
  seal_tar(in);
  const auto to = TemporaryDirectory::create(diags);
  return to && bool(unpack_model_library(in.path, to->path(), diags));
}

// What is accepted reads to the same graph once it is written.
bool read_graph(const Input& in, Diagnostics& diags) {
  const auto graph = read_graph_json(in.text(), "x", diags);
  if (!graph) return false;
  const std::string written = write_graph_json(*graph);
  Diagnostics again;
  const auto read = read_graph_json(written, "x", again);
  if (!read || write_graph_json(*read) != written) broken("a graph that was written reads to itself");
  return true;
}

bool read_parameters(const Input& in, Diagnostics& diags) {
  const auto params = read_params(in.bytes, "x", diags);
  if (!params) return false;
  const std::vector<std::byte> written = write_params(*params);
  Diagnostics again;
  const auto read = read_params(written, "x", again);
  if (!read || write_params(*read) != written) broken("parameters that were written read to themselves");
  return true;
}

bool read_blob(const Input& in, Diagnostics& diags) {
  const auto nodes = read_device_blob(in.bytes, "x", diags);
  if (!nodes) return false;
  if (nodes->empty()) broken("a tree has a root");
  for (const DeviceBlobNode& n : *nodes)
    for (const std::uint32_t i : n.imports)
      if (i >= nodes->size()) broken("imports are modules");
  return true;
}

// The checksum is made right: behind a wrong one nothing would ever be read.
bool read_session(const Input& in, Diagnostics& diags) {
  std::string_view body = in.text();
  if (body.starts_with("byocrec") && body.size() >= kFrameHeadBytes) body.remove_prefix(kFrameHeadBytes);
  const auto record = plugin::read_record(plugin::frame_record(body), "x", diags);
  if (!record) return false;
  for (const plugin::RecordedCall& call : record->calls)
    for (const std::uint32_t r : call.regions)
      if (r >= record->regions.size()) broken("calls are of regions");
  for (const plugin::RecordedRegion& r : record->regions)
    for (const codegen::Node& n : r.region.nodes)
      for (const codegen::ValueId v : n.outputs)
        if (v != codegen::kNoValue && v >= r.region.values.size()) broken("nodes compute values");
  if (!plugin::read_record(plugin::write_record(*record), "x", diags)) broken("what was read can be written");
  return true;
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t at, const T& value) {
  const auto from = std::as_bytes(std::span(&value, 1));
  std::copy(from.begin(), from.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// With sums that are right, of the first blob: behind wrong ones nothing would ever be read.
std::vector<std::byte> sealed_weights(std::span<const std::byte> from) {
  namespace at = weights::at;
  std::vector<std::byte> out(from.begin(), from.end());
  if (out.size() < weights::kHeaderBytes) return out;
  const weights::Header header = weights::decode(out.data());
  if (header.payload_offset > out.size() || header.payload_bytes > out.size() - header.payload_offset) return out;
  const auto payload = std::span(out).subspan(header.payload_offset, static_cast<std::size_t>(header.payload_bytes));
  put(out, at::kSha256, sha256(payload));
  put(out, at::kCrc32, std::uint32_t{0});
  std::vector<std::byte> summed(out.begin(), out.begin() + weights::kSignedBytes);
  summed.insert(summed.end(), payload.begin(), payload.end());
  put(out, at::kCrc32, crc32(summed));
  return out;
}

bool read_weights_file(const Input& in, Diagnostics& diags) {
  const std::vector<std::byte> sealed = sealed_weights(in.bytes);
  write_file(in.path, sealed);
  const auto read = weights::read_weights(in.path, diags);
  if (!read) return false;
  (void)weights::contents_text(*read);
  (void)weights::contents_json(*read);
  (void)weights::contents_page(*read, "x");
  const weights::Difference none = weights::compare(*read, *read);
  for (const weights::BlobDifference& b : none.blobs)
    if (b.payload_changed != 0) broken("a file is the same as itself");
  (void)weights::difference_json(none);
  return true;
}

bool read_hex(const Input& in, Diagnostics& diags) { return bool(weights::read_intel_hex(in.text(), "x", diags)); }

// For this file, and with sums that are right.
bool read_delta(const Input& in, Diagnostics& diags) {
  constexpr std::size_t kHeader = 112, kSizeBefore = 36, kDigestBefore = 48;
  static const std::vector<std::byte> before(1000, std::byte{7});
  std::vector<std::byte> delta(in.bytes.begin(), in.bytes.end());
  if (delta.size() >= kHeader) {
    put(delta, kSizeBefore, static_cast<std::uint32_t>(before.size()));
    put(delta, kDigestBefore, sha256(before));
    seal_frame(delta);
  }
  const auto after = weights::apply_delta(before, delta, "x", diags);
  if (!after) return false;
  if (after->size() > before.size() + delta.size()) broken("what a delta makes comes from it, or was there");
  Diagnostics again;
  const auto made = weights::make_delta(before, *after, "x", again);
  const auto applied = made ? weights::apply_delta(before, *made, "x", again) : Result<std::vector<std::byte>>(failure);
  if (!applied || *applied != *after) broken("a delta that was made makes the file");
  return true;
}

bool read_program(const Input& in, Diagnostics& diags) {
  const std::vector<std::byte> logo(64, std::byte{'l'});
  const ExpectedConstant expected{"logo", logo.size(), 4, "flash", to_hex(identify(logo)), false};
  return bool(verify_image(in.bytes, "x", {&expected, 1}, diags));
}

struct Reader {
  std::string_view name;
  bool (*read)(const Input&, Diagnostics&);
};

constexpr Reader kReaders[] = {
    {"target", read_target},      {"toolchain", read_toolchain},
    {"manifest", read_manifests}, {"plugin-manifest", read_plugin_manifest},
    {"folder", read_tree},        {"npy", read_npy_file},
    {"pb", read_tensor_file},     {"tar", read_tar},
    {"metadata", read_metadata},  {"so", read_so},
    {"npz", read_npz_file},       {"static-library", read_archive},
    {"loaded-tar", unpack_tar},   {"object", read_object},
    {"result", read_result},      {"graph-json", read_graph},
    {"params", read_parameters},  {"device-blob", read_blob},
    {"record", read_session},     {"weights", read_weights_file},
    {"intel-hex", read_hex},      {"delta", read_delta},
    {"program", read_program},
};

const Reader& chosen() {
  const char* const name = std::getenv("BYOC_FUZZ_READER");
  for (const Reader& r : kReaders)
    if (name != nullptr && r.name == name) return r;
  broken("BYOC_FUZZ_READER names a reader");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Reader& reader = chosen();
  static Diagnostics created;
  static const auto folder = TemporaryDirectory::create(created);
  if (!folder) broken("there is a place for temporary files");
  const Input in{std::as_bytes(std::span(data, size)), folder->path() + "/" + kTreeFile};
  write_file(in.path, in.text());
  Diagnostics diags;
  const bool accepted = reader.read(in, diags);
  if (accepted == diags.has_errors()) broken("what is accepted has no error, what is refused has one");
  return 0;
}
