#include "unreached_list.hpp"

#include <fmt/format.h>

#include "dataset/csv.hpp"
#include "format/atomic_file.hpp"

namespace stkr::app {

void write_unreached(const std::string& path, const std::vector<char>& evidence,
                     std::span<const std::string> names, const std::optional<LabelReach>& reach) {
  write_atomically(path, [&](FileSink& sink) {
    sink.write(names.empty() ? "index,component,component_size\n"
                             : "index,node,component,component_size\n");
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      if (evidence[i]) continue;
      sink.write(std::to_string(i));
      if (!names.empty()) sink.write(fmt::format(",{}", csv_field(names[i])));
      if (!reach) {
        sink.write(",,\n");
        continue;
      }
      const std::int32_t component = reach->component[i];
      sink.write(fmt::format(",{},{}\n", component, reach->size[component]));
    }
  });
}

}  // namespace stkr::app
