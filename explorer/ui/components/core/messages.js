// A message: uint32 length of the JSON header, the header, little-endian float32 (runs/frames.py).

/** @typedef {{shape: any, values: any}} Packed an array of numbers, row by row */

/** @returns {{header: any, arrays: Record<string, Packed>}} */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, shape, offset] of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays[name] = { shape, values: new Float32Array(buffer, 4 + length + 4 * offset, count) };
  }
  return { header, arrays };
}
