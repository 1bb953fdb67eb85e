#include "format/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "format/atomic_file.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "stkr-state";
constexpr int kVersion = 1;
constexpr std::size_t kLongestHeaderLine = 1 << 20;
constexpr std::size_t kPart = 1 << 20;  // bytes copied at a time

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw DataError(fmt::format("{}: {}; give another path, or remove the file to start over",
                              path.string(), what));
}

// Reads one line of JSON. Returns an object, or null if the line is not one.
json read_object(std::istream& in) {
  std::string line(kLongestHeaderLine, '\0');
  in.getline(line.data(), static_cast<std::streamsize>(line.size()));
  if (!in) return nullptr;
  line.resize(static_cast<std::size_t>(in.gcount()) - (in.eof() ? 0 : 1));
  json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  return object.is_object() ? object : json();
}

// What the checksum covers besides the blocks: shapes such as 2 × 3 and 3 × 2 have the same bytes.
json described(const std::string& name, const std::vector<std::pair<Index, Index>>& shapes) {
  json result{{"name", name}, {"shapes", json::array()}};
  for (const auto& [rows, columns] : shapes) result["shapes"].push_back({rows, columns});
  return result;
}

std::uint64_t block_bytes(Index rows, Index columns) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns) * sizeof(double);
}

void add(std::string_view text, Crc64& checksum) {
  checksum.update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string entry_line(json entry, std::uint64_t checksum) {
  entry["crc64"] = fmt::format("{:016x}", checksum);
  return entry.dump() + "\n";
}

}  // namespace

StateSource source_of(const ConstMatrixRef& block) {
  const auto row = [data = block.data(), stride = block.outerStride(),
                    count = static_cast<std::size_t>(block.cols())](Index i) {
    return std::as_bytes(std::span(data + i * stride, count));
  };
  StateSource source{block.rows(), block.cols(), {}, {}};
  for (Index i = 0; i < block.rows(); ++i) source.checksum.update(row(i));
  source.read = [row, i = Index{0}, at = std::size_t{0}](std::span<std::byte> out) mutable {
    while (!out.empty()) {
      const auto left = row(i).subspan(at);
      const std::size_t count = std::min(left.size(), out.size());
      std::memcpy(out.data(), left.data(), count);
      out = out.subspan(count);
      at += count;
      if (count == left.size()) ++i, at = 0;
    }
  };
  return source;
}

std::uint64_t StateFile::Entry::bytes() const {
  std::uint64_t total = 0;
  for (const auto& [rows, columns] : shapes) total += block_bytes(rows, columns);
  return total;
}

StateFile::StateFile(fs::path path, std::string run, std::chrono::duration<double> interval,
                     std::string way)
    : path_(std::move(path)), run_(std::move(run)), way_(std::move(way)), interval_(interval) {
  std::error_code absent;
  if (fs::exists(path_, absent)) read_index();
  resumed_ = !entries_.empty();
  // Fail now, not after an hour, if the path is not writable.
  if (!resumed_) write_atomically(path_, [&](FileSink& sink) { sink.write(first_line()); });
}

