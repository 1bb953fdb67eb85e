#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduction_report.hpp"
#include "stkr/reproduction/checkpoint.hpp"
#include "stkr/reproduction/paper_graph.hpp"

namespace stkr::app {

struct ReproduceArguments {
  std::vector<std::string> tables;
  std::vector<std::string> figures;
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  int seeds = 10;
  std::string data;
  std::string solver = "exact";
  std::string no_evidence = "first-class";
  std::string checkpoint = "stkr-reproduce.jsonl";
  bool fresh = false;
  std::string html;
  std::string plot;
  bool json = false;
  int threads = 0;
};

// The tables and figures that are asked for; the accuracy table where none is.
std::vector<Exhibit> exhibits_of(const ReproduceArguments& arguments);

// Runs every experiment that these exhibits need of the data sets, or takes it from the checkpoint,
// and fills `reproduction`, failures included. Shows progress; throws Cancelled. Returns whether
// something failed for want of memory.
bool run_exhibits(const ReproduceArguments& arguments,
                  const std::vector<const PaperDataset*>& datasets,
                  const std::filesystem::path& folder, Checkpoint& checkpoint,
                  Reproduction& reproduction);

}  // namespace stkr::app
