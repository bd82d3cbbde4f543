/** The socket of one network interface for multicast DNS (RFC 6762). */
import { createSocket, type Socket } from 'node:dgram';
import { BlockList } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet';

export const MDNS_PORT = 5353;
const GROUP = '224.0.0.251';
/** Packets of one interface that are read in a second. Further packets are dropped, so that a flood does not load the gateway. */
const MOST_PACKETS = 200;
const SECOND_MS = 1_000;
/** Milliseconds that a socket has to send the last packets before it closes. */
const LAST_MS = 200;

/** A network interface with its IPv4 addresses. */
export interface Interface {
  readonly name: string;
  readonly addresses: readonly { readonly address: string; readonly prefix: number }[];
}

/** The computer that sent a packet. */
export interface Sender {
  readonly address: string;
  readonly port: number;
}

export interface Link extends AsyncDisposable {
  readonly interface: Interface;
  /** Why the socket cannot be used, such as `EADDRINUSE`; null if it works. */
  readonly problem: string | null;
  /** Sends to all computers of the network, or to one. */
  send(packet: Packet, to?: Sender): Promise<void>;
  /** Joins the group again. An interface that was away for a moment has forgotten it. */
  join(): void;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Opens the socket of an interface. It never throws: `problem` says why it does not work. */
export function openLink(
  of: Interface,
  options: { readonly port: number; onPacket(link: Link, packet: DecodedPacket, from: Sender): void },
): Link {
  const { port, onPacket } = options;
  const [first] = of.addresses;
  const near = new BlockList();
  for (const { address, prefix } of of.addresses) near.addSubnet(address, prefix, 'ipv4');
  let problem: string | null = null;
  let isOpen = false;
  let isClosed = false;
  let second = 0;
  let packets = 0;
  const socket: Socket = createSocket({ type: 'udp4', reuseAddr: true });

  /** Returns true if the packets of this second are more than the gateway reads. */
  function isFlood(): boolean {
    const now = Math.floor(performance.now() / SECOND_MS);
    if (now !== second) [second, packets] = [now, 0];
    return ++packets > MOST_PACKETS;
  }

  const link: Link = {
    interface: of,
    get problem() {
      return problem;
    },
    async send(packet, to = { address: GROUP, port }) {
      if (!isOpen || isClosed) return;
      await new Promise<void>((resolve) =>
        socket.send(encode(packet), to.port, to.address, (error) => {
          // A client that is away is no problem of the interface.
          if (to.address === GROUP) problem = error === null ? null : codeOf(error);
          resolve();
        }),
      );
    },
    join() {
      if (!isOpen || isClosed || first === undefined) return;
      try {
        socket.setMulticastInterface(first.address);
        socket.addMembership(GROUP, first.address);
      } catch (error) {
        // The socket is a member already.
        if (codeOf(error) !== 'EADDRINUSE') problem = codeOf(error);
      }
    },
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, LAST_MS).unref();
        socket.close(() => resolve());
      });
    },
  };

  socket.on('error', (error) => {
    problem = codeOf(error);
  });
  socket.on('message', (bytes, from) => {
    // Linux gives each socket the packets of all interfaces. Only computers of the same network may ask (RFC 6762 section 11).
    if (!near.check(from.address, 'ipv4') || isFlood()) return;
    const packet = read(bytes);
    if (packet !== undefined) onPacket(link, packet, from);
  });
  // A socket that listens on the address of the group does not take packets away from other programs on this computer.
  const address = process.platform === 'win32' ? undefined : GROUP;
  socket.bind({ port, ...(address === undefined ? {} : { address }) }, () => {
    isOpen = true;
    try {
      socket.setMulticastTTL(255);
      socket.setMulticastLoopback(true);
    } catch (error) {
      problem = codeOf(error);
    }
    link.join();
  });
  return link;
}

/** Reads a packet; undefined for bytes that are no DNS packet. */
function read(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}
