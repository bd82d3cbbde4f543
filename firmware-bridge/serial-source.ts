/**
 * A serial CAN adapter that speaks SLCAN, listened to.
 *
 *   port ─▶ CR CR CR, C ─▶ Sx, Z1, L ─▶ frames ─▶ gone? wait, again
 *
 * Everything that is written goes through `write`, and nothing that makes an adapter send, or take part on the bus, passes there
 * unless sending is allowed: not a frame, and not `O`.
 */
import { SerialPort } from 'serialport';
import { formatSlcan, SLCAN_RATES, type SlcanAnswer, SlcanParser } from '#codec/slcan.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { type CanSource, createBackoff, type SourceOptions, type SourceReport, type SourceSpec } from './source.ts';

type SlcanSpec = Extract<SourceSpec, { kind: 'slcan' }>;

/** What sends a frame, or opens the channel so that the adapter takes part (acknowledges, tells errors). */
const SENDS = /^[tTrRdDbBxXoO]/;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
const ANSWER_MS = 500;
/** What an adapter still sends after it was told to be quiet. */
const QUIET_MS = 80;
/** The status is asked for so often; an adapter that answered before and says nothing for so long hangs. */
const POLL_MS = 2_000;
const HANGS_MS = 12_000;
/** How long one bit rate is listened to, and how many frames say that it is the one. */
const TRY_MS = 1_200;
const ENOUGH_FRAMES = 2;
/** Errors and not one frame for so long: the bit rate is looked for again. */
const WRONG_RATE_MS = 15_000;
/** In the order of how common they are on machines. */
const CANDIDATES = [250_000, 500_000, 125_000, 1_000_000, 100_000, 50_000, 800_000, 20_000, 10_000] as const;

type Reply = 'ok' | 'refused' | 'silent';

