#pragma once

namespace stkr::report {

// The style sheet of all pages. Blue and orange have a contrast of at least 4.5:1 with the page,
// and a symbol repeats every meaning that they carry.
inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark;
  --page: #fcfcfb; --card: #ffffff; --ink: #1c2127; --soft: #59636e; --line: #e2e5e8;
  --tint: #f1f3f4; --best: #fff0c2; --best-line: #c79500;
  --open: #59636e; --above: #1a5fb4; --below: #b0430a; --alert: #fdf0ea; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171b; --card: #1a1e23; --ink: #e4e7ea; --soft: #9ea8b3; --line: #2e353d;
  --tint: #22272e; --best: #453a14; --best-line: #d3a520;
  --open: #9ea8b3; --above: #84b6f6; --below: #f39a63; --alert: #33231b; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1260px; margin: 0 auto; padding: 48px 24px 72px; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .6em; font-weight: 650;
  text-wrap: balance; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .3em; font-weight: 620; }
h3 { font-size: 1rem; line-height: 1.35; margin: 0 0 .35em; font-weight: 600; }
p, li { max-width: 72ch; }
p { margin: 0 0 .9em; overflow-wrap: anywhere; }
section { margin-top: 52px; }
.soft, figcaption, .legend { color: var(--soft); font-size: .875rem; }
.tally { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 12px; padding: 0; list-style: none;
  font-size: .875rem; font-variant-numeric: tabular-nums; }
.bar { display: flex; gap: 2px; height: 6px; max-width: 420px; margin: 0 0 10px; }
.bar i { border-radius: 3px; min-width: 3px; }
.bar .open { background: var(--line); } .bar .above { background: var(--above); }
.bar .below { background: var(--below); }
.tally .open, td .open { color: var(--open); }
.tally .above, td .above { color: var(--above); }
.tally .below, td .below { color: var(--below); }
.scroll { overflow-x: auto; overscroll-behavior-x: contain; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
.scroll:focus-visible { outline: 2px solid var(--above); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .875rem;
  line-height: 1.35; font-variant-numeric: tabular-nums lining-nums; }
th, td { padding: 8px 5px; text-align: right; white-space: nowrap; vertical-align: top; }
th { font-weight: 600; }
thead th { border-bottom: 1px solid var(--line); color: var(--soft); vertical-align: bottom;
  white-space: normal; padding-right: calc(5px + .875em); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tr > :first-child { position: sticky; left: 0; z-index: 1; text-align: left; background: var(--card);
  box-shadow: 1px 0 0 var(--line); padding-left: 14px; }
tbody tr:hover > td { background: var(--tint); }
tr.group > th { position: static; background: var(--tint); box-shadow: none; font-size: .8125rem;
  padding-top: 5px; padding-bottom: 5px; letter-spacing: .02em; }
tr.group span { position: sticky; left: 14px; }
.v { display: inline-grid; grid-template-columns: auto 3.15em 1em; align-items: baseline; }
.v .m { justify-self: end; padding: 0 .3em; margin-right: -.1em; border-radius: 4px; border: 1px solid transparent; }
.v .s { color: var(--soft); font-size: .8125rem; }
.v .k { font-size: .75rem; text-align: right; }
.v .p { color: var(--soft); font-size: .75rem; padding: 0 .43em 0 0; }
.v .p + .s { font-size: .75rem; }
.v .d { grid-column: 1 / -1; font-size: .75rem; padding-right: 1.17em; }
.first { background: var(--best); font-weight: 700; }
.v .first { border-color: var(--best-line); }
.v .second { border: 1px dashed var(--best-line); font-weight: 600; }
.n { display: block; max-width: 9.5em; margin: 1px 1em 0 auto; line-height: 1.25; white-space: normal; color: var(--soft);
  font-size: .75rem; font-style: italic; }
table.plain td { text-align: left; white-space: normal; padding-right: 14px; }
table.plain th { padding-right: 14px; } table.plain td, table.plain th + th { padding-left: 14px; } table.plain thead th { text-align: left; }
table.plain tbody th { white-space: nowrap; font-weight: 600; }
.note { color: var(--soft); font-size: .875rem; margin: 10px 0 0; }
table.shares td { min-width: 132px; padding-left: 12px; } table.shares th, table.shares td { padding-right: 18px; }
table.shares tbody th { max-width: 34ch; overflow: hidden; text-overflow: ellipsis; }
.share { display: grid; grid-template-columns: minmax(54px, 1fr) 4.2em; gap: 8px; align-items: center; }
.share i { height: 9px; border-radius: 3px; background: var(--above); min-width: 1px; }
.share i.none { background: none; }
table.confusion { width: auto; } table.confusion td, table.confusion th { text-align: center; padding: 6px 9px; }
table.confusion tbody th, table.confusion thead th:first-child { text-align: left; }
table.confusion th { max-width: 22ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
table.confusion thead th + th { max-width: 9ch; padding-right: 9px; }
table.confusion td.right { font-weight: 700; } table.confusion td.zero { color: var(--soft); }
table.confusion td.right { background: color-mix(in srgb, var(--above) calc(var(--a) * 1%), var(--card)); }
table.confusion td.wrong { background: color-mix(in srgb, var(--below) calc(var(--a) * 1%), var(--card)); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 210px), 1fr)); gap: 12px;
  margin: 12px 0 0; padding: 0; list-style: none; }
.cards li { display: flex; gap: 12px; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 10px 12px; font-size: .875rem; line-height: 1.4; min-width: 0; max-width: none; }
.cards img { width: 56px; height: 56px; object-fit: contain; image-rendering: pixelated; border-radius: 4px; flex: none; }
.cards div { min-width: 0; overflow-wrap: anywhere; } .cards b { display: block; font-weight: 620; }
.cards .soft { font-size: .8125rem; }
.legend { margin: 10px 0 0; max-width: none; display: flex; flex-wrap: wrap; gap: 4px 22px; }
.legend b { font-weight: 600; color: var(--ink); }
.legend .chip { display: inline-block; padding: 0 .4em; border-radius: 4px; color: var(--ink);
  border: 1px solid var(--best-line); line-height: 1.4; }
.legend .chip.dashed { border-style: dashed; }
.figures { margin-top: 14px; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr));
  gap: 24px; }
figure { margin: 0; padding: 18px 18px 14px; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
.plot { overflow-x: auto; }
figure svg { display: block; margin: 0 auto; }
figure svg g, figure svg text { font-family: inherit; }
figcaption { margin-top: 10px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 24px; margin: 0;
  font-size: .9375rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
ul.list { margin: 0; padding-left: 1.2em; } ul.list li { margin-bottom: .35em; overflow-wrap: anywhere; }
.alert { background: var(--alert); border-left: 4px solid var(--below); border-radius: 6px;
  padding: 16px 20px 10px; margin-top: 32px; }
@media (max-width: 640px) { table.shares tbody th, table.confusion tbody th { max-width: 13ch; }
  table.plain td { min-width: 8ch; } table.plain td, table.plain th + th { padding: 8px 8px 8px 10px; } table.shares td { min-width: 104px; } main { padding: 28px 16px 48px; } h1 { font-size: 1.6rem; }
  section { margin-top: 40px; } figure { padding: 12px 10px; }
  tr > :first-child { padding-left: 10px; } tr.group span { left: 10px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 10px; } }
@media print { .scroll { overflow: visible; } section, figure { break-inside: avoid; } }
)css";

}  // namespace stkr::report
