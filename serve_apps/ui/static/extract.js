// Values and their boxes: a value marks its boxes, a box fills the form that corrects a value. Wanted values are dragged.
const rows = [...document.querySelectorAll("#values [data-path]")];
const rects = [...document.querySelectorAll(".leaf rect, .texts [data-block]")];
const paper = document.querySelector(".paper");
const form = document.getElementById("correct");

function mark(row) {
  for (const old of document.querySelectorAll("#values .hit")) old.classList.remove("hit");
  for (const rect of rects) rect.classList.remove("hit");
  row.classList.add("hit");
  const held = JSON.parse(row.dataset.places).map((place) => `${place.block_id} ${place.cell ?? ""}`);
  const found = rects.filter((rect) => held.includes(`${rect.dataset.block} ${rect.dataset.cell}`));
  for (const rect of found) rect.classList.add("hit");
  const box = found[0]?.getBoundingClientRect(), frame = paper.getBoundingClientRect();
  if (box && (box.top < frame.top || box.bottom > frame.bottom)) paper.scrollBy({ top: box.top - frame.top - frame.height / 3 });
  return found.length > 0;
}

for (const row of rows) {
  row.addEventListener("click", (event) => {
    const here = mark(row); // a link to another page is followed
    if (here && event.target.closest("a.evidence")) event.preventDefault();
    const option = form && [...form.elements.path.options].find((one) => one.value === row.dataset.path);
    if (option) option.selected = true;
  });
}

for (const rect of form ? rects : []) {
  rect.addEventListener("click", () => {
    for (const old of rects) old.classList.remove("selected");
    rect.classList.add("selected");
    form.closest("details").open = true;
    form.elements.block.value = `${rect.dataset.block} ${rect.dataset.cell}`.trim();
    form.elements.text.value = "";
    form.elements.text.placeholder = rect.dataset.text.slice(0, 200);
    form.elements.text.focus();
  });
}

const chosen = rows.find((row) => row.classList.contains("hit"));
if (chosen) mark(chosen);

const wanted = document.querySelector(".wanted");
let dragged = null;
wanted?.addEventListener("dragstart", (event) => { dragged = event.target.closest("li"); });
wanted?.addEventListener("dragover", (event) => {
  const over = event.target.closest("li");
  if (!dragged || !over) return;
  event.preventDefault();
  const box = over.getBoundingClientRect();
  if (over !== dragged) over[event.clientY > box.top + box.height / 2 ? "after" : "before"](dragged);
});
wanted?.addEventListener("dragend", () => { dragged = null; });
