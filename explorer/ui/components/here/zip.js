// A zip whose members are stored as they are (PKWARE's APPNOTE, 4.3).

const EPOCH = 0x21; // 1 January 1980
const NAMED_IN_UTF8 = 0x800;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let rest = -1;
  for (const byte of bytes) rest = TABLE[(rest ^ byte) & 255] ^ (rest >>> 8);
  return ~rest >>> 0;
}

/** Whole numbers of 2 or 4 bytes, the least first. @param {...[size: number, value: number]} fields */
function written(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** @param {Uint8Array} name @param {Uint8Array} bytes @returns {[number, number][]} what both headers of a member say */
const described = (name, bytes) => [
  [2, 20],
  [2, NAMED_IN_UTF8],
  [2, 0],
  [2, 0],
  [2, EPOCH],
  [4, crc32(bytes)],
  [4, bytes.length],
  [4, bytes.length],
  [2, name.length],
  [2, 0],
];

/** @param {Map<string, Uint8Array>} members */
export function zipOf(members) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const list = [];
  let at = 0;
  for (const [text, bytes] of members) {
    const name = new TextEncoder().encode(text);
    const head = written([4, 0x04034b50], ...described(name, bytes));
    parts.push(head, name, bytes);
    const rest = /** @type {[number, number][]} */ ([[2, 0], [2, 0], [2, 0], [4, 0o644 << 16], [4, at]]); // prettier-ignore
    list.push(written([4, 0x02014b50], [2, 20], ...described(name, bytes), ...rest), name);
    at += head.length + name.length + bytes.length;
  }
  const size = list.reduce((sum, { length }) => sum + length, 0);
  const count = members.size;
  const end = written([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]); // prettier-ignore
  return new Blob(/** @type {BlobPart[]} */ ([...parts, ...list, end]), {
    type: "application/zip",
  });
}
