/** candump text over TCP from a test: numbered frames, one second of machine time apart, to whoever connects. */
import { createServer, type Socket } from 'node:net';

/** Machine time of frame 0, far enough back that no clock calls it the future. */
const EPOCH_S = 1_700_000_000;

/** Machine time of a numbered frame, in microseconds since 1970. */
export const numberedAt = (n: number): number => (EPOCH_S + n) * 1e6;

/** HOURS (PGN 65253) with the number as raw engine hours: 0.05 h a step. */
export function numberedLine(n: number): string {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(n);
  return `(${EPOCH_S + n}.000000) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF\n`;
}

/** Numbers of frames that a gateway has of a machine, each as often as it has it. */
export async function numbersKept(
  node: {
    history(id: string, signal: 'engine.hours', from_ms: number, to_ms: number): Promise<{ v: readonly number[] }>;
  },
  equipment_id: string,
  upTo: number,
): Promise<number[]> {
  const range = [(EPOCH_S - 1) * 1000, (EPOCH_S + upTo + 1) * 1000] as const;
  const { v } = await node.history(equipment_id, 'engine.hours', ...range);
  return v.map((hours) => Math.round(hours / 0.05));
}

export interface TextBus extends AsyncDisposable {
  readonly port: number;
  readonly connected: () => boolean;
  /** Frames said so far. */
  readonly said: () => number;
  /** Says so many more a second, evenly, to the last one who connected; 0 stops. */
  rate(perSecond: number): void;
}

/** Begins to listen; frames are said only while somebody hears them. */
export async function startTextBus(): Promise<TextBus> {
  let peer: Socket | undefined;
  let n = 0;
  let perSecond = 0;
  let due = 0;
  const server = createServer((socket) => {
    peer = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      if (peer === socket) peer = undefined;
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const timer = setInterval(() => {
    if (peer === undefined || perSecond === 0) return;
    due += perSecond / 100;
    let text = '';
    for (; due >= 1; due--) text += numberedLine(n++);
    if (text !== '') peer.write(text);
  }, 10);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connected: () => peer !== undefined,
    said: () => n,
    rate(now) {
      perSecond = now;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      peer?.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
