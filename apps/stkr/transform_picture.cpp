#include "transform_picture.hpp"

#include "cli.hpp"
#include "format/atomic_file.hpp"
#include "report/transform_plot.hpp"

namespace stkr::app {

void check_picture(const std::string& plot, const Specification& spec) {
  if (plot.empty()) return;
  if (!plot.ends_with(".svg")) {
    throw CLI::ValidationError("--plot-transform", "expected a name that ends in .svg");
  }
  if (!std::holds_alternative<StkrSpec>(spec.method)) {
    throw CLI::ValidationError("--plot-transform", "this method has no transform s");
  }
}

void draw_picture(const std::string& plot, const AutomaticFit& fit) {
  const auto& method = std::get<StkrSpec>(fit.spec.method);
  const double largest = fit.fitted.summary.spectrum.upper;
  const std::string picture =
      method.average.size() > 1 ? report::plot_average(method.average, largest)
      : !method.average.empty()
          ? report::plot_transform(method.average.front().transform, largest)
          : report::plot_transform(method.transform.value_or(StkrOptions{}.transform), largest);
  write_atomically(plot, [&](FileSink& sink) { sink.write(picture); });
}

}  // namespace stkr::app
