// Small ONNX models for tests: built as protobuf messages, written to a private folder, imported.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx-ml.pb.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "sdk/base/support/file.hpp"
#include "sdk/model/import/onnx/onnx.hpp"
#include "sdk/model/ir/text.hpp"

namespace byoc::test {

struct Imported {
  std::optional<ir::Graph> graph;
  std::string errors;  // one diagnostic a line, without the file
};

class ModelFile {
 public:
  explicit ModelFile(std::int64_t opset = 13) : folder_(std::move(*TemporaryDirectory::create(diags_))) {
    model.set_ir_version(8);
    import_opset("", opset);
  }

  void import_opset(const std::string& domain, std::int64_t version) {
    auto* import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }

  ::onnx::GraphProto& graph() { return *model.mutable_graph(); }

  static void describe(::onnx::ValueInfoProto& info, const std::string& name, std::vector<std::int64_t> dims,
                       int dtype = ::onnx::TensorProto::FLOAT) {
    info.set_name(name);
    auto* type = info.mutable_type()->mutable_tensor_type();
    type->set_elem_type(dtype);
    type->mutable_shape();
    for (auto d : dims) type->mutable_shape()->add_dim()->set_dim_value(d);
  }
  ModelFile& input(const std::string& name, std::vector<std::int64_t> dims, int dtype = ::onnx::TensorProto::FLOAT) {
    describe(*graph().add_input(), name, std::move(dims), dtype);
    return *this;
  }
  ModelFile& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
    auto& n = *graph().add_node();
    n.set_op_type(op);
    n.set_name("the " + op);
    for (const auto& i : inputs) n.add_input(i);
    for (const auto& o : outputs) n.add_output(o);
    return n;
  }
  ::onnx::TensorProto& initialiser(const std::string& name, int dtype, std::vector<std::int64_t> dims) {
    auto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(dtype);
    for (auto d : dims) t.add_dims(d);
    return t;
  }
  static ::onnx::AttributeProto& attribute(::onnx::NodeProto& n, const std::string& name, int type) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(static_cast<::onnx::AttributeProto::AttributeType>(type));
    return a;
  }
  static void set_int(::onnx::NodeProto& n, const std::string& name, std::int64_t v) {
    attribute(n, name, ::onnx::AttributeProto::INT).set_i(v);
  }
  static void set_text(::onnx::NodeProto& n, const std::string& name, const std::string& text) {
    attribute(n, name, ::onnx::AttributeProto::STRING).set_s(text);
  }
  static void set_float(::onnx::NodeProto& n, const std::string& name, float v) {
    attribute(n, name, ::onnx::AttributeProto::FLOAT).set_f(v);
  }
  static void set_ints(::onnx::NodeProto& n, const std::string& name, const std::vector<std::int64_t>& v) {
    auto& a = attribute(n, name, ::onnx::AttributeProto::INTS);
    for (auto i : v) a.add_ints(i);
  }

  std::string path(const std::string& name = "model.onnx") const { return folder_.path() + "/" + name; }
  std::string bytes() const { return model.SerializeAsString(); }
  void write(const std::string& content, const std::string& name = "model.onnx") const {
    std::ofstream(path(name), std::ios::binary) << content;
  }

  Imported import() const { return import_bytes(bytes()); }
  Imported import_bytes(const std::string& content) const {
    write(content);
    return import_path(path());
  }
  static Imported import_path(const std::string& path) {
    Imported out;
    Diagnostics diags;
    auto graph = import_onnx(path, diags);
    EXPECT_EQ(static_cast<bool>(graph), !diags.has_errors());
    if (graph) out.graph = std::move(*graph);
    for (Diagnostic d : diags.all()) {
      d.file.clear();
      out.errors += to_string(d) + "\n";
    }
    return out;
  }
  // The imported graph as text; the errors where there are any.
  std::string text() const {
    const Imported i = import();
    return i.graph ? ir::print(*i.graph) : i.errors;
  }

  ::onnx::ModelProto model;

 private:
  Diagnostics diags_;
  TemporaryDirectory folder_;
};

}  // namespace byoc::test
