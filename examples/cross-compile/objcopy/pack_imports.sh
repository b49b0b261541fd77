#!/bin/sh
# Constants by objcopy and ld alone, for Arm:
#
#   byoc export ... --pack-imports 'sh pack_imports.sh {constants} {output}'
#
# A line of the list: file, symbol, section, alignment, size, "global" or "local", parted by tabs. Symbols of one
# section are names of the same bytes. No symbol gets a size, for objcopy has no way to say one; byoc adds it.
set -eu
list=$1 output=$2
folder=$(dirname "$list")
tab=$(printf '\t')

cut -f3 "$list" | sort -u >"$folder/sections"
n=0
while read -r section; do
  n=$((n + 1))
  symbols=
  while IFS=$tab read -r file symbol of align size binding; do
    [ "$of" = "$section" ] || continue
    symbols="$symbols --add-symbol $symbol=$section:0,$binding,object"
    blob=$file to=$align
  done <"$list"
  # shellcheck disable=SC2086  # options, one a word
  arm-none-eabi-objcopy -I binary -O elf32-littlearm -B arm --strip-all --set-section-alignment ".data=$to" \
    --rename-section ".data=$section,alloc,load,readonly,data,contents" $symbols "$blob" "$folder/$n.o"
done <"$folder/sections"
arm-none-eabi-ld -r -o "$output" "$folder"/[0-9]*.o
