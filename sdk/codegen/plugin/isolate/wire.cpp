#include "sdk/codegen/plugin/isolate/wire.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/codegen/fields.hpp"

namespace byoc::plugin {
namespace {

using Bytes = std::span<const std::byte>;
using Source = std::shared_ptr<const codegen::ModelSource>;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

// The last enumerator of what has no others.
constexpr DType last(DType) { return static_cast<DType>(kNumericTypeCount - 1); }
constexpr Requant last(Requant) { return Requant::onnx; }
constexpr codegen::Exactness last(codegen::Exactness) { return codegen::Exactness::relative; }
constexpr codegen::ArtifactKind last(codegen::ArtifactKind) { return codegen::ArtifactKind::licence; }
constexpr codegen::Effort last(codegen::Effort) { return codegen::Effort::glue; }
constexpr codegen::Reason last(codegen::Reason) { return codegen::Reason{0xffffffffu}; }

// Bytes are aligned for any element where the message is that they are in. A message is a string of its own.
constexpr std::size_t kAlign = 16;

// Constants below this size are sent; others begin at a multiple of it in a file. A page.
constexpr std::size_t kSmall = 4096;

// True if another process that opens it by its name gets the same file.
bool can_be_opened(FileStamp& stamp) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(stamp.path, error).string();
  if (error || path.starts_with("/proc/") || path.starts_with("/dev/")) return false;
  const auto now = FileStamp::of(path);
  if (!now || now->device != stamp.device || now->inode != stamp.inode || now->size != stamp.size) return false;
  stamp.path = path;
  return true;
}

// Pages of zeros stay holes: constants of a recorded session are nothing else.
bool write_pages(int fd, Bytes bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const Bytes page = bytes.first(std::min(bytes.size(), kSmall));
    bytes = bytes.subspan(page.size());
    const bool zero = std::all_of(page.begin(), page.end(), [](std::byte b) { return b == std::byte{0}; });
    if (!zero && ::pwrite(fd, page.data(), page.size(), static_cast<off_t>(at)) != static_cast<ssize_t>(page.size()))
      return false;
    at += page.size();
  }
  return true;
}

Result<void> write_constants(const std::string& path, const std::vector<std::pair<Bytes, std::uint64_t>>& constants,
                             std::uint64_t size, Diagnostics& diags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) == 0;
  for (std::size_t i = 0; ok && i < constants.size(); ++i)
    ok = write_pages(fd, constants[i].first, constants[i].second);
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (ok) return {};
  return diags.error(path, {}, std::string("cannot be written: ") + std::strerror(error));
}

struct Putter {
  MessageWriter& out;
  const KnownConstants* known;

