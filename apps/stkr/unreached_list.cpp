#include "unreached_list.hpp"

#include <fmt/format.h>

#include "stkr/dataset/atomic_file.hpp"

namespace stkr::app {

void write_unreached(const std::string& path, const std::vector<char>& evidence,
                     const std::optional<LabelReach>& reach) {
  write_atomically(path, [&](FileSink& sink) {
    sink.write("index,component,component_size\n");
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      if (evidence[i]) continue;
      if (!reach) {
        sink.write(fmt::format("{},,\n", i));
        continue;
      }
      const std::int32_t component = reach->component[i];
      sink.write(fmt::format("{},{},{}\n", i, component, reach->size[component]));
    }
  });
}

}  // namespace stkr::app
