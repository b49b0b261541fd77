#include "sdk/base/support/target_message.hpp"

#include <gtest/gtest.h>

namespace byoc {
namespace {

std::string message_of(const TargetSpec& target) {
  MessageWriter out;
  put(out, target);
  return out.take();
}

TEST(TargetMessage, ATargetComesBack) {
  TargetSpec target;
  for (std::string* text : {&target.name, &target.triple, &target.cpu, &target.march, &target.fpu, &target.float_abi,
                            &target.abi, &target.code_model, &target.gnu_command, &target.simulator})
    *text = "text " + std::to_string(message_of(target).size());
  target.endianness = "big";
  target.pointer_width = 64;
  target.hosted = true;
  target.isa = {"dsp", "mve"};
  target.pools = {{"ram", PoolKind::ram, 4096, {"tcm", "dma"}, ""}, {"npu", PoolKind::flash, 0, {}, ".npu"}};
  target.gnu_flags = {"-mthumb"};
  target.include_dirs = {"/usr/include"};
  target.default_toolchain = "gnu";
  const std::string message = message_of(target);
  MessageReader in(message);
  const TargetSpec back = get_target_spec(in);
  EXPECT_TRUE(in.ended());
  EXPECT_EQ(message_of(back), message);
  EXPECT_EQ(back.pools, target.pools);
  EXPECT_TRUE(back.hosted);
  EXPECT_FALSE(back.pic);
  for (std::size_t n = 0; n < message.size(); ++n) {
    MessageReader cut(std::string_view(message).substr(0, n));
    (void)get_target_spec(cut);
    EXPECT_FALSE(cut.ended()) << n;
  }
}

}  // namespace
}  // namespace byoc
