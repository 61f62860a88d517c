// A WebSocket of this server, which is opened again whenever it was lost.

const AGAIN = [500, 8000]; // milliseconds until it is opened once more: first, at most

/** Whether the server has said that what is asked for cannot be had (ui/live.py). @param {number} code */
const isFinal = (code) => code >= 4400 && code < 4500;

export class Line {
  /** @type {WebSocket | null} */
  socket = null;
  wait = AGAIN[0];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /**
   * @param {string} push the address, beside that of the page
   * @param {(data: any) => void} receive takes the data of a message
   * @param {(reason: string, isFinal: boolean) => void} [lost] hears of the end of a socket
   */
  constructor(push, receive, lost = () => {}) {
    this.receive = receive;
    this.lost = lost;
    this.url = new URL(push, window.location.href);
    this.url.protocol = this.url.protocol.replace("http", "ws");
    this.open();
  }

  open() {
    const socket = (this.socket = new WebSocket(this.url));
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      this.wait = AGAIN[0];
      this.receive(data);
    };
    socket.onclose = (event) => this.socket === socket && this.closed(event);
  }

  closed(/** @type {CloseEvent} */ { code, reason }) {
    this.lost(reason, isFinal(code));
    if (isFinal(code)) return;
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(AGAIN[1], 2 * this.wait);
  }

  get isOpen() {
    return this.socket?.readyState === 1;
  }

  /** What is said while the line is down is not heard. @param {string} text */
  send(text) {
    if (this.isOpen) this.socket?.send(text);
  }

  close() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}
