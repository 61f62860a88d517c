// A message: uint32 length of the JSON header, the header, little-endian float32 (runs/frames.py).
// Behind it may come a picture, packed alike: the last header.picture_bytes of the buffer.

/** @typedef {{shape: number[], values: Float32Array | Float64Array}} Packed numbers, row by row */
/** @typedef {{header: any, arrays: Record<string, Packed>, picture?: Message | null}} Message */

/**
 * What Python gives as bytes, which may lie in the midst of a buffer.
 * @param {Uint8Array} bytes
 */
export const unpackBytes = (bytes) => unpack(Uint8Array.from(bytes).buffer);

/** @type {(buffer: ArrayBuffer, start?: number) => Message} */
export function unpack(buffer, start = 0) {
  const length = new DataView(buffer, start).getUint32(0, true);
  const data = start + 4 + length;
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, start + 4, length)));
  /** @type {Record<string, Packed>} */
  const arrays = {};
  for (const [name, shape, offset] of header.arrays) {
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    arrays[name] = { shape, values: new Float32Array(buffer, data + 4 * offset, count) };
  }
  const size = header.picture_bytes;
  return { header, arrays, picture: size ? unpack(buffer, buffer.byteLength - size) : null };
}
