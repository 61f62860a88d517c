// A message: uint32 length of the JSON header, the header, little-endian float32 (runs/frames.py).
// Behind it may come a picture, packed alike: the last header.picture_bytes of the buffer.

/** @typedef {{shape: number[], values: Float32Array | Float64Array}} Packed numbers, row by row */
/** @typedef {{header: any, arrays: Record<string, Packed>, picture?: Message | null}} Message */

/** What Python gives as bytes, which may lie in the midst of a buffer. @param {Uint8Array} bytes */
export const unpackBytes = (bytes) => unpack(bytes.slice().buffer);

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

/**
 * What `unpack` reads, of numbers by name, in rows or in their shapes, and behind them a picture, if there is one, as it was packed.
 * @param {Record<string, any>} header
 * @param {Record<string, ArrayLike<number> | Packed>} named
 * @param {Uint8Array} [picture]
 */
export function pack(header, named, picture = new Uint8Array(0)) {
  const shaped = Object.entries(named).map(([name, given]) => ({
    name,
    ...("shape" in given ? given : { shape: [given.length], values: given }),
  }));
  let count = 0;
  const arrays = shaped.map(({ name, shape, values }) => {
    count += values.length;
    return [name, shape, count - values.length];
  });
  const whole = { ...header, arrays, picture_bytes: picture.length || undefined };
  const text = new TextEncoder().encode(JSON.stringify(whole));
  const data = 4 + 4 * Math.ceil(text.length / 4);
  const bytes = new Uint8Array(data + 4 * count + picture.length).fill(32, 0, data);
  new DataView(bytes.buffer).setUint32(0, data - 4, true);
  bytes.set(text, 4);
  const floats = new Float32Array(bytes.buffer, data, count);
  shaped.forEach(({ values }, i) => floats.set(values, Number(arrays[i][2])));
  bytes.set(picture, data + 4 * count);
  return bytes.buffer;
}
