# Of each labelled sample, the noise goes and the terms stay (tests/noise).
. "$SOURCE_DIR/tests/cli/shared.sh"
for sample in . services agents; do
    it "at least 70 % of the noise is gone, and 95 % of the terms stay, of sample $sample"
    "$SOURCE_DIR/scripts/noise" "$(command -v pawl)" "$SOURCE_DIR/tests/noise/$sample/labels.tsv"
done