  template <class T>
  void operator()(const T& value) const {
    if constexpr (Plain<T> || std::is_enum_v<T>) {
      out.put(value);
    } else if constexpr (is_vector<T>) {
      out.list(value, *this);
    } else {
      static_assert(lists_all_fields<T>);
      fields(value, [&](const auto&... members) { ((*this)(members), ...); });
    }
  }
  void operator()(const codegen::Attribute& a) const {
    out.put<std::uint64_t>(a.index());
    std::visit(*this, a);
  }
  void operator()(const decltype(codegen::Node::attributes)& attributes) const {
    out.list(attributes, [&](const auto& a) {
      out.put(a.first);
      (*this)(a.second);
    });
  }
  void operator()(const Source& source) const { out.put(known != nullptr && known->has(source)); }
  void operator()(const Bytes& bytes) const {
    const KnownConstants::Place* const place = known != nullptr ? known->find(bytes) : nullptr;
    out.put(place != nullptr);
    if (place != nullptr) {
      out.put(place->file);
      out.put(place->offset);
      out.put<std::uint64_t>(bytes.size());
      return;
    }
    const std::size_t at = out.bytes().size() + sizeof(std::uint8_t) + sizeof(std::uint64_t);
    const auto gap = static_cast<std::uint8_t>((kAlign - at % kAlign) % kAlign);
    out.put(gap);
    for (std::uint8_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
    out.put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
};

struct Getter {
  MessageReader& in;
  const KnownFiles* known = nullptr;

  template <class T>
  T read() const {
    T value{};
    (*this)(value);
    return value;
  }
  template <class T>
  void operator()(T& value) const {
    if constexpr (std::same_as<T, std::string>) {
      value = in.text();
    } else if constexpr (std::same_as<T, bool>) {
      value = in.flag();
    } else if constexpr (Plain<T>) {
      value = in.get<T>();
    } else if constexpr (std::is_enum_v<T>) {
      value = in.choice(last(T{}));
    } else if constexpr (is_vector<T>) {
      value = in.list([&] { return read<typename T::value_type>(); });
    } else {
      static_assert(lists_all_fields<T>);
      fields(value, [&](auto&... members) { ((*this)(members), ...); });
      if constexpr (requires { broken_rule(value); })
        if (in.ok() && broken_rule(value)) in.fail();
    }
  }
  void operator()(codegen::Attribute& a) const {
    const auto index = in.get<std::uint64_t>();
    if (index >= std::variant_size_v<codegen::AttributeVariant>) return in.fail();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((index == I ? void(a.emplace<I>(read<std::variant_alternative_t<I, codegen::AttributeVariant>>())) : void()),
       ...);
    }(std::make_index_sequence<std::variant_size_v<codegen::AttributeVariant>>());
  }
  void operator()(decltype(codegen::Node::attributes)& attributes) const {
    for (auto n = in.get<std::uint64_t>(); n > 0 && in.ok(); --n) {
      std::string key = in.text();
      (*this)(attributes[std::move(key)]);
    }
  }
  void operator()(Source& source) const {
    if (!in.flag()) return;
    if (known == nullptr) return in.fail();
    source = known->source;
  }
  void operator()(Bytes& bytes) const {
    if (in.flag()) {
      const auto file = in.get<std::uint32_t>();
      const auto offset = in.get<std::uint64_t>(), size = in.get<std::uint64_t>();
      if (known == nullptr || file >= known->files.size()) return in.fail();
      const Bytes all = known->files[file]->bytes();
      if (offset > all.size() || size > all.size() - offset) return in.fail();
      bytes = all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
      return;
    }
    for (auto gap = in.get<std::uint8_t>(); gap > 0; --gap) (void)in.get<std::uint8_t>();
    const std::string_view own = in.view();
    bytes = {reinterpret_cast<const std::byte*>(own.data()), own.size()};
  }
};

}  // namespace

void put(MessageWriter& out, const FileStamp& file) {
  out.put(file.path);
  out.put<std::uint64_t>(file.device);
  out.put<std::uint64_t>(file.inode);
  out.put(file.size);
}

Result<void> KnownConstants::add(const codegen::Region& region, const std::string& path, Diagnostics& diags) {
  source_ = region.source;
  std::map<std::string, std::uint32_t> numbers;
  const auto number_of = [&](const FileStamp& stamp) {
    const auto [at, is_new] = numbers.try_emplace(stamp.path, static_cast<std::uint32_t>(files_.size()));
    if (is_new) files_.push_back(stamp);
    return at->second;
  };
  std::vector<std::pair<Bytes, std::uint64_t>> own;  // and where they begin in the file
  std::uint64_t end = 0;
  for (const codegen::Value& v : region.values) {
    if (!v.is_constant || v.data.size() < kSmall || find(v.data) != nullptr) continue;
    auto place = mapped_place(v.data);
    if (place && can_be_opened(place->stamp)) {
      places_[{v.data.data(), v.data.size()}] = {number_of(place->stamp), place->offset};
      continue;
    }
    own.emplace_back(v.data, end);
    places_[{v.data.data(), v.data.size()}] = {0, end};
    end += (v.data.size() + kSmall - 1) / kSmall * kSmall;
  }
  if (own.empty()) return {};
  if (!write_constants(path, own, end, diags)) return failure;
  auto stamp = FileStamp::of(path);
  if (!stamp) return diags.error(path, {}, "is not there any more");
  const std::uint32_t number = number_of(*stamp);
  for (const auto& [bytes, unused] : own) places_[{bytes.data(), bytes.size()}].file = number;
  return {};
}

