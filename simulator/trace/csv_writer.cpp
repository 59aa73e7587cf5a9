#include "simulator/trace/csv_writer.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "simulator/core/text_file.hpp"
#include "simulator/trace/starpu_names.hpp"

namespace factosim {

namespace {

std::string quoted(std::string const& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void put_date(TextFile& out, double seconds) {
  if (std::isnan(seconds))
    out.put_text(",");
  else
    out.put(",{}", seconds);
}

}  // namespace

void write_csv(std::filesystem::path const& file, Trace const& trace) {
  StarpuNames const names(trace, true);
  std::vector<std::string> kernels;
  for (Kernel const& k : trace.kernels) kernels.push_back(quoted(k.name));
  TextFile out(file);
  out.put_text("task,kernel,node,worker,k,m,n,priority,submit_s,start_s,end_s\n");
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    out.put("{},{},", t, kernels[trace.kernel[t]]);
    if (WorkerId const w = trace.worker[t]; w.valid())
      out.put("{},{}", trace.workers[w.index()].node.value(), names.worker(w));
    else
      out.put_text(",");
    if (trace.indices.empty())
      out.put_text(",,,");
    else
      out.put(",{},{},{}", trace.indices[t].k, trace.indices[t].m, trace.indices[t].n);
    if (trace.priority.empty())
      out.put_text(",");
    else
      out.put(",{}", trace.priority[t]);
    put_date(out, trace.submit_s[t]);
    put_date(out, trace.start_s[t]);
    put_date(out, trace.end_s[t]);
    out.put_text("\n");
  }
  out.commit();
}

}  // namespace factosim
