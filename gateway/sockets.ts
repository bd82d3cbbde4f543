/** Who may still open sockets: devices, loggers and pages share what file handles and memory leave ([Z8]). */
import { socketRoom } from '#domain/health/pressure.ts';

/** What devices get of the sockets that may still be opened; screens and callers get the rest. */
const DEVICE_SHARE = 0.8;
/** A page that says what is wrong can be opened still. */
const PAGE_SOCKETS = 8;

/** Something that listens. */
interface Listening {
  /** Sockets that are open. */
  open(): number;
  limitSockets(most: number): void;
}

/** Limits each to what it has and its share of what is left; without memory nothing is. */
export function shareSockets(
  { broker, loggers, pages }: { broker?: Listening | undefined; loggers?: Listening | undefined; pages: Listening },
  hasMemory: boolean,
  handles: Parameters<typeof socketRoom>[0],
): void {
  const left = (hasMemory ? socketRoom(handles) : 0) ?? Number.POSITIVE_INFINITY;
  const devices = Math.floor(left * DEVICE_SHARE);
  const rest = Math.floor(left * (1 - DEVICE_SHARE));
  broker?.limitSockets(broker.open() + devices);
  loggers?.limitSockets(loggers.open() + rest);
  pages.limitSockets(pages.open() + Math.max(PAGE_SOCKETS, rest));
}
