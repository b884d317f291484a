// Wide tables and long lines of code scroll. Make each of them reachable by keyboard, also after the theme has changed
// them for another width, and give the buttons of each code block a name of their own.
function makeReachable() {
  document.querySelectorAll(".md-typeset__scrollwrap, pre > code").forEach((region) => { region.tabIndex = 0; });
  document.querySelectorAll(".md-code__nav").forEach((nav, index) => nav.setAttribute("aria-label", `Code block ${index + 1}`));
}
for (const event of ["load", "resize"]) window.addEventListener(event, () => setTimeout(makeReachable, 400));
