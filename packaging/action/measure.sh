#!/usr/bin/env bash
# Measures the models of $MODELS as they are here and at the commit $BASE, and writes the table of both.
set -euo pipefail
costs=(python3 "$GITHUB_ACTION_PATH/costs.py")
out="$RUNNER_TEMP/byoc-costs"
mkdir -p "$out"
"${costs[@]}" measure --folder . --out "$out/head.json"
if [ -n "${BASE:-}" ]; then
  # A checkout of a pull request has one commit only.
  git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --depth=1 origin "$BASE"
  git worktree add --force --detach "$out/base" "$BASE"
  "${costs[@]}" measure --folder "$out/base" --out "$out/base.json"
  git worktree remove --force "$out/base"
else
  echo '[]' >"$out/base.json"
fi
"${costs[@]}" table "$out/base.json" "$out/head.json" --out "$out/table.md"
cat "$out/table.md" >>"$GITHUB_STEP_SUMMARY"
echo "table=$out/table.md" >>"$GITHUB_OUTPUT"
