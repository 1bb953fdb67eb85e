#include "report/html_parts.hpp"

#include <fmt/format.h>

#include "report/html_style.hpp"
#include "report/svg.hpp"

namespace stkr::report {
namespace {

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n";

}  // namespace

std::string begin_page(std::string_view title) {
  const std::string text = escape_markup(title);
  return kHead +
         fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
                     text, kHtmlStyle, text);
}

std::string end_page() { return "</main>\n</body>\n</html>\n"; }

std::string paragraph(std::string_view text) {
  return fmt::format("<p>{}</p>\n", escape_markup(text));
}

std::string list(const std::vector<std::string>& items) {
  std::string html = "<ul class=\"list\">\n";
  for (const std::string& item : items) html += fmt::format("<li>{}</li>\n", escape_markup(item));
  return html + "</ul>\n";
}

std::string section(std::string_view title, const std::string& html) {
  if (html.empty()) return {};
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escape_markup(title), html);
}

std::string alert(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  return fmt::format("<div class=\"alert\" role=\"alert\">\n<h2>{}</h2>\n{}</div>\n",
                     escape_markup(title), list(items));
}

std::string facts_list(const Facts& facts) {
  if (facts.empty()) return {};
  std::string html = "<dl>\n";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_markup(name), escape_markup(value));
  }
  return html + "</dl>\n";
}

std::string scrolling(std::string_view title, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n",
      escape_markup(title), table);
}

std::string text_table(std::string_view title, const std::vector<std::vector<std::string>>& rows) {
  if (rows.size() < 2) return {};
  std::string html = "<table class=\"plain\">\n<thead><tr>";
  for (const std::string& cell : rows.front()) {
    html += fmt::format("<th scope=\"col\">{}</th>", escape_markup(cell));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    html += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      html += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape_markup(rows[r][c]))
                     : fmt::format("<td>{}</td>", escape_markup(rows[r][c]));
    }
    html += "</tr>\n";
  }
  return scrolling(title, html + "</tbody>\n</table>\n");
}

std::string figures_list(const std::vector<ReportFigure>& figures) {
  if (figures.empty()) return {};
  std::string html = "<div class=\"figures\">\n";
  for (const ReportFigure& figure : figures) {
    html += figure.wide ? "<figure class=\"wide\">\n" : "<figure>\n";
    if (!figure.title.empty()) html += fmt::format("<h3>{}</h3>\n", escape_markup(figure.title));
    html += fmt::format("<div class=\"plot\">{}</div>", figure.svg);
    if (!figure.caption.empty()) {
      html += fmt::format("\n<figcaption>{}</figcaption>", escape_markup(figure.caption));
    }
    html += "\n</figure>\n";
  }
  return html + "</div>\n";
}

}  // namespace stkr::report
