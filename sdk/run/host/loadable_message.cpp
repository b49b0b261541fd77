#include "sdk/run/host/loadable_message.hpp"

#include "sdk/base/support/worker.hpp"

namespace byoc::runtime {
namespace {

ImportNode read_node(MessageReader& in) {
  ImportNode n;
  n.kind = in.choice(ModuleKind::opaque);
  n.name = in.view();
  n.loader = in.view();
  n.imports = in.numbers<std::uint32_t>();
  n.functions = in.list([&] { return in.view(); });
  n.bytes = std::as_bytes(std::span(in.view()));
  return n;
}

}  // namespace

void put_loadable(const Loadable& library, MessageWriter& out) {
  out.put(library.path);
  out.list(library.nodes, [&](const ImportNode& n) {
    out.put(n.kind);
    out.put(n.name);
    out.put(n.loader);
    out.list(n.imports);
    out.list(n.functions);
    out.put(std::string_view(reinterpret_cast<const char*>(n.bytes.data()), n.bytes.size()));
  });
}

Loadable get_loadable(MessageReader& in) {
  Loadable library;
  library.path = in.text();
  library.library = "/proc/self/fd/" + std::to_string(kGivenDescriptor);
  library.nodes = in.list([&] { return read_node(in); });
  return library;
}

Result<LoadedModule> load_given(Loadable library, Diagnostics& diags) {
  auto image = MappedFile::open(library.library, diags);
  if (!image) return failure;
  library.image = std::move(*image);
  return load(std::move(library), {}, diags);
}

}  // namespace byoc::runtime
