/**
 * Reads the frames in which a logger of CSS Electronics sends the values of its GNSS (satellite positioning) receiver. These are 11-bit
 * frames on the internal channel of a CANedge, or frames that a CANmod.gps sends on a bus. The layout is that of the maker's pages
 * "CANedge internal signals" and "CANmod.gps": Intel byte order, all values unsigned. Other senders may use the same identifiers, so the
 * caller names the channels that carry GNSS frames.
 */
import type { GnssChannel } from '#contract/fleet/bus.ts';
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { createDecodedValue, type DecodedValue } from '#domain/base/decoded-value.ts';
import { NONE } from '#domain/base/none.ts';

/** The quantities in the frames, with the units of their values. */
export const GNSS = {
  /** 0 none, 1 dead reckoning, 2 two-dimensional, 3 three-dimensional, 4 GNSS with dead reckoning, 5 time only. */
  fixType: 0,
  satellites: 1,
  /** GNSS time in microseconds since 1970. */
  time: 2,
  /** Degrees. A frame gives both coordinates or neither, the latitude first. */
  latitude: 3,
  longitude: 4,
  /** Accuracy of the position in metres. */
  accuracy: 5,
  /** Metres. */
  altitude: 6,
  /** km/h. */
  speed: 7,
  /** Degrees, clockwise from north. */
  heading: 8,
} as const;
export type GnssQuantity = (typeof GNSS)[keyof typeof GNSS];

/** The number of fix types, which are 0 to 5. The maker reserves larger values. */
export const FIX_TYPES = 6;

/** Receives each valid value. Its `sa` is NONE, because an 11-bit identifier contains no address. */
export type GnssSink = (quantity: GnssQuantity, decoded: DecodedValue) => void;

/** The CAN identifier of the first GNSS frame, by the kind of channel. The other GNSS frames have the identifiers after it. */
const FIRST_ID = { canedge_internal: 0x065, canmod_gps: 0x001 } as const satisfies Record<
  GnssChannel['frames'],
  number
>;

// For each frame that the reader decodes: its CAN identifier minus the identifier of the first GNSS frame.
const STATUS = 0;
const TIME = 1;
const POSITION = 2;
const ALTITUDE = 3;
const ATTITUDE = 4;
const SPEED = 6;
/** The least payload length in bytes of each GNSS frame, indexed by the same difference; 0 for a frame that the reader ignores. */
const NEEDS = [1, 6, 8, 3, 7, 0, 3];

/** Origin of the times in GNSS time frames, 2020-01-01 01:00:00 UTC, in microseconds since 1970. */
const EPOCH_US = 1_577_840_400_000_000;
const UNKNOWN_ACCURACY = 63;
const KIND = FRAME.extended | FRAME.remote | FRAME.error;
/** Marks a bus without GNSS frames in the table of first identifiers. */
const NO_FRAMES = 0xffff;

/** Returns an unsigned number of up to 41 bits that begins at bit `start`, counted from the lowest bit of the byte at index `at`. */
function bitsAt(data: Uint8Array, at: number, start: number, bits: number): number {
  const last = at + ((start + bits - 1) >> 3);
  let whole = 0;
  for (let p = last; p >= at + (start >> 3); p--) whole = whole * 256 + (data[p] as number);
  return Math.floor(whole / 2 ** (start & 7)) % 2 ** bits;
}

/** Reads the GNSS frames on the given channels of one device. The reader has no state between frames and allocates no memory per frame. */
export class GnssReader {
  private readonly first = new Uint16Array(256).fill(NO_FRAMES);
  private readonly decoded = createDecodedValue();

  constructor(channels: readonly GnssChannel[]) {
    // If several channels name the same bus, the first one applies: the loop runs backwards, so the first one is written last.
    for (const { bus, frames } of channels.toReversed()) this.first[bus] = FIRST_ID[frames];
  }

