// Without this script all functions are listed; with it, those of the box that was followed.
document.documentElement.classList.add("js");

// Makes the heads of all columns buttons that sort their table.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.order ?? row.cells[column].textContent;
      const number = head.classList.contains("number");
      const compare = (a, b) => (number ? key(a) - key(b) : key(a).localeCompare(key(b), "en", { numeric: true }));
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      table.tBodies[0].append(...rows);
    });
  });
}

// Links to what is known of a box show it beside the drawing, which stays where it is.
for (const link of document.querySelectorAll('a[href^="#n"]')) {
  link.addEventListener("click", (event) => {
    const detail = document.getElementById(link.getAttribute("href").slice(1));
    if (!detail) return;
    event.preventDefault();
    for (const other of document.querySelectorAll(".detail.shown")) other.classList.remove("shown");
    detail.classList.add("shown");
    detail.scrollIntoView({ block: "nearest" });
    const code = (detail.dataset.code ?? "").split(" ");
    for (const block of document.querySelectorAll("details.code")) block.open = code.includes(block.id);
  });
}

function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

// A click on the heading of a section folds it.
for (const heading of document.querySelectorAll("section > h2")) {
  const fold = button(heading.textContent, "", () => {
    const folded = heading.parentElement.classList.toggle("folded");
    fold.setAttribute("aria-expanded", String(!folded));
  });
  fold.setAttribute("aria-expanded", "true");
  heading.replaceChildren(fold);
}

// Marks the boxes whose description has the words, and fades the others; Enter goes from one to the next.
function findField(svg) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "find a layer";
  field.setAttribute("aria-label", "find a layer");
  const boxes = [...svg.querySelectorAll("a")];
  let found = [];
  let at = 0;
  field.addEventListener("input", () => {
    const words = field.value.trim().toLowerCase();
    found = words ? boxes.filter((box) => box.querySelector("title").textContent.toLowerCase().includes(words)) : [];
    for (const box of boxes) {
      box.classList.toggle("found", found.includes(box));
      box.classList.toggle("faded", words !== "" && !found.includes(box));
    }
    at = 0;
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || found.length === 0) return;
    const box = found[at++ % found.length];
    box.scrollIntoView({ block: "center", inline: "center" });
    box.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  });
  return field;
}

// Offers the drawing as a file.
function download(svg, name) {
  const link = document.createElement("a");
  const text = new XMLSerializer().serializeToString(svg);
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = name.replace(/[^\w.-]+/g, "_") + ".svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Drawings have tools: sizes, a search where there are boxes, and the drawing as a file.
for (const drawing of document.querySelectorAll(".drawing")) {
  const svg = drawing.querySelector("svg");
  if (!svg) continue;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  let scale = 1;
  const zoom = (to) => {
    scale = Math.min(Math.max(to, 0.1), 8);
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  };
  const room = () => svg.parentElement.clientWidth - 12;
  const heading = drawing.closest("section").querySelector("h2").textContent;
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(
    button("−", "smaller", () => zoom(scale / 1.25)),
    button("+", "larger", () => zoom(scale * 1.25)),
    button("as wide as the window", "", () => zoom(room() / width)),
    button("download SVG", "", () => download(svg, document.title + " " + heading)),
  );
  if (svg.querySelector("a")) tools.prepend(findField(svg));
  drawing.prepend(tools);
}
