#!/usr/bin/env bash
# Writes the file $TABLE as a comment on pull request $NUMBER, in the place of the comment that an earlier run wrote.
set -euo pipefail
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
mark=$(head -n 1 "$TABLE")
if ! earlier=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1); then
  echo "::warning::the comments of the pull request cannot be read; the table is in the job's summary"
  exit 0
fi
if [ -n "$earlier" ]; then
  written=(gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier" --field "body=@$TABLE")
else
  written=(gh api --method POST "$comments" --field "body=@$TABLE")
fi
"${written[@]}" >/dev/null || echo "::warning::the token may not write comments; the table is in the job's summary"
