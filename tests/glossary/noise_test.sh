# Of a labelled sample, the noise goes and the terms stay (tests/noise/labels.tsv).
. "$SOURCE_DIR/tests/cli/shared.sh"
it "at least 70 % of the noise is gone, and 95 % of the terms stay"
"$SOURCE_DIR/scripts/noise" "$(command -v pawl)"
