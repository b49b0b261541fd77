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
  });
}