Result<KnownFiles> KnownFiles::open(MessageReader& in, Diagnostics& diags) {
  KnownFiles out;
  for (auto n = in.get<std::uint64_t>(); n > 0 && in.ok(); --n) {
    const std::string path = in.text();
    const auto device = in.get<std::uint64_t>(), inode = in.get<std::uint64_t>(), size = in.get<std::uint64_t>();
    auto file = MappedFile::open(path, diags);
    if (!file) return failure;
    const FileStamp& stamp = (*file)->stamp();
    if (stamp.device != device || stamp.inode != inode || stamp.size != size)
      return diags.error(path, {}, "is another file than before");
    out.files.push_back(std::move(*file));
  }
  return out;
}

template <class T>
void put(MessageWriter& out, const T& value) {
  Putter{out, nullptr}(value);
}

void put(MessageWriter& out, const codegen::Region& region, const KnownConstants& known) {
  Putter{out, &known}(region);
}

void put_type(MessageWriter& out, const codegen::Value& v) {
  const Putter put{out, nullptr};
  put(v.dtype);
  put(v.dims);
  put(v.quantisation);
}

template <class T>
T get(MessageReader& in) {
  return Getter{in}.read<T>();
}

codegen::Region get_region(MessageReader& in, const KnownFiles& known) {
  return Getter{in, &known}.read<codegen::Region>();
}

void put_form(MessageWriter& out, const codegen::TfliteForm& form) {
  out.put(std::string_view(reinterpret_cast<const char*>(form.bytes.data()), form.bytes.size()));
  Putter{out, nullptr}(form.contents);
  out.put(form.refusal);
}

codegen::TfliteForm get_form(MessageReader& in) {
  codegen::TfliteForm form;
  form.bytes = in.blob();
  Getter{in}(form.contents);
  form.refusal = in.text();
  return form;
}

codegen::Group get_group(MessageReader& in, std::size_t nodes, std::size_t patterns) {
  auto g = get<codegen::Group>(in);
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i] >= nodes || (i != 0 && g.nodes[i] <= g.nodes[i - 1])) in.fail();
  if (g.nodes.empty() || (g.pattern != codegen::kNoPattern && g.pattern >= patterns)) in.fail();
  return g;
}

void get_type(MessageReader& in, codegen::Value& v) {
  const Getter get{in};
  get(v.dtype);
  get(v.dims);
  get(v.quantisation);
}

#define BYOC_ON_THE_WIRE(Type)                                 \
  template void put(MessageWriter& out, const codegen::Type&); \
  template codegen::Type get<codegen::Type>(MessageReader & in)
BYOC_ON_THE_WIRE(Pattern);
BYOC_ON_THE_WIRE(Match);
BYOC_ON_THE_WIRE(Verdict);
BYOC_ON_THE_WIRE(Group);
BYOC_ON_THE_WIRE(ConstantDecl);
BYOC_ON_THE_WIRE(SourceDecl);
BYOC_ON_THE_WIRE(ArtifactDecl);
BYOC_ON_THE_WIRE(Arrangement);
BYOC_ON_THE_WIRE(Step);
BYOC_ON_THE_WIRE(PrivateValue);
BYOC_ON_THE_WIRE(PrivateLayout);
BYOC_ON_THE_WIRE(Instance);
#undef BYOC_ON_THE_WIRE
template codegen::Region get<codegen::Region>(MessageReader& in);

}  // namespace byoc::plugin