  /** Passes the valid values of frame `i` to the sink. Returns false if this is not a GNSS frame, or too short to be one. */
  read(batch: FrameBatch, i: number, sink: GnssSink): boolean {
    const first = this.first[batch.bus[i] as number] as number;
    if (first === NO_FRAMES || ((batch.flags[i] as number) & KIND) !== 0) return false;
    const frame = (batch.id[i] as number) - first;
    const length = batch.len[i] as number;
    const needs = NEEDS[frame] ?? 0;
    if (needs === 0 || length < needs || length > 8) return false;
    const { decoded } = this;
    decoded.t_us = batch.t[i] as number;
    decoded.bus = batch.bus[i] as number;
    decoded.sa = NONE;
    decoded.frame = i;
    this.values(frame, batch.data, i * 8, sink);
    return true;
  }

  private values(frame: number, data: Uint8Array, at: number, sink: GnssSink): void {
    const { decoded } = this;
    const flags = data[at] as number;
    if (frame === STATUS) {
      const fixType = bitsAt(data, at, 0, 3);
      if (fixType < FIX_TYPES) emit(decoded, sink, GNSS.fixType, fixType, fixType);
      const satellites = bitsAt(data, at, 3, 5);
      emit(decoded, sink, GNSS.satellites, satellites, satellites);
      return;
    }
    // Bit 0 is set if the values are valid. In a time frame, bit 1 is set if the receiver has confirmed the time.
    if ((flags & 1) === 0) return;
    if (frame === TIME) {
      const raw = bitsAt(data, at, 8, 40);
      if ((flags & 2) !== 0) emit(decoded, sink, GNSS.time, raw, raw * 1000 + EPOCH_US);
    } else if (frame === POSITION) {
      const latitude = bitsAt(data, at, 1, 28);
      const longitude = bitsAt(data, at, 29, 29);
      const accuracy = bitsAt(data, at, 58, 6);
      if (latitude > 180e6 || longitude > 360e6) return;
      emit(decoded, sink, GNSS.latitude, latitude, (latitude - 90e6) / 1e6);
      emit(decoded, sink, GNSS.longitude, longitude, (longitude - 180e6) / 1e6);
      if (accuracy !== UNKNOWN_ACCURACY) emit(decoded, sink, GNSS.accuracy, accuracy, accuracy);
    } else if (frame === ALTITUDE) {
      const raw = bitsAt(data, at, 1, 18);
      emit(decoded, sink, GNSS.altitude, raw, (raw - 60_000) / 10);
    } else if (frame === ATTITUDE) {
      const raw = bitsAt(data, at, 43, 12);
      if (raw <= 3600) emit(decoded, sink, GNSS.heading, raw, raw / 10);
    } else if (frame === SPEED) {
      // The resolution is 0.001 m/s.
      const raw = bitsAt(data, at, 1, 20);
      emit(decoded, sink, GNSS.speed, raw, (raw * 36) / 10_000);
    }
  }
}

function emit(decoded: DecodedValue, sink: GnssSink, quantity: GnssQuantity, raw: number, value: number): void {
  decoded.raw = raw;
  decoded.value = value;
  sink(quantity, decoded);
}

/** The bus number of the internal channel in the MF4 files of a CANedge. */
export const INTERNAL_BUS = 9;
/** The program name in the header of an MF4 file that a CANedge wrote. */
const CANEDGE = 'CE';

/**
 * Returns the channels of a log that carry GNSS frames. These are the channels in the settings of its device and, if a CANedge wrote the
 * file, the internal channel of the CANedge.
 */
export function gnssChannelsOf(
  log: { readonly format: string; readonly info: { readonly tool: string | null } },
  settings: readonly GnssChannel[],
): readonly GnssChannel[] {
  if (log.format !== 'mf4' || log.info.tool !== CANEDGE) return settings;
  return [...settings, { bus: INTERNAL_BUS, frames: 'canedge_internal' }];
}

/** Creates a GNSS reader for the channels; returns undefined for an empty list. */
export function gnssReaderOf(channels: readonly GnssChannel[]): GnssReader | undefined {
  return channels.length === 0 ? undefined : new GnssReader(channels);
}
