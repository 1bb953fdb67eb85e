#include "report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/svg.hpp"

namespace stkr::report {
namespace {

constexpr const char* kMissing = "–";

// How our mean compares with the paper's.
struct Standing {
  const char* style;
  const char* symbol;
  const char* words;
};
constexpr Standing kAbove = {"above", "▲", "above the paper"};
constexpr Standing kBelow = {"below", "▼", "below the paper"};
constexpr Standing kOpen = {"open", "○", "no significant difference: the interval contains 0"};

const Standing* standing(const ReportCell& cell) {
  if (!cell.low || !cell.high) return nullptr;
  return *cell.low > 0.0 ? &kAbove : *cell.high < 0.0 ? &kBelow : &kOpen;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : kMissing;
}

std::string deviation(const std::optional<double>& value) {
  // Three digits: more would overlap the neighboring text.
  return value ? fmt::format("±{:.{}f}", *value, *value < 9.995 ? 2 : 1) : "";
}

// Uses a minus sign, not a hyphen, so that the line does not break after it.
std::string with_minus(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos;) {
    text.replace(at, 1, "−");
  }
  return text;
}

std::string difference_text(const ReportCell& cell) {
  std::string text = fmt::format("{:+.1f}", *cell.difference);
  if (cell.low && cell.high) text += fmt::format(" [{:.1f}, {:.1f}]", *cell.low, *cell.high);
  return with_minus(text);
}

std::string render_cell(const ReportCell& cell, int usual_seeds) {
  const Standing* place = standing(cell);
  const char* rank = cell.rank == 1 ? " first" : cell.rank == 2 ? " second" : "";
  std::string html = fmt::format(
      "<td{}><span class=\"v\"><span class=\"m{}\">{}</span><span class=\"s\">{}</span>",
      cell.seeds > 0 ? fmt::format(" title=\"{} seed{}\"", cell.seeds, cell.seeds == 1 ? "" : "s")
                     : "",
      rank, number(cell.mean), cell.mean ? deviation(cell.std) : "");
  html += place != nullptr && place != &kOpen
              ? fmt::format("<span class=\"k {}\" role=\"img\" aria-label=\"{}\">{}</span>",
                            place->style, place->words, place->symbol)
              : "<span class=\"k\"></span>";
  if (cell.paper_mean) {
    html += fmt::format("<span class=\"p\">{}</span><span class=\"s\">{}</span><span></span>",
                        number(cell.paper_mean), deviation(cell.paper_std));
  }
  if (cell.difference) {
    html += fmt::format("<span class=\"d {}\">{}</span>", place != nullptr ? place->style : "open",
                        difference_text(cell));
  }
  html += "</span>";
  if (cell.mean && cell.seeds > 0 && cell.seeds < usual_seeds) {
    html += fmt::format("<span class=\"n\">{} of {} seeds</span>", cell.seeds, usual_seeds);
  }
  if (!cell.note.empty()) {
    html += fmt::format("<span class=\"n\">{}</span>", escape_markup(cell.note));
  }
  return html + "</td>";
}

// How often each outcome occurs, as text and as a bar.
std::string render_tally(const ReportTable& table) {
  std::string words, bar;
  int compared = 0;
  for (const Standing* kind : {&kAbove, &kBelow, &kOpen}) {
    int count = 0;
    for (const ReportRow& row : table.rows) {
      if (!row.counted) continue;
      count += static_cast<int>(std::count_if(row.cells.begin(), row.cells.end(),
                                              [&](const auto& c) { return standing(c) == kind; }));
    }
    compared += count;
    words += fmt::format("<li><span class=\"{}\">{}</span> {} {}</li>", kind->style, kind->symbol,
                         count, kind->words);
    if (count > 0) bar += fmt::format("<i class=\"{}\" style=\"flex:{}\"></i>", kind->style, count);
  }
  if (compared == 0) return {};
  return fmt::format(
      "<ul class=\"tally\">{}</ul>\n<div class=\"bar\" aria-hidden=\"true\">{}</div>\n", words,
      bar);
}

// Only the symbols that occur in the table.
std::string render_legend(const ReportTable& table) {
  bool deviation_shown = false, paper = false, difference = false, best = false, second = false;
  for (const ReportRow& row : table.rows) {
    for (const ReportCell& cell : row.cells) {
      deviation_shown |= cell.std.has_value();
      paper |= cell.paper_mean.has_value();
      difference |= cell.low.has_value();
      best |= cell.rank == 1;
      second |= cell.rank == 2;
    }
  }
  std::string html;
  if (deviation_shown) html += "<span>mean ± sample standard deviation over the seeds</span>";
  if (paper) html += "<span>small print: the paper</span>";
  if (difference) html += "<span>below: our mean minus the paper's, with its 95% interval</span>";
  if (best) {
    html += fmt::format("<span><b class=\"chip first\">00.00</b> best {}</span>",
                        escape_markup(table.ranked));
  }
  if (second) html += "<span><b class=\"chip dashed\">00.00</b> second best</span>";
  return fmt::format("<div class=\"legend\">{}</div>\n", html);
}

std::string render_table(const ReportTable& table) {
  int usual_seeds = 0;
  for (const ReportRow& row : table.rows) {
    for (const ReportCell& cell : row.cells) usual_seeds = std::max(usual_seeds, cell.seeds);
  }
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n", escape_markup(table.title));
  if (!table.caption.empty()) {
    html += fmt::format("<p class=\"soft\">{}</p>\n", escape_markup(table.caption));
  }
  html += render_tally(table);
  html += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n"
      "<thead><tr><th scope=\"col\">{}</th>",
      escape_markup(table.title), escape_markup(table.row_head));
  for (const std::string& head : table.column_heads) {
    html += fmt::format("<th scope=\"col\">{}</th>", escape_markup(head));
  }
  html += "</tr></thead>\n<tbody>\n";
  std::string group;
  for (const ReportRow& row : table.rows) {
    if (row.group != group && !row.group.empty()) {
      html += fmt::format(
          "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>\n",
          table.column_heads.size() + 1, escape_markup(row.group));
    }
    group = row.group;
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_markup(row.label));
    for (const ReportCell& cell : row.cells) html += render_cell(cell, usual_seeds);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n" + render_legend(table) + "</section>\n";
}

}  // namespace

std::string render_html(const Report& report) {
  std::string html = begin_page(report.title);
  for (const std::string& text : report.intro) html += paragraph(text);
  html += alert("Failures", report.failures);
  for (const ReportTable& table : report.tables) html += render_table(table);
  html += section("Figures", figures_list(report.figures));
  if (!report.notes.empty()) html += section("Notes", list(report.notes));
  html += section("How this page was made", facts_list(report.facts));
  return html + end_page();
}

}  // namespace stkr::report
