// What a reader predicts, between a picture and what is around it: events at the root of the component.

/** Of the picture, with the `Drawn` as `detail`. */
export const PREDICTED = "explorer-predicted";
/** To the picture, with what others have drawn as `detail`. */
export const LAID_OVER = "explorer-laid-over";

/**
 * A curve of the `line`th target of the picture: pairs of a width and an error.
 * @typedef {{line: number, pairs: [number, number][]}} Drawn
 */
