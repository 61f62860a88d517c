// What a reader predicts, between a picture and what is around it: events at the root of the component.

/** Of the picture, with the `Predicted` as `detail`. */
export const PREDICTED = "explorer-predicted";
/** To the picture, with each `Predicted` of its reader on the pictures before it as `detail`. */
export const RECALLED = "explorer-recalled";
/** To the picture, with what others have drawn as `detail`. */
export const LAID_OVER = "explorer-laid-over";

/**
 * A curve of the `line`th target of the picture: pairs of a width and an error.
 * @typedef {{line: number, pairs: [number, number][]}} Drawn
 * @typedef {Drawn & {subject: string, norm: string}} Predicted of what is swept, in an error of this
 * norm; without pairs, one that is cleared
 */
