/**
 * A source that listens to a serial CAN adapter with the SLCAN protocol.
 *
 *   open port ─▶ CR CR CR, C ─▶ Sx, Z1, L ─▶ frames ─▶ port gone: wait, open again
 *
 * All commands go through `SlcanPort.write`. If sending is not allowed, `write` refuses frames and the command `O`. After the command `O`
 * the adapter would acknowledge frames on the bus.
 */
import { formatSlcan, SLCAN_RATES, SlcanParser } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { explainOpenError, findPort } from './serial-ports.ts';
import { SlcanPort } from './slcan-port.ts';
import { type CanSource, createBackoff, type SourceOptions, type SourceReport, type SourceSpec } from './source.ts';

type SlcanSpec = Extract<SourceSpec, { kind: 'slcan' }>;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
/** Milliseconds in which the adapter may still send frames after the close command; the source ignores these frames. */
const QUIET_MS = 80;
/**
 * Milliseconds between two status requests to the adapter. If an adapter that has answered a status request before sends nothing for
 * `HANGS_MS`, the source closes its port and opens it again.
 */
const POLL_MS = 2_000;
const HANGS_MS = 12_000;
/**
 * While the source searches for the bit rate, it listens at each rate for this many milliseconds. It chooses a rate at which it receives at
 * least the number of frames in the next constant.
 */
const TRY_MS = 1_200;
const ENOUGH_FRAMES = 2;
/** After this many milliseconds with bus errors and without a frame, the source searches for the bit rate again. */
const WRONG_RATE_MS = 15_000;
/** Bit rates in bit/s that the search tries; the rates that are most common on machines come first. */
const CANDIDATES = [250_000, 500_000, 125_000, 1_000_000, 100_000, 50_000, 800_000, 20_000, 10_000] as const;

/** Opens the adapter and listens until the returned source is disposed. */
export function openSerialSource(spec: SlcanSpec, options: SourceOptions): CanSource {
  return new SerialSource(spec, options);
}

class SerialSource implements CanSource {
  readonly canSend = true;
  private readonly spec: SlcanSpec;
  private readonly options: SourceOptions;
  private readonly port: SlcanPort;
  private readonly parser: SlcanParser;
  private readonly backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  private readonly out = new FrameBatch(1);
  private readonly running: Promise<void>;
  private state: SourceReport['state'] = 'opening';
  private detail: string | null = null;
  private bitrate: number | null;
  private lostPorts = 0;
  private closed = false;
  /** True while the channel of the adapter is open for sending. */
  private openToSend = false;
  /** Number of calls of `allowSending`. The session opens the channel again when this number changes. */
  private allowance = 0;
  /** True after the command for time stamps (`Z1`) was sent. */
  private stamped = false;
  /** Call this function to end the current `pause` before its time is over; undefined when no pause is running. */
  private wake: (() => void) | undefined;

  constructor(spec: SlcanSpec, options: SourceOptions) {
    this.spec = spec;
    this.options = options;
    this.bitrate = spec.bitrate === 'auto' ? null : spec.bitrate;
    this.parser = new SlcanParser({ bus: spec.bus ?? 0, answer: (answer) => this.port.take(answer) });
    this.port = new SlcanPort({
      onData: (chunk) => this.receive(chunk),
      onGone: () => {
        this.openToSend = false;
        this.stamped = false;
        this.wake?.();
      },
      onError: (message) => {
        this.detail = message;
      },
    });
    this.running = this.run();
  }

  report(): SourceReport {
    const { counters } = this.parser;
    return {
      state: this.state,
      detail: this.detail,
      bitrate: this.bitrate,
      bus_state: this.parser.state,
      sending: this.openToSend && this.port.sendingAllowed && this.port.isOpen,
      bytes: counters.bytes,
      malformed: counters.malformed + counters.overlong,
      bus_errors: counters.bus_errors,
      overruns: counters.overruns,
      disconnects: this.lostPorts,
    };
  }

  allowSending(allow: boolean): void {
    if (allow === this.port.sendingAllowed) return;
    this.port.sendingAllowed = allow;
    this.allowance++;
    this.openToSend = false;
    // Close the channel at once, so that no frame is sent. The session opens it again for listening only.
    if (!allow) this.port.write('C');
    this.wake?.();
  }

  send(id: number, data: Uint8Array): boolean {
    if (!this.openToSend || !this.port.sendingAllowed || !this.port.isOpen) return false;
    this.out.clear();
    this.out.push(0, 0, id, FRAME.extended, data, 0, data.length);
    this.port.write(Buffer.from(formatSlcan(this.out)).toString('latin1').slice(0, -1));
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return this.running;
    this.closed = true;
    this.port.sendingAllowed = false;
    this.openToSend = false;
    await this.port.closeChannel();
    this.wake?.();
    this.port.cancel();
    this.backoff.stop();
    await this.running;
  }

  private receive(chunk: Buffer): void {
    const { sink, clock } = this.options;
    const before = sink.batch.count;
    this.parser.parse(chunk, sink.batch, clock() * 1000);
    if (sink.batch.count > before) sink.filled();
  }