std::string StateFile::first_line() const {
  return json{{"format", kFormat}, {"version", kVersion}, {"run", run_}, {"way", way_}}.dump(
             -1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

void StateFile::read_index() {
  std::ifstream in(path_, std::ios::binary);
  if (!in) refuse(path_, "cannot be read");
  const std::uint64_t size = fs::file_size(path_);
  const json head = read_object(in);
  if (!head.is_object() || head.value("format", json()) != kFormat ||
      head.value("version", json()) != kVersion || !head.contains("run")) {
    refuse(path_, "is not the state of a run of this version of stkr");
  }
  if (head["run"] != json::parse(first_line())["run"]) {
    refuse(path_, "is the state of another run (other data, options or version)");
  }
  const json way = head.value("way", json(""));
  if (!way.is_string()) refuse(path_, "is damaged");
  while (in.peek() != std::char_traits<char>::eof()) {
    const json line = read_object(in);
    Entry entry;
    std::string name, checksum;
    try {
      name = line.at("name").get<std::string>();
      checksum = line.at("crc64").get<std::string>();
      for (const json& shape : line.at("shapes")) {
        if (!shape.at(0).is_number_integer() || !shape.at(1).is_number_integer()) {
          refuse(path_, "is damaged");
        }
        const auto rows = shape.at(0).get<Index>(), columns = shape.at(1).get<Index>();
        const auto most = static_cast<Index>(size);
        if (rows < 0 || columns < 0 || rows > most || columns > most ||
            (rows > 0 && columns > most / rows)) {
          refuse(path_, "is damaged");
        }
        entry.shapes.emplace_back(rows, columns);
      }
    } catch (const json::exception&) {
      refuse(path_, "is damaged");
    }
    const auto [end, error] =
        std::from_chars(checksum.data(), checksum.data() + checksum.size(), entry.checksum, 16);
    entry.offset = static_cast<std::uint64_t>(in.tellg());
    if (error != std::errc() || end != checksum.data() + checksum.size() ||
        entry.bytes() > size - entry.offset) {
      refuse(path_, "is damaged");
    }
    in.seekg(static_cast<std::streamoff>(entry.offset + entry.bytes()));
    entries_[name] = std::move(entry);
  }
  if (!entries_.empty()) way_ = way.get<std::string>();
}

Crc64 StateFile::checksum_of(const std::string& name, const Entry& entry) const {
  Crc64 checksum;
  add(way_, checksum);
  add(described(name, entry.shapes).dump(), checksum);
  return checksum;
}

StateFile::Reader::Reader(fs::path path, Crc64 checksum, Entry entry)
    : path_(std::move(path)),
      entry_(std::move(entry)),
      in_(path_, std::ios::binary),
      checksum_(checksum) {
  in_.seekg(static_cast<std::streamoff>(entry_.offset));
}

void StateFile::Reader::read(std::span<std::byte> out) {
  in_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  checksum_.update(out);
}

void StateFile::Reader::check() const {
  if (!in_ || checksum_.value() != entry_.checksum) refuse(path_, "is damaged");
}

std::optional<StateFile::Reader> StateFile::reader(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(name);
  if (at == entries_.end()) return std::nullopt;
  return Reader(path_, checksum_of(name, at->second), at->second);
}

std::optional<std::vector<Matrix>> StateFile::find(const std::string& name, const SharedBlocks&) {
  std::optional<Reader> saved = reader(name);
  if (!saved) return std::nullopt;
  std::vector<Matrix> blocks;
  for (const auto& [rows, columns] : saved->shapes()) {
    Matrix& block = blocks.emplace_back(rows, columns);
    saved->read(
        std::as_writable_bytes(std::span(block.data(), static_cast<std::size_t>(block.size()))));
  }
  saved->check();
  return blocks;
}

void StateFile::save(const std::string& name, std::span<const ConstMatrixRef> blocks,
                     const SharedBlocks&) {
  std::vector<StateSource> sources;
  for (const ConstMatrixRef& block : blocks) sources.push_back(source_of(block));
  save(name, sources);
}

void StateFile::save(const std::string& name, std::span<const StateSource> blocks) {
  const std::lock_guard lock(mutex_);
  Entry fresh;
  for (const StateSource& block : blocks) fresh.shapes.emplace_back(block.rows, block.columns);
  Crc64 checksum = checksum_of(name, fresh);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto& [rows, columns] = fresh.shapes[k];
    checksum.append(blocks[k].checksum.value(), block_bytes(rows, columns));
  }
  fresh.checksum = checksum.value();
  std::map<std::string, Entry, std::less<>> written;
  write_atomically(path_, [&](FileSink& sink) {
    std::uint64_t offset = 0;
    const auto write = [&](std::string_view text) {
      sink.write(text);
      offset += text.size();
    };
    write(first_line());
    std::ifstream old(path_, std::ios::binary);
    std::string part(kPart, '\0');
    for (const auto& [other, entry] : entries_) {
      if (other == name) continue;
      write(entry_line(described(other, entry.shapes), entry.checksum));
      Entry moved = entry;
      moved.offset = offset;
      old.seekg(static_cast<std::streamoff>(entry.offset));
      for (std::uint64_t left = entry.bytes(); left > 0;) {
        const auto count = std::min<std::uint64_t>(left, part.size());
        if (!old.read(part.data(), static_cast<std::streamsize>(count))) refuse(path_, "changed");
        write(std::string_view(part).substr(0, count));
        left -= count;
      }
      written[other] = std::move(moved);
    }
    write(entry_line(described(name, fresh.shapes), fresh.checksum));
    fresh.offset = offset;
    for (const StateSource& block : blocks) {
      for (std::uint64_t left = block_bytes(block.rows, block.columns); left > 0;) {
        const auto count = std::min<std::uint64_t>(left, part.size());
        block.read(std::as_writable_bytes(std::span(part.data(), count)));
        write(std::string_view(part).substr(0, count));
        left -= count;
      }
    }
    written[name] = std::move(fresh);
  });
  entries_ = std::move(written);
  last_ = std::chrono::steady_clock::now();
}

bool StateFile::due() const {
  const std::lock_guard lock(mutex_);
  return std::chrono::steady_clock::now() - last_ >= interval_;
}

void StateFile::remove() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  entries_.clear();
}

}  // namespace stkr
