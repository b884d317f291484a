// Review by keyboard: a and r decide the place, d and e its value in the document, v and x in the job, u takes back.
import { csrf } from "./app.js";
import { ask, isTyping, say } from "./page.js";

const items = [...document.querySelectorAll("#flags > li")];
const byPlace = new Map(items.map((item) => [item.dataset.place, item]));
const sheets = [...document.querySelectorAll(".sheet")];
const onward = document.getElementById("onward");
const paper = document.querySelector(".paper");
const SAID = "decisions"; // what u takes back: the calls of this tab, the last one at the end, never their texts
const MOST_SAID = 500; // calls remembered
let at = -1;

function select(index, focus = true) {
  const item = items[index];
  if (!item) return;
  at = index;
  for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
  item.classList.add("selected");
  for (const sheet of sheets) sheet.hidden = sheet.dataset.page !== item.dataset.page;
  const ahead = sheets[sheets.findIndex((sheet) => !sheet.hidden) + 1]?.querySelector("img");
  if (ahead) ahead.loading = "eager"; // the next page is there before it is asked for
  const rects = document.querySelectorAll(`rect[data-item="${item.id}"]`);
  for (const rect of rects) rect.classList.add("selected");
  if (focus) item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
  show(rects[0]);
}

// A value's own boxes, instead of its block's, once the picture of its page is there.
async function paint(sheet) {
  const frame = sheet.querySelector("svg");
  const answer = await fetch(sheet.dataset.flags).catch(() => null);
  if (!answer?.ok) return;
  for (const found of await answer.json()) {
    const old = frame.querySelector(`rect[data-place="${CSS.escape(found.place)}"]`);
    if (!found.exact || !old) continue;
    for (const [x0, y0, x1, y1] of found.boxes) {
      const rect = old.cloneNode(true);
      for (const [name, value] of Object.entries({ x: x0, y: y0, width: x1 - x0, height: y1 - y0 })) rect.setAttribute(name, value);
      rect.dataset.exact = "";
      frame.append(rect);
    }
    old.remove();
  }
}

for (const sheet of sheets) {
  const picture = sheet.querySelector("img");
  if (picture.complete) paint(sheet);
  else picture.addEventListener("load", () => paint(sheet), { once: true });
}

function show(rect) {
  if (!rect || getComputedStyle(paper).overflowY !== "auto") return;
  const box = rect.getBoundingClientRect(), frame = paper.getBoundingClientRect();
  if (box.top < frame.top || box.bottom > frame.bottom) paper.scrollBy({ top: box.top - frame.top - frame.height / 3 });
}

const isOpen = (item) => !item.classList.contains("done");

async function send(method, url, body) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) }).catch(() => null);
  if (answer?.ok) return answer.json();
  if (answer?.status === 401) location.reload();
  say(answer ? `Not saved: the service answered ${answer.status}.` : "Not saved: the connection failed.");
  return null;
}

const said = () => JSON.parse(sessionStorage.getItem(SAID) ?? "[]");
const remember = (acts) => sessionStorage.setItem(SAID, JSON.stringify(acts.slice(-MOST_SAID)));
const capital = (word) => word[0].toUpperCase() + word.slice(1);

function mark(item, state, word) {
  const chip = item.querySelector(".state");
  chip.className = `state chip ${state}`;
  chip.textContent = state === "pending" && word ? `${capital(word)}, waits for another key` : capital(state);
  chip.hidden = state === "pending" && !word;
  item.classList.toggle("done", !chip.hidden);
}

async function decide(index, decision, wanted) {
  const item = items[index];
  const reach = wanted ?? item?.dataset.reach ?? "place"; // a group of one value is decided as a whole
  if (!item?.querySelector(".decide")) return false;
  const { flag, place, url } = item.dataset;
  const answer = await send("POST", url, { flag, place, decision, apply_to: reach });
  if (!answer) return false;
  for (const one of answer.places) if (byPlace.has(one.place)) mark(byPlace.get(one.place), one.state, decision);
  if (answer.act) remember([...said(), { act: answer.act, path: location.pathname, item: item.id }]);
  count();
  const many = answer.places.length > 1 ? `, ${answer.places.length} places` : "";
  say(`${capital(decision)}: ${item.querySelector(".chip.flag").textContent}${many}`);
  return true;
}

function count() {
  const done = items.filter((item) => !isOpen(item)).length;
  document.getElementById("decided").textContent = done;
  document.querySelector(".review-bar progress").value = done;
}

async function decideAndGoOn(index, decision, reach) {
  if (!(await decide(index, decision, reach))) return;
  const next = [...items.keys()].map((step) => (index + 1 + step) % items.length).find((one) => isOpen(items[one]));
  if (next !== undefined) { select(next); return; }
  if (revisited) { select(index); return; }
  say("All flags of this document are reviewed.");
  setTimeout(() => { location.href = onward.href; }, 400);
}

async function undo() {
  const acts = said(), last = acts.pop();
  if (!last) return;
  const answer = await send("DELETE", `/ui/v1/review/${last.act}`);
  remember(acts);
  if (!answer) return;
  if (last.path !== location.pathname) { location.href = `${last.path}#${last.item}`; return; }
  for (const one of answer.places) if (byPlace.has(one.place)) mark(byPlace.get(one.place), one.state);
  count();
  select(items.findIndex((item) => item.id === last.item));
  say("Undone.");
}

async function approveRest() {
  if (!document.getElementById("rest") || !(await ask("Approve all remaining flags of this document?", "Approve"))) return;
  for (const [index, item] of items.entries()) if (isOpen(item) && !(await decide(index, "approved"))) return;
  location.href = onward.href;
}

for (const [index, item] of items.entries()) {
  item.addEventListener("click", (event) => { if (!event.target.closest("button")) select(index, false); });
  item.querySelector(".decide")?.addEventListener("submit", (event) => {
    event.preventDefault();
    queue = queue.then(() => decideAndGoOn(index, event.submitter.value));
  });
}

let queue = Promise.resolve();
const acts = {
  j: () => select(Math.min(at + 1, items.length - 1)),
  k: () => select(Math.max(at - 1, 0)),
  a: () => decideAndGoOn(at, "approved"),
  r: () => decideAndGoOn(at, "rejected"),
  d: () => decideAndGoOn(at, "approved", "document"),
  e: () => decideAndGoOn(at, "rejected", "document"),
  v: () => decideAndGoOn(at, "approved", "job"),
  x: () => decideAndGoOn(at, "rejected", "job"),
  u: undo,
  n: () => { location.href = onward.href; },
  A: approveRest,
};
document.addEventListener("keydown", (event) => {
  const act = isTyping(event) ? undefined : acts[event.key];
  if (!act) return;
  event.preventDefault();
  queue = queue.then(act); // quick fingers: one decision after the other
});

const named = items.findIndex((item) => item.id === location.hash.slice(1));
const revisited = items.length > 0 && !items.some(isOpen); // nothing waits: whoever comes wants to look or to change
if (items.length) select(named >= 0 ? named : Math.max(0, items.findIndex(isOpen)));
