#!/usr/bin/env bash
# Draws the workers of a Paje trace over time as SVG: scenarios/gantt.sh results/first/trace.paje >picture.svg
# Needs pj_dump (package pajeng).
set -eu
pj_dump "$1" 2>/dev/null | awk -F', ' '
  function xml(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); gsub(/[[:cntrl:]]/, " ", text)
    return text
  }
  BEGIN {
    split("getrf potrf trsm trsm_ll trsm_ru syrk gemm", kernels, " ")
    split("#d55e00 #d55e00 #0072b2 #0072b2 #56b4e9 #e69f00 #009e73", colors, " ")
    for (i in kernels) color[kernels[i]] = colors[i]
    left = 70; width = 900; height = 16; top = 8
  }
  $1 == "State" && $8 != "Idle" {
    if (!($2 in row)) { row[$2] = rows; name[rows++] = $2 }
    n++; worker[n] = $2; start[n] = $4; end[n] = $5; kernel[n] = $8; used[$8] = 1
    if ($5 > last) last = $5
  }
  END {
    for (i = 1; i < rows; i++) for (j = i; j > 0 && name[j] < name[j - 1]; j--) { t = name[j]; name[j] = name[j - 1]; name[j - 1] = t }
    for (i = 0; i < rows; i++) row[name[i]] = i
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", left + width + 10, top + rows * (height + 3) + 44
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    for (i = 0; i < rows; i++) printf "<text x=\"4\" y=\"%d\">%s</text>\n", top + i * (height + 3) + 12, xml(name[i])
    for (i = 1; i <= n; i++) printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", left + width * start[i] / last, top + row[worker[i]] * (height + 3), width * (end[i] - start[i]) / last, height, (kernel[i] in color) ? color[kernel[i]] : "#999"
    y = top + rows * (height + 3)
    for (i = 0; i <= 5; i++) printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.2f s</text>\n", left + width * i / 5 - (i == 5 ? 14 : 0), y + 14, last * i / 5000
    x = left
    for (i = 1; i in kernels; i++) if (kernels[i] in used) { printf "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, y + 24, color[kernels[i]], x + 16, y + 34, kernels[i]; x += 80 }
    print "</svg>"
  }'
