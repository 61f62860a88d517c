// The thread of a run that its reader may take home as a zip.

import { archiveOf } from "./archive.js";
import { listen } from "./work.js";

listen(async (training, created) => {
  try {
    postMessage({ said: "zip", zip: await archiveOf(training, created) });
  } catch (error) {
    postMessage({ said: "zip", why: /** @type {Error} */ (error).message });
  }
});
