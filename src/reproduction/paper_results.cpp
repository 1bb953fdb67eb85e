#include "reproduction/paper_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// CiteSeer, Cora and PubMed have the sizes of Planetoid's public split, the others 20 samples per
// class.
constexpr std::array<PaperDataset, 9> kDatasets = {{
    {"cs", "Coauthor CS", 15, 18333, 163788, 300, 300,
     "github.com/shchur/gnn-benchmark: data/npz/ms_academic_cs.npz"},
    {"citeseer", "CiteSeer", 6, 3327, 9104, 120, 500,
     "github.com/kimiyoung/planetoid: data/ind.citeseer.* (pickles: save as .npz)"},
    {"computers", "Amazon Computers", 10, 13752, 491722, 200, 200,
     "github.com/shchur/gnn-benchmark: data/npz/amazon_electronics_computers.npz"},
    {"cora", "Cora", 7, 2708, 10556, 140, 500,
     "github.com/kimiyoung/planetoid: data/ind.cora.* (pickles: save as .npz)"},
    {"corafull", "CoraFull", 70, 19793, 126842, 1400, 1400,
     "github.com/abojchevski/graph2gauss: data/cora.npz"},
    {"dblp", "DBLP", 4, 17716, 105734, 80, 80, "github.com/abojchevski/graph2gauss: data/dblp.npz"},
    {"photo", "Amazon Photo", 8, 7650, 238162, 160, 160,
     "github.com/shchur/gnn-benchmark: data/npz/amazon_electronics_photo.npz"},
    {"physics", "Coauthor Physics", 5, 34493, 495924, 100, 100,
     "github.com/shchur/gnn-benchmark: data/npz/ms_academic_phy.npz"},
    {"pubmed", "PubMed", 3, 19717, 88648, 60, 500,
     "github.com/kimiyoung/planetoid: data/ind.pubmed.* (pickles: save as .npz)"},
}};

using Row = std::array<PaperValue, kDatasets.size()>;

// Columns as in kDatasets. The short table in the paper's main text differs from this one in two
// places, Computers and DBLP with SP-poly (i): 71.91 and 64.51 there. This one is correct: on 137
// test nodes, ten seeds can give 71.97 but not 71.91.
constexpr std::array<Row, 8> kAccuracy = {{
    // LP (t)
    {{{79.07, 2.19},
      {52.73, 7.72},
      {77.30, 3.05},
      {73.33, 6.00},
      {54.47, 3.24},
      {66.44, 3.78},
      {83.95, 5.78},
      {84.33, 4.86},
      {72.28, 5.55}}},
    // SP-Lap (t)
    {{{78.96, 2.53},
      {52.12, 7.67},
      {77.81, 3.94},
      {77.04, 5.74},
      {53.81, 2.34},
      {65.42, 5.02},
      {84.08, 6.52},
      {84.22, 4.86},
      {71.93, 4.86}}},
    // SP-poly (t)
    {{{79.13, 2.29},
      {48.79, 8.51},
      {76.72, 4.12},
      {71.48, 5.80},
      {53.25, 3.54},
      {64.52, 4.20},
      {79.21, 7.20},
      {84.45, 4.89},
      {72.18, 4.66}}},
    // SP-topd (t)
    {{{78.80, 3.22},
      {46.06, 1.08},
      {80.80, 3.06},
      {69.26, 7.82},
      {50.36, 2.85},
      {64.86, 4.60},
      {84.61, 6.30},
      {83.20, 2.25},
      {65.38, 5.66}}},
    // SP-Lap (i)
    {{{78.42, 2.81},
      {46.06, 6.97},
      {77.15, 2.64},
      {67.78, 7.62},
      {53.30, 3.24},
      {65.20, 4.92},
      {84.87, 5.66},
      {83.11, 5.09},
      {70.36, 4.80}}},
    // SP-poly (i)
    {{{79.02, 2.42},
      {44.55, 9.15},
      {71.97, 4.13},
      {65.19, 9.11},
      {51.98, 3.88},
      {64.52, 4.05},
      {78.42, 7.80},
      {84.68, 4.83},
      {70.76, 4.28}}},
    // SP-topd (i)
    {{{79.13, 3.35},
      {41.52, 6.71},
      {80.80, 3.28},
      {63.70, 6.00},
      {47.41, 3.39},
      {63.16, 3.41},
      {85.53, 5.68},
      {82.44, 3.88},
      {64.31, 4.95}}},
    // KRR (i)
    {{{13.11, 2.29},
      {13.64, 5.93},
      {26.35, 4.34},
      {28.52, 8.56},
      {19.80, 2.22},
      {44.80, 3.86},
      {33.95, 7.07},
      {19.74, 1.46},
      {20.76, 2.06}}},
}};

