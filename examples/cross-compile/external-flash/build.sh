#!/bin/sh
# A model whose constants are in an external flash memory, here the PSRAM of Arm's MPS2 board. The linker script INCLUDEs
# what byoc makes of the manifest; GNU ld and LLD link the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
byoc=${BYOC:-byoc}
out=${1:-build}
board=$here/../../firmware
demo=$here/../../demo
cortex_m4f="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
mkdir -p "$out"

$byoc export "$demo/vibration_int8.onnx" --target cortex-m4f --name vibration -q -o "$out/vibration.a"
$byoc linker-fragment "$out/vibration.json" --place flash=QSPI -o "$out/constants.ld" --header "$out/constants.h"

link() {
  arm-none-eabi-gcc $cortex_m4f -std=c99 -Os -Wall -Wextra -ffunction-sections -fdata-sections -nostartfiles \
    -I"$out" -I"$board" "$here/main.c" "$board/startup.c" "$board/console.c" "$out/vibration.a" -lm \
    -L"$out" -T "$here/mps2-an386.ld" -Wl,--gc-sections -Wl,-z,noexecstack "$@"
}
link -Wl,--fatal-warnings -o "$out/gnu.elf"
link -fuse-ld=lld -B/usr/lib/llvm-19/bin -o "$out/lld.elf"

for linker in gnu lld; do
  $byoc verify "$out/$linker.elf" --manifest "$out/vibration.json"
  qemu-system-arm -M mps2-an386 -nographic -semihosting -kernel "$out/$linker.elf"
done
