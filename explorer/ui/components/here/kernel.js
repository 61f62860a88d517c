// The kernel (engine/kernel/kernel.c) in this thread: one model in memory of its own. What it tells are numbers in that
// memory.

const aligned = (/** @type {number} */ at) => Math.ceil(at / 64) * 64;
const PAGE = 65536;

export class Kernel {
  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} settings as engine/settings.py lays them out
   * @param {Float32Array} numbers of the coupling
   */
  constructor(module, settings, numbers) {
    /** @type {any} */
    this.exports = new WebAssembly.Instance(module).exports;
    this.free = aligned(this.exports.__heap_base.value);
    const at = this.room(settings.length);
    new Uint8Array(this.exports.memory.buffer, at, settings.length).set(settings);
    this.model = this.exports.begin(at, this.room(this.exports.bytes_of(at)));
    this.floats("numbers_of", numbers.length).set(numbers);
    this.call("start");
  }

  /** Memory that is 0 and nobody else's. @param {number} size in bytes */
  room(size) {
    const at = this.free;
    this.free = aligned(at + size);
    const { memory } = this.exports;
    const lacking = this.free - memory.buffer.byteLength;
    if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
    return at;
  }

  /** What a function of the model returns. @param {string} name @param {...number} values @returns {number} */
  call(name, ...values) {
    return this.exports[name](this.model, ...values);
  }

  /** So many numbers where a function of the model points. @param {string} name @param {number} count @param {...number} values */
  floats(name, count, ...values) {
    return new Float32Array(this.exports.memory.buffer, this.call(name, ...values), count);
  }
}
