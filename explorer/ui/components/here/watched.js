// The thread of a run that is watched and not taken home.

import { listen } from "./work.js";

listen();
