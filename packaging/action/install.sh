#!/usr/bin/env bash
# Puts byoc of $ARCHIVE on the PATH of the steps that follow, and installs what simulates Cortex-M where that is missing.
set -euo pipefail
if [ -n "${ARCHIVE:-}" ]; then
  mkdir -p "$RUNNER_TEMP/byoc"
  tar -xzf "$ARCHIVE" -C "$RUNNER_TEMP/byoc" --strip-components=1
  echo "$RUNNER_TEMP/byoc/bin" >>"$GITHUB_PATH"
fi
if ! command -v qemu-system-arm >/dev/null || ! command -v arm-none-eabi-gcc >/dev/null; then
  sudo apt-get update -q
  sudo apt-get install -y -q --no-install-recommends qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi
fi
