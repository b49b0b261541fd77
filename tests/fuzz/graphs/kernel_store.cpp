#include "tests/fuzz/graphs/kernel_store.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace byoc::test {

namespace fs = std::filesystem;

KernelStore::KernelStore(std::string folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }

void KernelStore::keep_new() {
  for (const auto& [name, object] : objects_) {
    const std::string path = folder_ + "/" + name;
    if (fs::exists(path)) continue;
    // Another process may be at the same kernel: the file appears whole.
    const std::string temporary = path + "." + std::to_string(getpid());
    std::ofstream(temporary, std::ios::binary)
        .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
    fs::rename(temporary, path);
  }
}

void KernelStore::take_new() {
  for (const auto& file : fs::directory_iterator(folder_)) {
    const std::string name = file.path().filename().string();
    if (name.find('.') != std::string::npos || objects_.contains(name)) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    objects_.emplace(name, std::vector<std::byte>(data, data + bytes.size()));
  }
}

}  // namespace byoc::test
