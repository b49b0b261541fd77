#!/bin/sh
# An LLVM module and a C source that call each other, compiled for one target and packed as a static library, a shared
# library and Model Library Format for this machine, and as one object for a Cortex-M4.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
byoc=${BYOC:-byoc}
out=${1:-build}
board=$here/../../firmware
cortex_m4f="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
mkdir -p "$out/project"

# The manifest of each is scale.json beside it: a folder for each.
for pack in a so tar; do
  $byoc build-tree "$here/scale.c" "$here/half.ll" --target host -o "$out/$pack/scale.$pack"
done
cc -Wall -Wextra -Werror "$here/main.c" "$out/a/scale.a" -o "$out/with_a"
cc -Wall -Wextra -Werror "$here/main.c" "$out/so/scale.so" -Wl,-rpath,'$ORIGIN/so' -o "$out/with_so"
tar -xf "$out/tar/scale.tar" -C "$out/project"
cc -Wall -Wextra -Werror "$here/main.c" "$out"/project/codegen/host/src/*.c "$out"/project/codegen/host/lib/*.o \
  -I"$out/project/codegen/host/include" -o "$out/with_tar"
"$out/with_a"
"$out/with_so"
"$out/with_tar"

$byoc build-tree "$here/scale.c" "$here/half.ll" --target cortex-m4f -o "$out/board/scale.o"
arm-none-eabi-gcc $cortex_m4f -std=c99 -Os -Wall -Wextra -nostartfiles -DON_A_BOARD -I"$board" "$here/main.c" \
  "$board/startup.c" "$board/console.c" "$out/board/scale.o" -T "$board/mps2-an386.ld" -Wl,--gc-sections -Wl,--fatal-warnings \
  -Wl,-z,noexecstack -o "$out/firmware.elf"
qemu-system-arm -M mps2-an386 -nographic -semihosting -kernel "$out/firmware.elf"