/** Listens on the adapter until disposed. */
export function openSerialSource(spec: SlcanSpec, options: SourceOptions): CanSource {
  const { sink, clock, log } = options;
  const parser = new SlcanParser({ bus: spec.bus ?? 0, answer: take });
  const backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let state: SourceReport['state'] = 'opening';
  let detail: string | null = null;
  let bitrate: number | null = spec.bitrate === 'auto' ? null : spec.bitrate;
  let lostWays = 0;
  let port: SerialPort | undefined;
  let closed = false;
  /** Sending is allowed now, and the channel is open for it. */
  let allowed = false;
  let open = false;
  /** Counts what was allowed and forbidden: the channel is opened anew after each. */
  let turn = 0;
  /** Ends the wait of a session: something else is wanted. */
  let nudge: (() => void) | undefined;
  let waiting: ((reply: Reply) => void) | undefined;
  let answered = false;
  /** This adapter was told to stamp its frames. */
  let stamped = false;
  let heard_ms = 0;

  function take({ kind }: SlcanAnswer): void {
    if (kind === 'error' || kind === 'state') return;
    answered = true;
    const reply = waiting;
    if (kind === 'sent' || reply === undefined) return;
    waiting = undefined;
    reply(kind === 'refused' ? 'refused' : 'ok');
  }

  /** The one place where bytes leave. */
  function write(command: string): void {
    if (SENDS.test(command) && !allowed) throw new Error(`${command} would send, and sending is not allowed`);
    if (port?.isOpen) port.write(`${command}\r`, 'latin1');
  }

  /** A command and what the adapter answers. */
  function ask(command: string): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    waiting = resolve;
    write(command);
    const timer = setTimeout(() => {
      if (waiting === resolve) waiting = undefined;
      resolve('silent');
    }, ANSWER_MS);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Waits, unless the port goes or something else is wanted before. */
  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    nudge = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  async function findPort(): Promise<string> {
    const [, vendor = '', product = '', serial] = /^usb:([0-9a-f]{4}):([0-9a-f]{4})(?::(.+))?$/i.exec(spec.path) ?? [];
    if (vendor === '') return spec.path;
    const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
    const found = (await listPorts()).find(
      (one) =>
        same(one.vendorId, vendor) &&
        same(one.productId, product) &&
        (serial === undefined || same(one.serialNumber, serial)),
    );
    if (found === undefined) throw new Error(`no adapter ${spec.path} is plugged in`);
    return found.path;
  }

  /** Opens the channel at a bit rate, listening only unless it is for sending; false when the adapter refuses. */
  async function openChannel(rate: number, sending: boolean): Promise<boolean> {
    open = false;
    // A closed channel may say no.
    await ask('C');
    await pause(QUIET_MS);
    parser.reset();
    const code = SLCAN_RATES.get(rate);
    const refuse = (what: string): false => {
      state = 'refused';
      detail = `The adapter refuses ${what}.`;
      return false;
    };
    if (code === undefined || (await ask(code)) === 'refused') return refuse(`${rate} bit/s`);
    // Adapters without a clock say no; then the arrival is the time. Some write it to an EEPROM: once is enough.
    if (spec.stamps && !stamped) {
      await ask('Z1');
      stamped = true;
    }
    if (sending && !allowed) return true;
    if ((await ask(sending ? 'O' : 'L')) === 'refused')
      return refuse(sending ? 'to open' : 'to listen only, and is not told to take part instead');
    open = sending && allowed;
    heard_ms = performance.now();
    return true;
  }

  /** Listens at each bit rate in turn until frames come; undefined when something else is wanted. */
  async function search(): Promise<number | undefined> {
    state = 'searching';
    for (let i = 0; ; i = (i + 1) % CANDIDATES.length) {
      const rate = CANDIDATES[i] as number;
      detail = `Listening for ${rate} bit/s.`;
      const refused = !(await openChannel(rate, false));
      if (port === undefined || closed) return undefined;
      state = 'searching';
      if (refused) continue;
      const before = { ...parser.counters };
      await pause(TRY_MS);
      if (port === undefined || closed) return undefined;
      const { frames, bus_errors } = parser.counters;
      const good = frames - before.frames;
      if (good >= ENOUGH_FRAMES && good > bus_errors - before.bus_errors) return rate;
    }
  }

  /** One life of the port, from open to gone. */
  async function session(): Promise<void> {
    // What a glitch or another program left half typed ends here.
    write('\r\r');
    await pause(QUIET_MS);
    while (port !== undefined && !closed) {
      const auto = spec.bitrate === 'auto';
      bitrate ??= (await search()) ?? null;
      if (port === undefined || closed || bitrate === null) return;
      const opened = turn;
      if (!(await openChannel(bitrate, allowed))) return;
      if (port === undefined || closed) return;
      if (state !== 'listening') log('info', 'listening on the bus', { port: spec.path, bitrate });
      state = 'listening';
      detail = null;
      backoff.reset();
      if ((await listen(auto, opened)) === 'wrong rate') bitrate = null;
    }
  }

  /** Until the port goes, sending is allowed or forbidden, or the bit rate turns out wrong. */
  async function listen(auto: boolean, opened: number): Promise<'gone' | 'changed' | 'wrong rate'> {
    let asks = true;
    let { frames, bus_errors } = parser.counters;
    let good_ms = performance.now();
    for (;;) {
      if (opened === turn) await pause(POLL_MS);
      if (port === undefined || closed) return 'gone';
      if (opened !== turn) return 'changed';
      const now = performance.now();
      const { counters } = parser;
      if (counters.frames > frames) {
        ({ frames, bus_errors } = counters);
        good_ms = now;
      } else if (auto && counters.bus_errors > bus_errors && now - good_ms > WRONG_RATE_MS) return 'wrong rate';
      if (answered && now - heard_ms > HANGS_MS) {
        detail = 'The adapter does not answer any more.';
        port?.close();
        return 'gone';
      }
      if (asks) asks = (await ask('F')) !== 'refused';
    }
  }

  async function openPort(): Promise<void> {
    const path = await findPort();
    const fresh = new SerialPort({ path, baudRate: spec.baud, autoOpen: false, lock: true, highWaterMark: 1 << 16 });
    await new Promise<void>((done, failed) => fresh.open((error) => (error ? failed(error) : done())));
    if (closed) {
      fresh.close();
      return;
    }
    answered = false;
    parser.reset();
    fresh.on('data', (chunk: Buffer) => {
      heard_ms = performance.now();
      const before = sink.batch.count;
      parser.parse(chunk, sink.batch, clock() * 1000);
      if (sink.batch.count > before) sink.filled();
    });
    const gone = () => {
      if (port !== fresh) return;
      port = undefined;
      open = false;
      stamped = false;
      nudge?.();
      waiting?.('silent');
    };
    fresh.on('close', gone);
    // The close that follows, or has come, tells what matters.
    fresh.on('error', (error) => {
      detail = error.message;
      if (fresh.isOpen) fresh.close();
      gone();
    });
    port = fresh;
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        await openPort();
        await session();
        if (port === undefined && !closed && state === 'listening') {
          lostWays++;
          log('warn', 'the adapter is gone', { port: spec.path });
          detail ??= 'The adapter is gone.';
        }
      } catch (error) {
        state = 'away';
        detail = await explain(error as Error);
      }
      if (closed) break;
      if (state !== 'refused') state = 'away';
      const left: SerialPort | undefined = port;
      port = undefined;
      if (left?.isOpen) await new Promise<void>((done) => left.close(() => done()));
      await backoff.wait();
    }
  }

  async function explain(error: Error): Promise<string> {
    if (!/ENOENT|No such file/.test(error.message)) return error.message;
    const names = (await listPorts()).map(({ path }) => path);
    return `There is no ${spec.path}${names.length > 0 ? `; there are ${names.slice(0, 8).join(', ')}` : ''}.`;
  }

  const running = run();
  const out = new FrameBatch(1);
  return {
    canSend: true,
    report: () => ({
      state,
      detail,
      bitrate,
      bus_state: parser.state,
      sending: open && allowed && port !== undefined,
      bytes: parser.counters.bytes,
      malformed: parser.counters.malformed + parser.counters.overlong,
      bus_errors: parser.counters.bus_errors,
      overruns: parser.counters.overruns,
      lost_ways: lostWays,
    }),
    allowSending(allow) {
      if (allow === allowed) return;
      allowed = allow;
      turn++;
      open = false;
      // At once, before anything is waited for.
      if (!allow) write('C');
      nudge?.();
    },
    send(id, data) {
      if (!open || !allowed || port === undefined) return false;
      out.clear();
      out.push(0, 0, id, FRAME.extended, data, 0, data.length);
      write(Buffer.from(formatSlcan(out)).toString('latin1').slice(0, -1));
      return true;
    },
    async [Symbol.asyncDispose]() {
      if (closed) return running;
      closed = true;
      allowed = false;
      open = false;
      const left = port;
      if (left?.isOpen) {
        write('C');
        // An adapter that takes nothing any more must not hold us.
        const patience = setTimeout(() => left.close(), QUIET_MS * 4);
        await new Promise<void>((done) => {
          left.once('close', done);
          left.drain(() => left.close());
        });
        clearTimeout(patience);
      }
      nudge?.();
      waiting?.('silent');
      backoff.stop();
      await running;
    },
  };
}

/** The serial ports of this machine; none where they cannot be listed (udevadm is absent). */
export async function listPorts(): Promise<Awaited<ReturnType<typeof SerialPort.list>>> {
  return SerialPort.list().catch(() => []);
}
