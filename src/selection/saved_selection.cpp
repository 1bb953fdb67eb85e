#include "saved_selection.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linop/saved_state.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

// Families that share work (selection/transformed_blocks), in grid order.
std::vector<Grid> parts_of(const Grid& grid) {
  Grid powers = grid, spectral = grid, propagation = grid;
  for (Grid* part : {&powers, &propagation}) {
    part->etas.clear();
    part->times.clear();
    part->dimensions.clear();
  }
  for (Grid* part : {&spectral, &propagation}) {
    part->powers.clear();
    part->polynomials.clear();
  }
  for (Grid* part : {&powers, &spectral}) part->propagation_etas.clear();
  std::vector<Grid> parts;
  for (Grid& part : {std::ref(powers), std::ref(spectral), std::ref(propagation)}) {
    if (!grid_points(part).empty()) parts.push_back(std::move(part));
  }
  return parts;
}

json as_json(const GridPoint& point) {
  return {static_cast<int>(point.family),
          point.parameter,
          point.beta,
          point.iterations,
          point.class_mass,
          point.ridge};
}

// Throws if the number is not a family.
Family family_of(const json& number) {
  const auto last = static_cast<int>(Family::label_propagation);
  const int family = number.is_number_integer() ? number.get<int>() : -1;
  if (family < 0 || family > last) throw ValueError("not a family of the grid");
  return static_cast<Family>(family);
}

GridPoint point_of(const json& values) {
  GridPoint point;
  point.family = family_of(values.at(0));
  values.at(1).get_to(point.parameter);
  values.at(2).get_to(point.beta);
  values.at(3).get_to(point.iterations);
  values.at(4).get_to(point.class_mass);
  values.at(5).get_to(point.ridge);
  return point;
}

json as_json(const Selection& selection) {
  json result{{"score", static_cast<int>(selection.score)},
              {"own_score", selection.own_score},
              {"ties_by_grid_order", selection.ties_by_grid_order},
              {"largest_eigenvalue", selection.kernels.front().largest_eigenvalue},
              {"warnings", selection.warnings},
              {"seconds", selection.seconds},
              {"scores", json::array()},
              {"left_out", json::array()},
              {"costs", json::array()}};
  for (const GridScore& one : selection.scores) {
    json entry{
        as_json(one.point),         one.validation,       one.loss,     one.beta, one.outcomes,
        one.validation_no_evidence, one.test_no_evidence, one.deviation};
    if (one.test) entry.push_back(*one.test);
    result["scores"].push_back(std::move(entry));
  }
  for (const LeftOut& one : selection.left_out) {
    result["left_out"].push_back({static_cast<int>(one.family), one.parameter, one.reason});
  }
  for (const FamilyCost& cost : selection.costs) {
    result["costs"].push_back({static_cast<int>(cost.family), cost.seconds, cost.products});
  }
  return result;
}

Selection selection_of(const json& saved) {
  Selection selection;
  selection.score = static_cast<Score>(saved.at("score").get<int>());
  saved.at("own_score").get_to(selection.own_score);
  saved.at("ties_by_grid_order").get_to(selection.ties_by_grid_order);
  saved.at("largest_eigenvalue").get_to(selection.kernels.front().largest_eigenvalue);
  saved.at("warnings").get_to(selection.warnings);
  saved.at("seconds").get_to(selection.seconds);
  for (const json& entry : saved.at("scores")) {
    GridScore score{point_of(entry.at(0))};
    entry.at(1).get_to(score.validation);
    entry.at(2).get_to(score.loss);
    entry.at(3).get_to(score.beta);
    entry.at(4).get_to(score.outcomes);
    entry.at(5).get_to(score.validation_no_evidence);
    entry.at(6).get_to(score.test_no_evidence);
    entry.at(7).get_to(score.deviation);
    if (entry.size() > 8) score.test = entry.at(8).get<double>();
    selection.scores.push_back(std::move(score));
  }
  for (const json& entry : saved.at("left_out")) {
    selection.left_out.push_back(
        {family_of(entry.at(0)), entry.at(1).get<double>(), entry.at(2).get<std::string>()});
  }
  for (const json& entry : saved.at("costs")) {
    selection.costs.push_back(
        {family_of(entry.at(0)), entry.at(1).get<double>(), entry.at(2).get<long>()});
  }
  return selection;
}

// CBOR stores doubles exactly, including NaN.
Matrix block_of(const Selection& selection) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(as_json(selection));
  return text_block({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Selection selection_of(const std::vector<Matrix>& blocks, const std::string& name) {
  try {
    return selection_of(json::from_cbor(block_text(blocks.at(0))));
  } catch (const std::exception&) {
    throw DataError(fmt::format("the saved state of {} cannot be read", name));
  }
}

void append(Selection part, Selection& whole) {
  whole.score = part.score;
  whole.own_score = part.own_score;
  whole.ties_by_grid_order = part.ties_by_grid_order;
  whole.kernels = std::move(part.kernels);
  whole.seconds += part.seconds;
  const auto move_all = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_all(part.scores, whole.scores);
  move_all(part.left_out, whole.left_out);
  move_all(part.costs, whole.costs);
  for (std::string& warning : part.warnings) {
    if (std::find(whole.warnings.begin(), whole.warnings.end(), warning) == whole.warnings.end()) {
      whole.warnings.push_back(std::move(warning));
    }
  }
}

}  // namespace

Selection resumable_selection(
    const std::string& name, const SelectOptions& options, const Context& context,
    const std::function<Selection(const SelectOptions&, const Context&)>& select) {
  SavedState* saved = context.saved;
  if (saved == nullptr) return select(options, context);
  check_grid(options.grid);
  Selection whole;
  const std::vector<Grid> parts = parts_of(options.grid);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string part = fmt::format("{}, part {}", name, k + 1);
    if (const auto found = saved->find(part, {})) {
      append(selection_of(*found, part), whole);
      continue;
    }
    SelectOptions own = options;
    own.grid = parts[k];
    Context unsaved = context;
    unsaved.saved = nullptr;  // solvers run concurrently here
    Selection one = select(own, unsaved);
    saved->save(part, std::vector<ConstMatrixRef>{block_of(one)}, {});
    append(std::move(one), whole);
  }
  return whole;
}

}  // namespace stkr
