#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduction/checkpoint.hpp"
#include "reproduction/paper_graph.hpp"
#include "reproduction_report.hpp"

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

// The requested tables and figures; by default the accuracy table.
std::vector<Exhibit> exhibits_of(const ReproduceArguments& arguments);

// Runs every experiment that the tables and figures need, or reads it from the checkpoint,
// and fills `reproduction`, failures included. Shows progress; throws Cancelled. Returns whether
// something failed because of insufficient memory.
bool run_exhibits(const ReproduceArguments& arguments,
                  const std::vector<const PaperDataset*>& datasets,
                  const std::filesystem::path& folder, Checkpoint& checkpoint,
                  Reproduction& reproduction);

}  // namespace stkr::app
