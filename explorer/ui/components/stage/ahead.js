// The step that will be wanted next, drawn while nothing else is to be done.

/** @import { Shown } from "./card.js" */
/** @import { Place } from "./place.js" */

/** The room that a picture has: another one, and it has to be drawn anew. */
const roomOf = (/** @type {Shown} */ { place: { clientWidth, clientHeight } }) =>
  `${clientWidth} ${clientHeight}`;

const same = (/** @type {Place} */ a, /** @type {Place} */ b) =>
  a.scene === b.scene && a.step === b.step;

export class Ahead {
  /** @type {{place: Place, picture: Shown, room: string} | null} */
  drawn = null;

  /** @param {(place: Place, data: Uint8Array) => Shown} make */
  constructor(make) {
    this.make = make;
  }

  /** @param {Place} place @param {Uint8Array} data */
  prepare(place, data) {
    this.drop();
    const picture = this.make(place, data);
    this.drawn = { place, picture, room: roomOf(picture) };
  }

  /** The picture of a step, where it is the one that was expected. @param {Place} place */
  take(place) {
    const { drawn } = this;
    if (!drawn || !same(drawn.place, place) || drawn.room !== roomOf(drawn.picture)) {
      this.drop();
      return null;
    }
    this.drawn = null;
    return drawn.picture;
  }

  drop() {
    this.drawn?.picture.remove();
    this.drawn = null;
  }
}
