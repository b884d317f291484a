// A document's page: blocks and boxes select each other, keys turn pages, the picture grows and shrinks.
import { isTyping } from "./page.js";

const items = () => [...document.querySelectorAll("#blocks > [data-block]")];

function select(item, { focus = false, scroll = true } = {}) {
  if (!item) return;
  for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
  for (const one of document.querySelectorAll(`[data-block="${CSS.escape(item.dataset.block)}"]`)) one.classList.add("selected");
  if (focus) item.focus({ preventScroll: true });
  if (scroll) item.scrollIntoView({ block: "nearest" });
  show(document.querySelector("rect.selected"));
}

/** Brings a box into the part of the picture that is seen, without moving the page. */
function show(rect) {
  const paper = document.querySelector(".paper");
  if (!rect || getComputedStyle(paper).overflowY !== "auto") return;
  const box = rect.getBoundingClientRect(), frame = paper.getBoundingClientRect();
  if (box.top < frame.top + 50 || box.bottom > frame.bottom) paper.scrollBy({ top: box.top - frame.top - frame.height / 3 });
}

document.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-block]");
  if (!chosen || event.target.closest("a:not(:has(rect)), button")) return;
  const onPicture = chosen.matches("rect"), item = items().find((one) => one.dataset.block === chosen.dataset.block);
  if (onPicture) event.preventDefault();
  select(item ?? chosen, { focus: onPicture && item !== undefined, scroll: onPicture });
});

let size = Number(sessionStorage.getItem("zoom") ?? 0);
function zoom(step) {
  size = Math.max(-3, Math.min(6, size + step));
  sessionStorage.setItem("zoom", size);
  for (const leaf of document.querySelectorAll(".leaf")) leaf.style.width = `${100 + 25 * size}%`;
}

/** Makes the picture as wide as its room, or as high, so that the whole page is seen. */
function fit(how) {
  const leaf = document.querySelector(".leaf"), paper = document.querySelector(".paper"), image = leaf?.querySelector("img") ?? leaf?.querySelector("svg")?.viewBox.baseVal;
  if (!image) return;
  const room = leaf.parentElement.clientWidth, height = Math.max(240, Math.min(paper.clientHeight || innerHeight, innerHeight) - 72);
  const share = how === "page" ? Math.min(1, height * image.width / image.height / room) : 1;
  size = 4 * (share - 1);
  sessionStorage.setItem("zoom", size);
  leaf.style.width = `${100 * share}%`;
}

const turn = (way) => document.querySelector(`.pager a[rel=${way}]`)?.click();
const acts = {
  j: () => step(1),
  k: () => step(-1),
  ArrowLeft: () => turn("prev"),
  ArrowRight: () => turn("next"),
  b: () => document.getElementById("boxes")?.click(),
  "+": () => zoom(1),
  "-": () => zoom(-1),
  w: () => fit("width"),
  p: () => fit("page"),
};
function step(by) {
  const all = items(), at = all.findIndex((item) => item.classList.contains("selected"));
  select(all[Math.max(0, Math.min(at + by, all.length - 1))], { focus: true });
}
document.addEventListener("keydown", (event) => {
  if (isTyping(event) || !acts[event.key] || event.target.closest(".table, pre") && event.key.startsWith("Arrow")) return;
  event.preventDefault();
  acts[event.key]();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-zoom]");
  if (button) zoom(Number(button.dataset.zoom));
  const fitting = event.target.closest("[data-fit]");
  if (fitting) fit(fitting.dataset.fit);
});

document.addEventListener("change", (event) => {
  if (event.target.name === "shown") sessionStorage.setItem("shown", event.target.id);
});

function begin() {
  const shown = document.getElementById(sessionStorage.getItem("shown") ?? "");
  if (shown?.name === "shown") shown.checked = true;
  const tools = document.querySelector(".tools");
  if (tools) tools.hidden = false;
  if (size) zoom(0);
  const marked = document.querySelector("rect.hit");
  if (marked) show(marked);
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.dataset.block) select(named);
}
document.addEventListener("htmx:afterSettle", begin);
begin();
