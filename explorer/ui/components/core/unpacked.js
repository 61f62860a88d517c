/** Bytes that came as text, packed. @param {string} text @returns {Promise<ArrayBuffer>} */
export async function unpacked(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  writer.write(packed);
  writer.close();
  return new Response(readable).arrayBuffer();
}
