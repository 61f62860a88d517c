// The button of the About dialog, and the card that explains a dotted word wherever it stands: in a
// text of the page, where it is a link to #term-…, or in a component, as data-term of an element.

import { mounted } from "../core/mount.js";
import { Card } from "./card.js";

export default mounted(Card);
