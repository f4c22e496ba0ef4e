// Once on a page: whatever is drawn anew around it, it does not play again.
export default ({ data, parentElement }) => {
  if (parentElement.labelcoreRecorded) return;
  const root = Object.assign(document.createElement("div"), { className: "living" });
  const style = Object.assign(document.createElement("style"), { textContent: STYLE });
  root.append(style, made(data.charts));
  parentElement.append(root);
  parentElement.labelcoreRecorded = root;
};
