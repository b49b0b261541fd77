// The jobs of workers: what each reads is written by whoever asks, in the same file. Internal to this folder.
#pragma once

#include "sdk/base/support/message.hpp"
#include "sdk/base/support/target_message.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc::compile {

// Ask::source: the answer is more than an outcome, and is read in compile_all.cpp.
[[nodiscard]] std::string do_source(MessageReader& in);

[[nodiscard]] Result<ObjectBytes> do_module(MessageReader& in, Diagnostics&);
[[nodiscard]] Result<ObjectBytes> do_link(MessageReader& in, Diagnostics&);
[[nodiscard]] Result<ObjectBytes> do_symbols(MessageReader& in, Diagnostics&);
[[nodiscard]] Result<ObjectBytes> do_rename(MessageReader& in, Diagnostics&);
[[nodiscard]] Result<ObjectBytes> do_lld(MessageReader& in, Diagnostics&);

// The options that change an object; limits and jobs are of whoever asks.
void put(MessageWriter& out, const CompileOptions& options);
[[nodiscard]] CompileOptions get_options(MessageReader& in);

// Bytes of a message, which must outlive them.
[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace byoc::compile
