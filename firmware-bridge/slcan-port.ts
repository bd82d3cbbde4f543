/** A serial port with an SLCAN adapter. If sending is not allowed, it refuses commands that send on the bus. */
import { SerialPort } from 'serialport';
import type { SlcanAnswer } from '#codec/slcan.ts';

/** Matches commands that send a frame, and `O`, after which the adapter itself sends acknowledgements and error frames on the bus. */
const SENDS = /^[tTrRdDbBxXoO]/;
const ANSWER_MS = 500;
/**
 * Before the port closes, it waits until the adapter has accepted the close command, but at most this many milliseconds. Without this
 * limit, an adapter that accepts no data would prevent the bridge from stopping.
 */
const CLOSE_MS = 320;

export type Reply = 'ok' | 'refused' | 'silent';

export interface SlcanPortOptions {
  readonly onData: (chunk: Buffer) => void;
  /** Called once when an open port has closed or failed. */
  readonly onGone: () => void;
  readonly onError: (message: string) => void;
}

export class SlcanPort {
  sendingAllowed = false;
  /** True after the adapter has answered a command since the port was opened. */
  answered = false;
  /** The time at which the last bytes arrived, in milliseconds of `performance.now()`. */
  received_ms = 0;
  private port: SerialPort | undefined;
  private waiting: ((reply: Reply) => void) | undefined;
  private readonly options: SlcanPortOptions;

  constructor(options: SlcanPortOptions) {
    this.options = options;
  }

  get isOpen(): boolean {
    return this.port !== undefined;
  }

  /** Opens the port. If `isWanted` returns false afterwards (the source was disposed in the meantime), it closes the port again. */
  async open(path: string, baudRate: number, isWanted: () => boolean): Promise<void> {
    const port = new SerialPort({ path, baudRate, autoOpen: false, lock: true, highWaterMark: 1 << 16 });
    await new Promise<void>((done, failed) => port.open((error) => (error ? failed(error) : done())));
    if (!isWanted()) {
      port.close();
      return;
    }
    this.answered = false;
    port.on('data', (chunk: Buffer) => {
      this.received_ms = performance.now();
      this.options.onData(chunk);
    });
    port.on('close', () => this.gone(port));
    port.on('error', (error) => {
      this.options.onError(error.message);
      if (port.isOpen) port.close();
      this.gone(port);
    });
    this.port = port;
  }

  private gone(port: SerialPort): void {
    if (this.port !== port) return;
    this.port = undefined;
    this.cancel();
    this.options.onGone();
  }

  /** Writes a command to the adapter; no other code writes to it. Throws if the command sends on the bus and sending is not allowed. */
  write(command: string): void {
    if (SENDS.test(command) && !this.sendingAllowed)
      throw new Error(`the command ${command} sends on the bus, but sending is not allowed`);
    if (this.port?.isOpen) this.port.write(`${command}\r`, 'latin1');
  }

  /** Sends a command; resolves with the answer of the adapter, or with `silent` when it does not answer in half a second. */
  ask(command: string): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.waiting = resolve;
    this.write(command);
    const timer = setTimeout(() => {
      if (this.waiting === resolve) this.waiting = undefined;
      resolve('silent');
    }, ANSWER_MS);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves the pending `ask` with an answer that the parser has found in the received bytes. */
  take({ kind }: SlcanAnswer): void {
    if (kind === 'error' || kind === 'state') return;
    this.answered = true;
    const reply = this.waiting;
    if (kind === 'sent' || reply === undefined) return;
    this.waiting = undefined;
    reply(kind === 'refused' ? 'refused' : 'ok');
  }

  /** Resolves a pending `ask` with `silent`. */
  cancel(): void {
    this.waiting?.('silent');
  }

  /** Starts to close the port; `onGone` is called when it is closed. */
  close(): void {
    this.port?.close();
  }

  /** Closes the port without calling `onGone`. */
  async release(): Promise<void> {
    const port = this.port;
    this.port = undefined;
    if (port?.isOpen) await new Promise<void>((done) => port.close(() => done()));
  }

  /** Closes the CAN channel of the adapter first, and the serial port after it. */
  async closeChannel(): Promise<void> {
    const { port } = this;
    if (!port?.isOpen) return;
    this.write('C');
    const timer = setTimeout(() => port.close(), CLOSE_MS);
    await new Promise<void>((done) => {
      port.once('close', done);
      port.drain(() => port.close());
    });
    clearTimeout(timer);
  }
}
