#include "graph_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "atomic_file.hpp"
#include "crc64.hpp"
#include "csr_rows.hpp"
#include "stkr/error.hpp"
#include "temporary_file.hpp"

namespace stkr {
namespace {

using nlohmann::json;

constexpr const char* kPartsFormat = "stkr graph parts";
constexpr const char* kSamples = "samples.npz";
constexpr Index kEntriesAtATime = Index{1} << 22;
constexpr const char* kAgain = "write the folder again with 'stkr data convert --parts'";

// A file that parts.json lists, without the sizes of its matrix.
GraphPart listed(const json& entry) {
  GraphPart part{.file = entry.at("file").get<std::string>()};
  if (part.file.empty() || part.file.find('/') != std::string::npos || part.file.front() == '.') {
    throw DataError(fmt::format("'{}' is not the name of a file in the folder", part.file));
  }
  if (entry.contains("bytes")) part.bytes = entry["bytes"].get<std::uint64_t>();
  if (entry.contains("crc32")) {
    part.crc = entry["crc32"].get<std::map<std::string, std::uint32_t>>();
  }
  return part;
}

json listing(const GraphPart& part, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / part.file;
  json entry{{"file", part.file}, {"bytes", std::filesystem::file_size(file)}};
  const NpzReader reader(file);
  for (const NpzMember& member : reader.members()) {
    if (member.header) entry["crc32"][member.name] = member.crc;
  }
  return entry;
}

}  // namespace

bool GraphParts::is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path / kManifest, ignored);
}

GraphParts::GraphParts(const std::filesystem::path& folder) : folder_(folder) {
  const std::string manifest = (folder / kManifest).string();
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", manifest, what));
  };
  std::ifstream in(manifest, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) fail("cannot be read; check the path and the permissions");
  Crc64 crc;
  crc.update(std::as_bytes(std::span(text)));
  checksum_ = crc.value();
  try {
    const json document = json::parse(text);
    if (document.at("format") != kPartsFormat)
      fail(fmt::format("has not the format '{}'", kPartsFormat));
    if (const int version = document.at("version").get<int>(); version != 1) {
      fail(fmt::format("has version {}, expected 1", version));
    }
    const auto shape = document.at("shape").get<std::vector<Index>>();
    constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
    if (shape.size() != 2 || shape[0] != shape[1] || shape[0] < 1 || shape[0] > kMost) {
      fail(fmt::format("has the shape {}, expected a square matrix of 1 to {} rows",
                       document["shape"].dump(), kMost));
    }
    nodes_ = shape[0];
    entries_ = document.at("entries").get<Index>();
    Index row = 0, entry = 0;
    for (const json& one : document.at("parts")) {
      GraphPart part = listed(one);
      part.rows = one.at("rows").get<Index>();
      part.entries = one.at("entries").get<Index>();
      part.first_row = row;
      part.first_entry = entry;
      if (part.rows < 0 || part.rows > nodes_ - row || part.entries < 0 ||
          part.entries > entries_ - entry) {
        fail(
            fmt::format("lists {} with {} rows and {} entries, more than the rest of {} × {} with "
                        "{} entries; {}",
                        part.file, part.rows, part.entries, nodes_, nodes_, entries_, kAgain));
      }
      row += part.rows;
      entry += part.entries;
      parts_.push_back(std::move(part));
    }
    if (row != nodes_ || entry != entries_) {
      fail(fmt::format("lists parts with {} rows and {} entries in all, expected {} and {}; {}",
                       row, entry, nodes_, entries_, kAgain));
    }
    if (document.contains("samples")) samples_ = listed(document["samples"]);
  } catch (const json::exception& error) {
    fail(fmt::format("is damaged, or no list of parts ({}); {}", error.what(), kAgain));
  }
}

NpzReader GraphParts::open(const GraphPart& part) const {
  const std::filesystem::path file = folder_ / part.file;
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}; {}", file.string(), what, kAgain));
  };
  std::error_code error;
  if (!std::filesystem::exists(file, error)) fail("no such file, but parts.json lists it");
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (!error && part.bytes && bytes != *part.bytes) {
    fail(
        fmt::format("has {} bytes, expected {} by parts.json: it is truncated, or a part of "
                    "another graph",
                    bytes, *part.bytes));
  }
  NpzReader reader(file);
  for (const auto& [name, crc] : part.crc) {
    const auto& members = reader.members();
    const auto found =
        std::find_if(members.begin(), members.end(), [&wanted = name](const NpzMember& member) {
          return member.name == wanted && member.header;
        });
    if (found == members.end() || found->crc != crc) {
      fail(
          fmt::format("its array {} is not the one that parts.json lists: the file is damaged, or "
                      "of another graph",
                      name));
    }
  }
  return reader;
}

const NpzReader& GraphParts::opened(std::size_t number) const {
  if (open_ && open_->first == number) return open_->second;
  const GraphPart& part = parts_[number];
  open_.reset();
  NpzReader reader = open(part);
  const detail::CsrRows csr(reader, "");
  if (csr.rows() != part.rows || csr.cols() != nodes_ || csr.entries() != part.entries) {
    throw DataError(
        fmt::format("{}: has {} rows of {} columns and {} entries, expected {} of {} and {} by "
                    "parts.json; {}",
                    reader.shown_path(), csr.rows(), csr.cols(), csr.entries(), part.rows, nodes_,
                    part.entries, kAgain));
  }
  open_.emplace(number, std::move(reader));
  return open_->second;
}