// As printed: SP-poly on CS at 0.01 is 79.13 ± 3.35 here and 79.02 ± 2.42 in the table above. The
// former is also the value of SP-topd, so it was probably copied by mistake.
constexpr std::array<Row, 15> kTestShareAccuracy = {{
    // SP-Lap 0.01
    {{{78.42, 2.81},
      {46.06, 6.97},
      {77.15, 2.64},
      {67.78, 7.62},
      {53.30, 3.24},
      {65.20, 4.92},
      {84.87, 5.66},
      {83.11, 5.09},
      {70.36, 4.80}}},
    // SP-Lap 0.05
    {{{77.93, 1.41},
      {41.75, 4.82},
      {77.42, 2.25},
      {62.37, 3.66},
      {51.63, 0.90},
      {65.57, 2.52},
      {84.90, 2.50},
      {82.72, 4.26},
      {67.81, 3.56}}},
    // SP-Lap 0.1
    {{{76.45, 1.17},
      {39.97, 2.68},
      {77.40, 1.88},
      {59.74, 2.37},
      {50.22, 0.75},
      {65.34, 2.09},
      {84.10, 1.84},
      {82.02, 4.01},
      {66.43, 3.62}}},
    // SP-Lap 0.2
    {{{75.06, 1.01},
      {35.50, 1.94},
      {77.18, 2.03},
      {55.10, 2.92},
      {47.84, 0.79},
      {63.24, 1.96},
      {83.81, 1.23},
      {81.33, 3.59},
      {63.77, 3.36}}},
    // SP-Lap 0.3
    {{{72.89, 0.95},
      {30.92, 1.14},
      {76.59, 1.71},
      {50.22, 2.87},
      {44.96, 0.77},
      {60.44, 1.68},
      {83.28, 1.11},
      {80.27, 3.45},
      {60.25, 2.75}}},
    // SP-poly 0.01
    {{{79.13, 3.35},
      {44.55, 9.15},
      {71.97, 4.13},
      {65.19, 9.11},
      {51.98, 3.88},
      {64.52, 4.05},
      {78.42, 7.80},
      {84.68, 4.83},
      {70.76, 4.28}}},
    // SP-poly 0.05
    {{{78.74, 1.42},
      {40.36, 5.51},
      {73.04, 1.80},
      {61.85, 4.15},
      {50.21, 1.69},
      {64.64, 2.07},
      {79.03, 4.61},
      {84.05, 3.99},
      {67.68, 2.91}}},
    // SP-poly 0.1
    {{{77.51, 1.03},
      {38.58, 2.90},
      {73.10, 1.58},
      {58.56, 2.59},
      {49.06, 0.90},
      {64.21, 1.93},
      {78.59, 4.49},
      {83.13, 3.69},
      {66.08, 2.96}}},
    // SP-poly 0.2
    {{{75.74, 1.02},
      {33.65, 1.78},
      {72.70, 1.84},
      {53.11, 2.39},
      {46.53, 0.79},
      {61.89, 2.03},
      {78.82, 3.05},
      {82.36, 3.27},
      {62.97, 3.10}}},
    // SP-poly 0.3
    {{{73.35, 0.76},
      {28.98, 1.21},
      {72.35, 1.60},
      {47.99, 2.62},
      {43.42, 0.78},
      {59.55, 2.02},
      {78.20, 2.73},
      {81.08, 3.25},
      {59.32, 2.57}}},
    // SP-topd 0.01
    {{{79.13, 3.35},
      {41.52, 6.71},
      {80.80, 3.28},
      {63.70, 6.00},
      {47.41, 3.39},
      {63.16, 3.41},
      {85.53, 5.68},
      {82.44, 3.88},
      {64.31, 4.95}}},
    // SP-topd 0.05
    {{{78.37, 1.58},
      {40.00, 5.14},
      {80.17, 2.30},
      {61.70, 3.53},
      {47.17, 1.63},
      {62.79, 3.36},
      {85.47, 2.07},
      {82.26, 1.88},
      {62.79, 3.28}}},
    // SP-topd 0.1
    {{{77.17, 1.02},
      {38.67, 4.17},
      {79.35, 2.57},
      {58.81, 3.26},
      {45.22, 0.89},
      {61.51, 2.60},
      {84.85, 1.70},
      {80.59, 1.86},
      {61.75, 2.26}}},
    // SP-topd 0.2
    {{{75.61, 0.64},
      {35.10, 2.64},
      {79.00, 2.02},
      {55.51, 4.21},
      {42.31, 0.91},
      {60.30, 2.60},
      {84.63, 1.45},
      {80.15, 1.86},
      {59.60, 3.22}}},
    // SP-topd 0.3
    {{{72.59, 0.70},
      {32.92, 1.92},
      {78.09, 1.27},
      {51.71, 4.39},
      {38.62, 0.79},
      {59.18, 2.29},
      {83.91, 1.69},
      {79.07, 2.33},
      {57.50, 2.50}}},
}};

