// Runs on other machines: RemoteSession.
#include "byoc/remote.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "sdk/app/api/handles.hpp"
#include "sdk/app/api/host/remote_graph.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/library/pack/shared_library_content.hpp"
#include "sdk/run/remote/client.hpp"

namespace byoc {
namespace {

using api::guarded;
using remote::BufferNeed;

BufferNeed need_of(const IoTensor& t) { return {t.bytes, std::max(t.align, std::max(1U, bit_width(t.dtype) / 8))}; }

std::vector<BufferNeed> needs_of(const std::vector<IoTensor>& tensors) {
  std::vector<BufferNeed> out;
  for (const IoTensor& t : tensors) out.push_back(need_of(t));
  return out;
}

remote::ModelCalls calls_of(const ModelInterface& model) {
  remote::ModelCalls out{model.prefix,
                         {model.instance_bytes, model.instance_align},
                         needs_of(model.inputs),
                         needs_of(model.outputs),
                         {{model.workspace_bytes, model.workspace_align}}};
  for (const PoolWorkspace& w : model.further_workspaces) out.workspaces.push_back({w.bytes, w.align});
  return out;
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> find_loader(const SharedLibraryContent& content, std::string_view loader) {
  for (const ImportNode& n : content.modules)
    if (n.loader == loader) return n.bytes;
  return {};
}

// The library's own word for what the graph takes and gives.
Result<void> check_ends(const remote::ModelCalls& calls, const ModelInterface& model, const std::string& library,
                        Diagnostics& diags) {
  const auto same = [](const std::vector<BufferNeed>& buffers, const std::vector<IoTensor>& tensors) {
    return std::equal(buffers.begin(), buffers.end(), tensors.begin(), tensors.end(),
                      [](const BufferNeed& b, const IoTensor& t) { return b.bytes == t.bytes; });
  };
  if (same(calls.inputs, model.inputs) && same(calls.outputs, model.outputs)) return {};
  return diags.error(library, model.name, "the graph and the manifest have different inputs or outputs");
}

}  // namespace

struct BYOC_HIDDEN RemoteSession::Impl {
  remote::Client client;
  ModelInterface interface;
};

RemoteSession::RemoteSession(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<RemoteSession> RemoteSession::connect(const RemoteServer& server, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<RemoteSession> {
    auto client = remote::Client::connect(server, diags);
    if (!client) return failure;
    return RemoteSession(std::make_shared<Impl>(Impl{std::move(*client), {}}));
  });
}

std::string RemoteSession::machine() const { return to_string(impl_->client.machine()); }

std::string RemoteSession::target() const {
  struct Row {
    std::string_view machine;
    std::string_view target;
  };
  constexpr std::array<Row, 2> kRows{{{"x86-64, 64-bit", "host"}, {"AArch64, 64-bit", "aarch64-linux-gnu"}}};
  const std::string own = machine();
  for (const Row& row : kRows)
    if (row.machine == own) return std::string(row.target);
  return {};
}

const ModelInterface& RemoteSession::interface() const { return impl_->interface; }

Result<void> RemoteSession::load(const std::string& library, Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<void> {
    const auto content = read_shared_library(library, diags);
    if (!content) return failure;
    if (content->manifest.empty())
      return diags.error(library, {}, "is a library without a model", {}, "what byoc export wrote");
    auto model = read_manifest(content->manifest, library, diags);
    if (!model) return failure;
    const std::span<const std::byte> bytes = content->file->bytes();
    if (const auto graph = find_loader(*content, kGraphLoader); !graph.empty()) {
      auto made = api::remote_graph(as_text(graph), find_loader(*content, kParamsLoader), library, diags);
      if (!made || !check_ends(made->calls, model->interface, library, diags) ||
          !impl_->client.load(bytes, std::move(made->calls), diags, made->contents))
        return failure;
    } else if (model->executor != "aot") {
      return diags.error(library, {}, "a server runs what its own code runs, and graphs, not what is interpreted",
                         model->executor, "--executor aot or graph");
    } else if (!impl_->client.load(bytes, calls_of(model->interface), diags)) {
      return failure;
    }
    impl_->interface = std::move(model->interface);
    return {};
  });
}

Result<void> RemoteSession::load_graph(const std::string& graph, const std::string& library, const std::string& params,
                                       Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<void> {
    const auto json = MappedFile::open(graph, diags), image = MappedFile::open(library, diags);
    if (!json || !image) return failure;
    const auto file = params.empty() ? Result<std::shared_ptr<const MappedFile>>(std::shared_ptr<const MappedFile>())
                                     : MappedFile::open(params, diags);
    if (!file) return failure;
    const std::span<const std::byte> given = *file ? (*file)->bytes() : std::span<const std::byte>();
    auto made = api::remote_graph(as_text((*json)->bytes()), given, graph, diags);
    if (!made || !impl_->client.load((*image)->bytes(), std::move(made->calls), diags, made->contents)) return failure;
    impl_->interface = std::move(made->interface);
    return {};
  });
}

Result<RemoteRun> RemoteSession::run(std::span<const std::vector<std::byte>> inputs, bool reset, std::uint32_t repeats,
                                     Diagnostics& diags) {
  return guarded(diags, [&]() -> Result<RemoteRun> {
    const std::vector<std::span<const std::byte>> bytes(inputs.begin(), inputs.end());
    return impl_->client.run(bytes, reset, repeats, diags);
  });
}

}  // namespace byoc
