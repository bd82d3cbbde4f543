/** Limits the sockets of broker, bucket and HTTP server, so that file handles and memory are not used up ([Z8]). */
import { socketRoom } from '#domain/health/pressure.ts';

/** The MQTT broker gets this share of the sockets that may still be opened. The bucket and the HTTP server get the rest. */
const DEVICE_SHARE = 0.8;
/** The HTTP server may always open this many more sockets, so that a person can open the health page even when memory is short. */
const PAGE_SOCKETS = 8;

/** A server with a limit of open sockets. */
interface Listening {
  /** Returns the number of open sockets. */
  open(): number;
  limitSockets(most: number): void;
}

/**
 * Sets the limit of each server: its open sockets plus its share of the file handles that are left. While memory is short, the broker
 * and the bucket accept no new sockets.
 */
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
