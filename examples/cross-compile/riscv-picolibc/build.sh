#!/bin/sh
# Firmware for a RISC-V core without an operating system: GNU's compiler, picolibc with its start-up code and linker
# script, and printf by semihosting. The board is QEMU's "virt", whose memory at 0x80000000 is cut in two here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
byoc=${BYOC:-byoc}
out=${1:-build}
mkdir -p "$out"

$byoc export "$here/../../demo/vibration_int8.onnx" --target riscv32imc --name vibration -q -o "$out/vibration.a"
riscv64-unknown-elf-gcc --specs=picolibc.specs --oslib=semihost --crt0=semihost -march=rv32imc -mabi=ilp32 \
  -mcmodel=medany -std=c99 -Os -Wall -Wextra -Werror -ffunction-sections -fdata-sections -I"$out" \
  "$here/../shared-library/classify.c" "$out/vibration.a" -lm -T picolibc.ld -Wl,--gc-sections \
  -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x400000 \
  -Wl,--defsym=__ram=0x80400000,--defsym=__ram_size=0x200000,--defsym=__stack_size=0x4000 -o "$out/firmware.elf"
$byoc verify "$out/firmware.elf" --manifest "$out/vibration.json"
qemu-system-riscv32 -M virt -bios none -nographic -semihosting-config enable=on,target=native \
  -kernel "$out/firmware.elf"
