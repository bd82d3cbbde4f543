/** A serial port with an SLCAN adapter: commands out, answers and data in. It refuses commands that send unless sending is allowed. */
import { SerialPort } from 'serialport';
import type { SlcanAnswer } from '#codec/slcan.ts';

/** Commands that send a frame, or open the channel so that the adapter takes part (acknowledges frames, sends error frames). */
const SENDS = /^[tTrRdDbBxXoO]/;
const ANSWER_MS = 500;
/** Time in which the close command must leave before the port is closed; an adapter that accepts no data would block it for ever. */
const CLOSE_MS = 320;

export type Reply = 'ok' | 'refused' | 'silent';

export interface SlcanPortOptions {
  readonly onData: (chunk: Buffer) => void;
  /** The port closed or failed; called once for each open port. */
  readonly onGone: () => void;
  readonly onError: (message: string) => void;
}

export class SlcanPort {
  sendingAllowed = false;
  /** The adapter has answered a command since the port was opened. */
  answered = false;
  /** When the last bytes arrived, by `performance.now()`. */
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

  /** Opens the port; `isWanted` is asked after the open, and false closes the port again. */
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

  /** Every byte to the adapter is written here. */
  write(command: string): void {
    if (SENDS.test(command) && !this.sendingAllowed)
      throw new Error(`${command} would send, and sending is not allowed`);
    if (this.port?.isOpen) this.port.write(`${command}\r`, 'latin1');
  }

  /** Sends a command and resolves with the answer of the adapter; `silent` when there is none in half a second. */
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

  /** Processes an answer that the parser found in the data. */
  take({ kind }: SlcanAnswer): void {
    if (kind === 'error' || kind === 'state') return;
    this.answered = true;
    const reply = this.waiting;
    if (kind === 'sent' || reply === undefined) return;
    this.waiting = undefined;
    reply(kind === 'refused' ? 'refused' : 'ok');
  }

  /** Ends a pending `ask` as `silent`. */
  cancel(): void {
    this.waiting?.('silent');
  }

  /** Starts to close the port; `onGone` follows. */
  close(): void {
    this.port?.close();
  }

  /** Forgets the port and closes it; `onGone` is not called. */
  async release(): Promise<void> {
    const port = this.port;
    this.port = undefined;
    if (port?.isOpen) await new Promise<void>((done) => port.close(() => done()));
  }

  /** Closes the channel of the adapter, then the port. */
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