  private get isGone(): boolean {
    return !this.port.isOpen || this.closed;
  }

  /** Waits `ms` milliseconds, or less when the port closes, `allowSending` is called, or the source is disposed. */
  private pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  private async run(): Promise<void> {
    const { spec, options } = this;
    while (!this.closed) {
      try {
        await this.port.open(await findPort(spec.path), spec.baud, () => !this.closed);
        this.parser.reset();
        await this.runSession();
        if (!this.port.isOpen && !this.closed && this.state === 'listening') {
          this.lostPorts++;
          options.log('warn', 'the adapter is gone', { port: spec.path });
          this.detail ??= 'The adapter is gone.';
        }
      } catch (error) {
        this.state = 'away';
        this.detail = await explainOpenError(error as Error, spec.path);
      }
      if (this.closed) break;
      if (this.state !== 'refused') this.state = 'away';
      await this.port.release();
      await this.backoff.wait();
    }
  }

  /** Runs the protocol on the open port; resolves when the port has closed or the adapter has refused a command. */
  private async runSession(): Promise<void> {
    const auto = this.spec.bitrate === 'auto';
    // The adapter may already have received the start of a command, from noise on the serial line or from another program. Carriage returns
    // end this command.
    this.port.write('\r\r');
    await this.pause(QUIET_MS);
    while (!this.isGone) {
      this.bitrate ??= (await this.searchRate()) ?? null;
      if (this.isGone || this.bitrate === null) return;
      const { allowance } = this;
      if (!(await this.openChannel(this.bitrate, this.port.sendingAllowed))) return;
      if (this.isGone) return;
      if (this.state !== 'listening')
        this.options.log('info', 'listening on the bus', { port: this.spec.path, bitrate: this.bitrate });
      this.state = 'listening';
      this.detail = null;
      this.backoff.reset();
      if ((await this.listen(auto, allowance)) === 'wrong rate') this.bitrate = null;
    }
  }

  /** Listens at one bit rate after another, and returns the rate at which frames arrive; undefined when the port has closed. */
  private async searchRate(): Promise<number | undefined> {
    this.state = 'searching';
    for (let i = 0; ; i = (i + 1) % CANDIDATES.length) {
      const rate = CANDIDATES[i] as number;
      this.detail = `Listening for ${rate} bit/s.`;
      const refused = !(await this.openChannel(rate, false));
      if (this.isGone) return undefined;
      this.state = 'searching';
      if (refused) continue;
      const before = { ...this.parser.counters };
      await this.pause(TRY_MS);
      if (this.isGone) return undefined;
      const { frames, bus_errors } = this.parser.counters;
      const good = frames - before.frames;
      if (good >= ENOUGH_FRAMES && good > bus_errors - before.bus_errors) return rate;
    }
  }

  /**
   * Opens the channel at a bit rate. If `sending` is false, it opens the channel for listening only. Returns false if the adapter refuses.
   */
  private async openChannel(rate: number, sending: boolean): Promise<boolean> {
    const { port } = this;
    this.openToSend = false;
    // The answer does not matter: an adapter may refuse to close a channel that is already closed.
    await port.ask('C');
    await this.pause(QUIET_MS);
    this.parser.reset();
    const code = SLCAN_RATES.get(rate);
    if (code === undefined || (await port.ask(code)) === 'refused') return this.refused(`${rate} bit/s`);
    // Adapters without a clock refuse time stamps; frames then get their arrival time. Some adapters write the setting to an EEPROM, which
    // wears out, so send the command only once.
    if (this.spec.stamps && !this.stamped) {
      await port.ask('Z1');
      this.stamped = true;
    }
    if (sending && !port.sendingAllowed) return true;
    if ((await port.ask(sending ? 'O' : 'L')) === 'refused')
      return this.refused(sending ? 'to open' : 'to listen only; the bridge does not open it in another mode');
    this.openToSend = sending && port.sendingAllowed;
    port.received_ms = performance.now();
    return true;
  }

  private refused(command: string): false {
    this.state = 'refused';
    this.detail = `The adapter refuses ${command}.`;
    return false;
  }

  /** Listens until the port closes (`gone`), `allowSending` was called (`changed`), or the bit rate is wrong. */
  private async listen(auto: boolean, allowance: number): Promise<'gone' | 'changed' | 'wrong rate'> {
    const { parser, port } = this;
    let asks = true;
    let { frames, bus_errors } = parser.counters;
    let good_ms = performance.now();
    for (;;) {
      if (allowance === this.allowance) await this.pause(POLL_MS);
      if (this.isGone) return 'gone';
      if (allowance !== this.allowance) return 'changed';
      const now = performance.now();
      const { counters } = parser;
      if (counters.frames > frames) {
        ({ frames, bus_errors } = counters);
        good_ms = now;
      } else if (auto && counters.bus_errors > bus_errors && now - good_ms > WRONG_RATE_MS) return 'wrong rate';
      if (port.answered && now - port.received_ms > HANGS_MS) {
        this.detail = 'The adapter does not answer any more.';
        port.close();
        return 'gone';
      }
      if (asks) asks = (await port.ask('F')) !== 'refused';
    }
  }
}
