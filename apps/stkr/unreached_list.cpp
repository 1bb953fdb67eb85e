#include "unreached_list.hpp"

#include <fmt/format.h>

#include "dataset/csv.hpp"
#include "format/atomic_file.hpp"

namespace stkr::app {

void write_unreached(const std::string& path, std::span<const Index> samples,
                     const std::string& name_column, std::span<const std::string> names,
                     const std::optional<LabelReach>& reach) {
  const bool named = !name_column.empty();
  write_atomically(path, [&](FileSink& sink) {
    sink.write(named ? fmt::format("index,{},component,component_size\n", csv_field(name_column))
                     : "index,component,component_size\n");
    for (std::size_t k = 0; k < samples.size(); ++k) {
      sink.write(std::to_string(samples[k]));
      if (named) sink.write(fmt::format(",{}", csv_field(names[k])));
      if (!reach) {
        sink.write(",,\n");
        continue;
      }
      const std::int32_t component = reach->component[samples[k]];
      sink.write(fmt::format(",{},{}\n", component, reach->size[component]));
    }
  });
}

void list_unreached(const std::string& path, const std::vector<char>& evidence,
                    const ModelInfo& info, const std::optional<LabelReach>& reach) {
  const std::vector<std::string>& names = info.sample_names;
  std::vector<Index> samples;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (evidence[i]) continue;
    samples.push_back(static_cast<Index>(i));
    if (!names.empty()) named.push_back(names[i]);
  }
  write_unreached(path, samples, names.empty() ? "" : info.id_column, named, reach);
}

}  // namespace stkr::app
