// A message: uint32 length of the JSON header, the header, little-endian float32 (runs/frames.py).
// Behind it may come a picture, packed alike: the last header.picture_bytes of the buffer.

/** @typedef {{shape: any, values: any}} Packed an array of numbers, row by row */
/** @typedef {{header: any, arrays: Record<string, Packed>, picture?: Message | null}} Message */

/** @returns {Message} */
export function unpack(buffer, start = 0) {
  const length = new DataView(buffer, start).getUint32(0, true);
  const data = start + 4 + length;
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, start + 4, length)));
  const arrays = {};
  for (const [name, shape, offset] of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays[name] = { shape, values: new Float32Array(buffer, data + 4 * offset, count) };
  }
  const size = header.picture_bytes;
  return { header, arrays, picture: size ? unpack(buffer, buffer.byteLength - size) : null };
}
