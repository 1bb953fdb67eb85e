#include "reproduction/exhibit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// η values of the figure, which the paper does not list: from close to 0, where accuracy is low,
// through the values of its grid.
constexpr double kFigureEtas[] = {0.01, 0.1,   0.3,    0.5,     0.7,     0.9,
                                  0.99, 0.999, 0.9999, 0.99999, 0.999999};
constexpr double kPolynomialPower = 8.0;  // SP-poly in the tables

constexpr Setting kSettings[] = {Setting::transductive, Setting::inductive};

Family family_of(PaperMethod method) {
  switch (method) {
    case PaperMethod::label_propagation:
      return Family::label_propagation;
    case PaperMethod::laplacian:
      return Family::inverse_laplacian;
    case PaperMethod::top_d:
    case PaperMethod::top_d_reached:
      return Family::top_d;
    default:
      return Family::power;
  }
}

PaperMethod compared_with(PaperMethod method) {
  return method == PaperMethod::top_d_reached ? PaperMethod::top_d : method;
}

// The fixed power of a cell; nullopt for the other families.
std::optional<double> fixed_parameter(const ExhibitCell& cell) {
  if (cell.parameter) return cell.parameter;
  if (cell.method == PaperMethod::polynomial) return kPolynomialPower;
  if (cell.method == PaperMethod::kernel_ridge) return 1.0;
  return std::nullopt;
}

}  // namespace

const char* to_string(Exhibit exhibit) {
  switch (exhibit) {
    case Exhibit::accuracy_table:
      return "table accuracy";
    case Exhibit::p_test_table:
      return "table p-test";
    case Exhibit::power_figure:
      return "figure p";
    case Exhibit::eta_figure:
      return "figure eta";
  }
  return "unknown";
}

Exhibit exhibit_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Exhibit exhibit : kExhibits) {
    if (name == to_string(exhibit)) return exhibit;
    names.push_back(to_string(exhibit));
  }
  throw ValueError(
      fmt::format("exhibit '{}' is unknown; expected one of {}", name, fmt::join(names, ", ")));
}

bool is_figure(Exhibit exhibit) {
  return exhibit == Exhibit::power_figure || exhibit == Exhibit::eta_figure;
}

std::vector<ExhibitCell> exhibit_cells(Exhibit exhibit) {
  using enum PaperMethod;
  std::vector<ExhibitCell> cells;
  switch (exhibit) {
    case Exhibit::accuracy_table:
      for (const PaperMethod method :
           {label_propagation, laplacian, polynomial, top_d, top_d_reached}) {
        cells.push_back({method, Setting::transductive});
      }
      for (const PaperMethod method : {laplacian, polynomial, top_d, top_d_reached, kernel_ridge}) {
        cells.push_back({method, Setting::inductive});
      }
      break;
    case Exhibit::p_test_table:
      for (const PaperMethod method : {laplacian, polynomial, top_d, top_d_reached}) {
        for (const double share : kPaperTestShares) {
          cells.push_back({method, Setting::inductive, share});
        }
      }
      break;
    case Exhibit::power_figure:
      for (const Setting setting : kSettings) {
        for (const double p : Grid().powers) cells.push_back({polynomial, setting, 0.01, p});
      }
      break;
    case Exhibit::eta_figure:
      for (const Setting setting : kSettings) {
        for (const double eta : kFigureEtas) cells.push_back({laplacian, setting, 0.01, eta});
      }
      break;
  }
  return cells;
}

Experiment experiment_for(const ExhibitCell& cell, std::uint64_t seed) {
  const Grid paper;
  Experiment experiment;
  experiment.p_test = cell.p_test;
  experiment.seed = seed;
  experiment.setting = cell.setting;
  experiment.family = family_of(cell.method);
  experiment.reached = cell.method == PaperMethod::top_d_reached;
  experiment.parameters = cell.parameter && cell.method == PaperMethod::laplacian
                              ? std::vector<double>(std::begin(kFigureEtas), std::end(kFigureEtas))
                              : family_parameters(paper, experiment.family);
  return experiment;
}

std::optional<GridScore> choice_for(const ExhibitCell& cell, const ExperimentResult& result) {
  const std::optional<double> fixed = fixed_parameter(cell);
  std::optional<GridScore> best;
  for (const GridScore& score : result.choices) {
    if (fixed && score.point.parameter != *fixed) continue;
    if (!best || score.validation > best->validation) best = score;
  }
  return best;
}

std::optional<PaperValue> paper_value(std::string_view dataset, Exhibit exhibit,
                                      const ExhibitCell& cell) {
  switch (exhibit) {
    case Exhibit::accuracy_table:
      return paper_accuracy(dataset, cell.setting, compared_with(cell.method));
    case Exhibit::p_test_table:
      return paper_p_test_accuracy(dataset, cell.p_test, compared_with(cell.method));
    case Exhibit::power_figure:
      if (cell.parameter == 1.0) {
        return paper_accuracy(dataset, cell.setting, PaperMethod::kernel_ridge);
      }
      if (cell.parameter == kPolynomialPower) {
        return paper_accuracy(dataset, cell.setting, PaperMethod::polynomial);
      }
      return std::nullopt;
    case Exhibit::eta_figure:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stkr