// The last part that starts at or before a row; empty ones come first.
std::size_t GraphParts::part_of(Index row) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), row,
                       [](Index value, const GraphPart& part) { return value < part.first_row; });
  return static_cast<std::size_t>(after - parts_.begin()) - 1;
}

Index GraphParts::entries_before(Index row) const {
  if (row >= nodes_) return entries_;
  const std::size_t number = part_of(row);
  const GraphPart& part = parts_[number];
  if (row == part.first_row) return part.first_entry;
  NpyArray starts = opened(number).array("indptr");
  std::int64_t start = 0;
  starts.skip(row - part.first_row);
  starts.read(std::span(&start, 1));
  return part.first_entry + start;
}

CsrMatrix GraphParts::rows(Index first, Index count) const {
  CsrMatrix result;
  result.cols = nodes_;
  result.row_start.assign(1, 0);
  if (count == 0) return result;
  const std::size_t begin = part_of(first), end = part_of(first + count - 1) + 1;
  // Memory is allocated only for entries that the files have.
  for (std::size_t p = begin; p < end; ++p) static_cast<void>(opened(p));
  const auto entries =
      static_cast<std::size_t>(entries_before(first + count) - entries_before(first));
  result.row_start.reserve(static_cast<std::size_t>(count) + 1);
  result.column.reserve(entries);
  result.value.reserve(entries);
  for (std::size_t p = begin; p < end; ++p) {
    const GraphPart& part = parts_[p];
    detail::CsrRows csr(opened(p), "");
    const Index from = std::max<Index>(first - part.first_row, 0);
    Index left = std::min(part.rows, first + count - part.first_row) - from;
    const auto at_a_time =
        static_cast<Index>(static_cast<double>(kEntriesAtATime) * static_cast<double>(part.rows) /
                           static_cast<double>(part.entries + 1));
    csr.skip(from);
    while (left > 0) {
      const CsrMatrix some = csr.next(std::clamp<Index>(at_a_time, 1, left));
      const auto before = static_cast<std::int64_t>(result.column.size());
      for (Index i = 1; i <= some.rows; ++i) {
        result.row_start.push_back(before + some.row_start[static_cast<std::size_t>(i)]);
      }
      result.column.insert(result.column.end(), some.column.begin(), some.column.end());
      result.value.insert(result.value.end(), some.value.begin(), some.value.end());
      result.rows += some.rows;
      left -= some.rows;
    }
  }
  return result;
}

std::optional<NpzReader> GraphParts::samples() const {
  if (!samples_) return std::nullopt;
  return open(*samples_);
}

GraphPartsWriter::GraphPartsWriter(std::filesystem::path folder, Index nodes)
    : folder_(std::move(folder)), nodes_(nodes) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  partial_ = detail::folder_of(folder_) / fmt::format(".{}.partial", folder_.filename().string());
  std::error_code error;
  if (std::filesystem::exists(folder_, error) && !std::filesystem::is_empty(folder_, error)) {
    throw WriteError(
        fmt::format("{}: cannot write: it exists and is not an empty folder; remove it, or give "
                    "another name",
                    folder_.string()));
  }
  std::filesystem::remove_all(partial_, error);
  if (!std::filesystem::create_directory(partial_, error)) {
    throw WriteError(fmt::format("{}: cannot write: {}", folder_.string(), error.message()));
  }
}

GraphPartsWriter::~GraphPartsWriter() {
  std::error_code ignored;
  std::filesystem::remove_all(partial_, ignored);
}

std::filesystem::path GraphPartsWriter::samples() const { return partial_ / kSamples; }

void GraphPartsWriter::add(const CsrMatrix& rows) {
  parts_.push_back({.file = fmt::format("part-{:04}.npz", parts_.size()),
                    .rows = rows.rows,
                    .entries = rows.entries()});
  const std::vector<std::int64_t> shape = {rows.rows, nodes_};
  const std::vector<std::string> format = {"csr"};
  NpzWriter writer;
  writer.add("indptr", rows.row_start);
  writer.add("indices", rows.column);
  writer.add("data", rows.value);
  writer.add("shape", shape);
  writer.add_strings("format", format);
  writer.write(partial_ / parts_.back().file);
  rows_ += rows.rows;
  entries_ += rows.entries();
}

void GraphPartsWriter::commit() {
  if (rows_ != nodes_) {
    throw ShapeError(fmt::format("GraphPartsWriter: {} of {} rows were added", rows_, nodes_));
  }
  json document{{"format", kPartsFormat},
                {"version", 1},
                {"shape", {nodes_, nodes_}},
                {"entries", entries_},
                {"parts", json::array()}};
  for (const GraphPart& part : parts_) {
    json entry = listing(part, partial_);
    entry["rows"] = part.rows;
    entry["entries"] = part.entries;
    document["parts"].push_back(std::move(entry));
  }
  if (std::filesystem::exists(samples())) {
    document["samples"] = listing({.file = kSamples}, partial_);
  }
  write_atomically(partial_ / GraphParts::kManifest,
                   [&](FileSink& sink) { sink.write(document.dump(1) + "\n"); });
  std::error_code error;
  std::filesystem::remove(folder_, error);  // an empty one
  std::filesystem::rename(partial_, folder_, error);
  if (error) {
    throw WriteError(fmt::format("{}: cannot write: {}", folder_.string(), error.message()));
  }
}

}  // namespace stkr
