#!/bin/sh
# A shared library for this machine, linked from C and from C++, and opened at run time; the same for AArch64 Linux.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
byoc=${BYOC:-byoc}
out=${1:-build}
model=$here/../../demo/vibration_int8.onnx
mkdir -p "$out/host" "$out/aarch64"

$byoc export "$model" --target host --name vibration -q -o "$out/host/vibration.so"
cc -std=c99 -Wall -Wextra -Werror -I"$out/host" "$here/classify.c" "$out/host/vibration.so" -Wl,-rpath,'$ORIGIN' \
  -o "$out/host/from_c"
c++ -x c++ -Wall -Wextra -Werror -I"$out/host" "$here/classify.c" -x none "$out/host/vibration.so" \
  -Wl,-rpath,'$ORIGIN' -o "$out/host/from_cpp"
cc -std=c99 -D_GNU_SOURCE -DOPENED -Wall -Wextra -Werror -I"$out/host" "$here/classify.c" -ldl -o "$out/host/opened"
"$out/host/from_c"
"$out/host/from_cpp"
"$out/host/opened" "$out/host/vibration.so"

# Another machine: the same commands with its compiler. -L is where QEMU finds that machine's C library.
$byoc export "$model" --target aarch64-linux-gnu --name vibration -q -o "$out/aarch64/vibration.so"
aarch64-linux-gnu-gcc -std=c99 -Wall -Wextra -Werror -I"$out/aarch64" "$here/classify.c" "$out/aarch64/vibration.so" \
  -Wl,-rpath,'$ORIGIN' -o "$out/aarch64/from_c"
aarch64-linux-gnu-gcc -std=c99 -D_GNU_SOURCE -DOPENED -Wall -Wextra -Werror -I"$out/aarch64" "$here/classify.c" -ldl \
  -o "$out/aarch64/opened"
qemu-aarch64 -L /usr/aarch64-linux-gnu "$out/aarch64/from_c"
qemu-aarch64 -L /usr/aarch64-linux-gnu "$out/aarch64/opened" "$out/aarch64/vibration.so"
