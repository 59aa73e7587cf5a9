# Writes a C++ source with the texts of a report's page: -DSTYLE= -DPROGRAM= -DOUTPUT=
# Compilers limit the length of one literal, so the texts are cut; neighbouring literals are one.
function(literals file result)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${hex}")
  string(LENGTH "${text}" length)
  set(lines "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 4000 part)
    string(APPEND lines "    \"${part}\"\n")
    math(EXPR at "${at} + 4000")
  endwhile()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()
literals("${STYLE}" style)
literals("${PROGRAM}" program)
file(
  WRITE "${OUTPUT}"
  "#include \"simulator/report/page/page_file.hpp\"\n\nnamespace factosim {\n\nstd::string_view page_style() {\n  return\n${style}      ;\n}\n\nstd::string_view page_program() {\n  return\n${program}      ;\n}\n\n}  // namespace factosim\n")
