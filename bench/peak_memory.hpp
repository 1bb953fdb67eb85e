#pragma once

#include <cmath>
#include <fstream>
#include <string>

// The most memory this process has had. VmHWM and not getrusage: that one starts from the parent's.
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024.0;
  }
  return std::nan("");
}
