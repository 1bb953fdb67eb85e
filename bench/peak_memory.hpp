#pragma once

#include <cmath>
#include <fstream>
#include <string>

// The peak memory of this process. Uses VmHWM because getrusage includes the parent's peak.
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024.0;
  }
  return std::nan("");
}