std::optional<std::size_t> column_of(std::string_view dataset) {
  for (std::size_t c = 0; c < kDatasets.size(); ++c) {
    if (kDatasets[c].name == dataset) return c;
  }
  return std::nullopt;
}

std::optional<std::size_t> row_of(Setting setting, PaperMethod method) {
  const bool transductive = setting == Setting::transductive;
  switch (method) {
    case PaperMethod::label_propagation:
      return transductive ? std::optional<std::size_t>(0) : std::nullopt;
    case PaperMethod::laplacian:
      return transductive ? 1 : 4;
    case PaperMethod::polynomial:
      return transductive ? 2 : 5;
    case PaperMethod::top_d:
      return transductive ? 3 : 6;
    case PaperMethod::top_d_reached:
      return std::nullopt;
    case PaperMethod::kernel_ridge:
      return transductive ? std::nullopt : std::optional<std::size_t>(7);
  }
  return std::nullopt;
}

}  // namespace

std::span<const PaperDataset> paper_datasets() { return kDatasets; }

const PaperDataset& paper_dataset(std::string_view name) {
  if (const auto column = column_of(name)) return kDatasets[*column];
  std::vector<std::string_view> names;
  for (const PaperDataset& dataset : kDatasets) names.push_back(dataset.name);
  throw ValueError(
      fmt::format("the paper has no data set '{}'; it has {}", name, fmt::join(names, ", ")));
}

const char* to_string(PaperMethod method) {
  switch (method) {
    case PaperMethod::label_propagation:
      return "LP";
    case PaperMethod::laplacian:
      return "SP-Lap";
    case PaperMethod::polynomial:
      return "SP-poly";
    case PaperMethod::top_d:
      return "SP-topd";
    case PaperMethod::top_d_reached:
      return "SP-topd-reached";
    case PaperMethod::kernel_ridge:
      return "KRR";
  }
  return "?";
}

PaperMethod paper_method(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PaperMethod method : kPaperMethods) {
    if (name == to_string(method)) return method;
    names.push_back(to_string(method));
  }
  throw ValueError(fmt::format("the paper's tables have no row '{}'; they have {}", name,
                               fmt::join(names, ", ")));
}

std::optional<PaperValue> paper_accuracy(std::string_view dataset, Setting setting,
                                         PaperMethod method) {
  const auto column = column_of(dataset);
  const auto row = row_of(setting, method);
  if (!column || !row) return std::nullopt;
  return kAccuracy[*row][*column];
}

std::optional<PaperValue> paper_p_test_accuracy(std::string_view dataset, double p_test,
                                                PaperMethod method) {
  const auto column = column_of(dataset);
  std::size_t block = 0;
  switch (method) {
    case PaperMethod::laplacian:
      block = 0;
      break;
    case PaperMethod::polynomial:
      block = 1;
      break;
    case PaperMethod::top_d:
      block = 2;
      break;
    default:
      return std::nullopt;
  }
  constexpr std::size_t kShares = std::size(kPaperTestShares);
  for (std::size_t k = 0; column && k < kShares; ++k) {
    if (std::abs(p_test - kPaperTestShares[k]) < 1e-9) {
      return kTestShareAccuracy[block * kShares + k][*column];
    }
  }
  return std::nullopt;
}

}  // namespace stkr
