#include "simulator/tasks/schedule/read_schedule.hpp"

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/tasks/schedule/execution_json.hpp"
#include "simulator/tasks/schedule/sched_rec.hpp"
#include "simulator/tasks/schedule/schedule_json.hpp"

namespace factosim {

std::shared_ptr<StaticSchedule const> read_schedule(std::filesystem::path const& file) {
  std::string const text = read_input_text(file);
  auto const first = text.find_first_not_of(" \t\r\n");
  StaticSchedule out;
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    nlohmann::json const document = parse_json_file(file);
    bool const of_nntile = document.is_object() && document.contains("ops");
    out = of_nntile ? read_execution_json(document, file.string())
                    : read_schedule_json(document, file.string());
  } else {
    out = read_sched_rec(text, file.string());
  }
  out.content = content_hash(text);
  return std::make_shared<StaticSchedule const>(std::move(out));
}

}  // namespace factosim
