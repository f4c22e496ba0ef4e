const render = ({ model, el }) => {
  const answer = Object.assign(document.createElement("p"), { className: "lc-sentence" });
  el.classList.add("lc-notebook");
  // The notebook's own keys are not for who labels, and keys of other cells no answers.
  el.dataset.lmSuppressShortcuts = "true";
  el.labelcoreKeys = el;
  const show = () => {
    const data = model.get("data");
    const end = drawn({
      data,
      parentElement: el,
      setTriggerValue: (_, press) => model.send(press)
    });
    answer.textContent = data.sentence;
    el.append(answer);
    return end;
  };
  model.on("change:data", show);
  const end = show();
  return () => {
    model.off("change:data", show);
    end();
  };
};

export default { render };
