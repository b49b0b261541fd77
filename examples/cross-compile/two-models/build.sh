#!/bin/sh
# Two models in one Cortex-M4 firmware. Linked one after the other, their archives share kernels; packed into one, with a
# table, the firmware finds functions by name.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
byoc=${BYOC:-byoc}
out=${1:-build}
board=$here/../../firmware
demo=$here/../../demo
cortex_m4f="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
mkdir -p "$out"

# Each model by itself ...
$byoc export "$demo/vibration_int8.onnx" --target cortex-m4f --name coarse -q -o "$out/coarse.a"
$byoc export "$demo/vibration_float.onnx" --target cortex-m4f --name fine -q -o "$out/fine.a"
# ... or both in one archive, and a table of what is in it.
$byoc export "$demo/vibration_int8.onnx" --target cortex-m4f --name coarse -q -o "$out/coarse/"
$byoc export "$demo/vibration_float.onnx" --target cortex-m4f --name fine -q -o "$out/fine/"
$byoc pack "$out/coarse/" "$out/fine/" --system-library models -o "$out/models.a"
# One workspace is enough for both, for they take turns: this header says how large it is.
$byoc linker-fragment "$out/coarse.json" "$out/fine.json" -o "$out/shared.ld" --header "$out/shared.h"

link() {
  arm-none-eabi-gcc $cortex_m4f -std=c99 -Os -Wall -Wextra -ffunction-sections -fdata-sections -nostartfiles \
    -I"$out" -I"$board" "$here/main.c" "$board/startup.c" "$board/console.c" "$@" -lm -T "$board/mps2-an386.ld" \
    -Wl,--gc-sections -Wl,--fatal-warnings -Wl,-z,noexecstack
}
link "$out/coarse.a" "$out/fine.a" -o "$out/linked.elf"
link -DBY_NAME "$out/models.a" -o "$out/by_name.elf"

for firmware in linked by_name; do
  $byoc verify "$out/$firmware.elf" --manifest "$out/coarse.json" --manifest "$out/fine.json"
  qemu-system-arm -M mps2-an386 -nographic -semihosting -kernel "$out/$firmware.elf"
done
