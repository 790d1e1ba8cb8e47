// Lab: what algorithms do under attack, by the production classes under a fake clock.
import { h } from "./dom.js";
import { head, empty } from "./parts.js";

export function labPage() {
  return [
    head("Lab", "The algorithms, tried: every figure comes from the limiter itself under a clock that is turned by hand."),
    h("section", { class: "sheet" }, empty("Nothing is set up here", "Try weir simulate on the command line.")),
  ];
}
