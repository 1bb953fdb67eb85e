#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stkr::report {

// The parts of which pages are made. Every text is escaped.

// Everything up to the title, which is also the heading; end_page() closes what it opens.
std::string begin_page(std::string_view title);
std::string end_page();

std::string paragraph(std::string_view text);
std::string list(const std::vector<std::string>& items);
std::string section(std::string_view title, const std::string& html);  // empty if html is
// A box for what the reader should see first; empty without items.
std::string alert(std::string_view title, const std::vector<std::string>& items);

// Names and values; empty without any.
using Facts = std::vector<std::pair<std::string, std::string>>;
std::string facts_list(const Facts& facts);

// A box that scrolls if its table is wider than the page.
std::string scrolling(std::string_view title, const std::string& table);
// A table of texts with its header in the first row; empty if there is no other row.
std::string text_table(std::string_view title, const std::vector<std::vector<std::string>>& rows);

struct ReportFigure {
  std::string title{};
  std::string caption{};
  std::string svg{};  // an <svg> element of render_svg: the only text that is not escaped
  bool wide = false;  // uses the full page width, for large grids
};
std::string figures_list(const std::vector<ReportFigure>& figures);  // empty without any

}  // namespace stkr::report
