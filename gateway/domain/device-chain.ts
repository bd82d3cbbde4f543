/**
 * Why a device has no data: the chain from its connection to decoded values.
 *
 *   connection -> key -> topic -> frames -> link -> decoded
 *
 * Every step says what was found and what to do. The first step that is broken or waits is where the chain stops; later steps may
 * be judged all the same. Nothing here reads a clock or a store: the same facts give the same chain.
 */

import type { Device } from '#contract/device.ts';
import { CHAIN_STEPS, type ChainStep, type ChainStepName } from '#contract/device-diagnosis.ts';
import type { DeviceTrail, Transport } from '#contract/ingest.ts';

/** A file of the device that came last. */
export interface LatestFile {
  readonly name: string;
  readonly received_at: string;
  /** Of the run that decodes it; null for a picture. */
  readonly run: { readonly status: string; readonly message: string | null; readonly remedy: string | null } | null;
}

/** What the chain is judged by. */
export interface ChainFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly device: Pick<
    Device,
    | 'id'
    | 'device_id'
    | 'serial'
    | 'kind'
    | 'status'
    | 'last_seen_at'
    | 'expected_interval_s'
    | 'state'
    | 'observation'
    | 'metrics'
    | 'timeline_changes'
    | 'offline_resolution'
    | 'linked_at'
  >;
  readonly transport: Transport;
  readonly trail: DeviceTrail;
  /** Whether it has a key for the way it sends: of the device, or a pair for the bucket. */
  readonly key: { readonly state: 'none' | 'revoked' | 'expired' | 'active'; readonly since: string | null };
  /** Null: on no machine. */
  readonly machine: { readonly unit_number: string; readonly retired: boolean } | null;
  /** Name of the place where it stands. */
  readonly location: string | null;
  /** The newest log that it uploaded, or picture that it sent. */
  readonly file: LatestFile | null;
  /** Where devices reach this gateway. */
  readonly at: { readonly mqtt: string; readonly http: string; readonly bucket: string; readonly folder: string };
}

/** The chain of a device. */
export interface Chain {
  readonly stopped_at: ChainStepName | null;
  readonly summary: string;
  readonly steps: ChainStep[];
}

type Judged = Omit<ChainStep, 'step' | 'title'>;
type Judge = (facts: ChainFacts) => Judged;

/** A device that says nothing of its interval is silent after this (D-19), and has no data after the other; in milliseconds. */
const SILENT_MS = 180_000;
const DATA_MS = 60_000;
/** A logger that uploads is away between two uploads; only after a day something is wrong. */
const UPLOAD_MS = 86_400_000;
/** A clock that is further ahead makes nothing live. */
const AHEAD_MS = 300_000;
/** Frames without a value that are a reason to act. */
const MANY_FRAMES = 200;

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const number = (n: number) => n.toString().replace(/\B(?=(\d{3})+$)/g, ',');
const several = (n: number, one: string, more: string) => `${number(n)} ${n === 1 ? one : more}`;

function step(state: ChainStep['state'], since: string | null, detail: string, remedy: string | null = null): Judged {
  return { state, since, detail, remedy };
}

const isCamera = ({ device }: ChainFacts) => device.kind === 'camera';
const isOpen = ({ device }: ChainFacts) => device.state.connectivity?.session === 'open';
const seenMs = ({ device }: ChainFacts) => (device.last_seen_at === null ? null : Date.parse(device.last_seen_at));

/** True while what came last that could be used is no older than it should be. */
function hasFreshData({ trail: { usable_ms }, now, device }: ChainFacts): boolean {
  return usable_ms !== null && now - usable_ms <= Math.max(2000 * (device.expected_interval_s ?? 0), DATA_MS);
}

/** True when nothing was heard of it for longer than it should be silent. */
function isSilent(facts: ChainFacts): boolean {
  const { device, now } = facts;
  const seen = seenMs(facts);
  if (seen === null || isOpen(facts)) return false;
  return device.status === 'offline' || now - seen > Math.max(3000 * (device.expected_interval_s ?? 0), SILENT_MS);
}

/** The refusals of its key, by the way that it sends. */
function refusalOf({ transport, trail }: ChainFacts): DeviceTrail['refused_login'] {
  if (transport === 'http') return null;
  return transport === 'upload' ? trail.refused_signature : trail.refused_login;
}

/** The refusals of its key when the last one is newer than everything that was heard of it. */
function lockedOut(facts: ChainFacts): DeviceTrail['refused_login'] {
  const refused = refusalOf(facts);
  return refused === null || isOpen(facts) || refused.at_ms <= (seenMs(facts) ?? 0) ? null : refused;
}

const RESOLVED = {
  retired: 'it was taken out of use',
  no_power: 'it has no power',
  no_coverage: 'it has no network',
  replaced: 'it was replaced',
  maintenance: 'it is being serviced',
  unknown: 'the reason is not known',
} as const;

/** What a person said of the silence, as a sentence to add. */
function explained({ device }: ChainFacts): string {
  const said = device.offline_resolution;
  return said === null ? '' : ` A person noted: ${RESOLVED[said.resolution]}.`;
}

const HOW: Readonly<Record<Transport, (facts: ChainFacts) => string>> = {
  mqtt: ({ at, device: { device_id } }) =>
    `Let the device connect to ${at.mqtt} over MQTT, with user name and client id ${device_id}.`,
  http: (facts) => `Let the device post to ${dataAddress(facts)} with the header "Authorization: Bearer" and its key.`,
  upload: ({ at }) => `Let the logger upload to ${at.bucket}, with the key pair from this page.`,
};

function dataAddress(facts: ChainFacts): string {
  const { at, device } = facts;
  return isCamera(facts) ? `${at.http}/api/v1/devices/stream` : `${at.http}/api/v1/devices/${device.id}/telemetry`;
}

const connection: Judge = (facts) => {
  const { device, transport, key, now } = facts;
  const { last_seen_at: seen } = device;
  const { connectivity } = device.state;
  if (isOpen(facts)) {
    const from = connectivity?.ip == null ? '' : ` from ${connectivity.ip}`;
    return step('ok', connectivity?.since ?? null, `It has an open session${from}.`);
  }
  const locked = lockedOut(facts);
  if (locked !== null) return step('ok', iso(locked.at_ms), `A device at ${locked.address} reaches this gateway.`);
  if (key.state === 'none' || key.state === 'revoked') {
    if (seen === null || isSilent(facts))
      return step('unknown', seen, 'Nothing can connect under this name before it has a key.');
  }
  if (seen === null) return step('waiting', null, 'Nothing has come from this device yet.', HOW[transport](facts));
  if (isSilent(facts)) {
    const away = transport === 'upload' && now - Date.parse(seen) < UPLOAD_MS;
    if (away) return step('ok', seen, 'It has uploaded, and is away between two uploads.');
    const detail = `Nothing has come from it since then.${explained(facts)}`;
    return step('broken', seen, detail, `Check its power and its network. ${HOW[transport](facts)}`);
  }
  if (transport === 'mqtt') return step('ok', seen, 'It sent, and keeps no connection between two messages.');
  return step('ok', seen, transport === 'http' ? 'It sends over HTTP.' : 'It uploads.');
};

const REPLACE = (serial: string | null) =>
  `A lost key is replaced: provision the device again${serial === null ? '' : ` with the serial ${serial}`}.`;

const key: Judge = (facts) => {
  const { device, transport, key: has } = facts;
  const { serial, device_id, last_seen_at: seen } = device;
  const own = transport === 'upload' ? 'key pair' : 'key';
  const refused = refusalOf(facts);
  if (refused !== null && lockedOut(facts) !== null) {
    const detail = `${several(refused.count, 'login', 'logins')} under its name were refused, the last from ${refused.address}: the key is wrong.`;
    const names = transport === 'mqtt' ? ` User name and client id are both ${device_id}.` : '';
    return step(
      'broken',
      iso(refused.at_ms),
      detail,
      `Put the ${own} of this device into it.${names} ${REPLACE(serial)}`,
    );
  }
  if (has.state === 'none' || has.state === 'revoked') {
    if (isOpen(facts) || (seen !== null && !isSilent(facts)))
      return step(
        'ok',
        seen,
        'It needs no key: this gateway itself sends for it, from a bus of its own or from a replay.',
      );
    const detail = has.state === 'none' ? `It has no ${own} yet.` : 'Its keys were revoked.';
    const named = serial === null ? '' : ` with the serial ${serial}`;
    return step('broken', has.since, detail, `Provision it${named}, and put the key into the device.`);
  }
  if (has.state === 'expired')
    return step('broken', has.since, `Its ${own} has expired.`, `Provision it again and put the new ${own} into it.`);
  if (seen === null)
    return step(
      'waiting',
      null,
      `Nobody has used its ${own} yet.`,
      `Put the ${own} into the device. ${REPLACE(serial)}`,
    );
  if (refused !== null && isOpen(facts)) {
    const detail = `It is let in. ${several(refused.count, 'login', 'logins')} under its name were refused besides, the last from ${refused.address}.`;
    return step('ok', seen, detail);
  }
  return step('ok', seen, `It is let in with its ${own}.`);
};

/** When data came last: frames, values or a picture; null when none did. */
function dataMs({ trail: { topics, usable_ms } }: ChainFacts): number | null {
  const newest = Math.max(topics.can ?? 0, topics.telemetry ?? 0, topics.picture ?? 0, usable_ms ?? 0);
  return newest === 0 ? null : newest;
}

const topic: Judge = (facts) => {
  const { device, trail, transport, at, file } = facts;
  const { device_id, last_seen_at: seen } = device;
  const own = `v1/devices/${device_id}/`;
  const place = trail.refused_place;
  const came = transport === 'upload' && file !== null ? Date.parse(file.received_at) : dataMs(facts);
  if (place !== null && place.at_ms > (came ?? 0) && !hasFreshData(facts)) {
    const remedy =
      transport === 'upload'
        ? `Let it upload into ${at.folder}.`
        : `Let it publish frames to ${own}can, or values to ${own}telemetry.`;
    const what = transport === 'upload' ? 'uploads to a name' : 'publishes to a topic';
    return step('broken', iso(place.at_ms), `It ${what} that is not its own: ${place.place}`, remedy);
  }
  if (transport === 'upload') {
    if (came !== null) return step('ok', iso(came), `It uploads into ${at.folder}.`);
    return seen === null
      ? step('unknown', null, 'Not known before it uploads.')
      : step('ok', seen, `It uploads into ${at.folder}.`);
  }
  const to = transport === 'http' ? dataAddress(facts) : null;
  if (came !== null) {
    const { topics } = trail;
    const used = (topics.can ?? 0) >= (topics.telemetry ?? 0) ? 'can' : 'telemetry';
    return step('ok', iso(came), to === null ? `It publishes to ${own}${used}.` : `It posts to ${to}.`);
  }
  if (seen === null) return step('unknown', null, 'Not known before it connects.');
  if (device.metrics.messages_total > 0 && Object.keys(trail.topics).length === 0)
    return step('unknown', null, 'It has sent before; this version has not seen where to.');
  const remedy = to === null ? `Let it publish frames to ${own}can, or values to ${own}telemetry.` : HOW.http(facts);
  const said = trail.topics.status !== undefined || trail.topics.events !== undefined;
  return step(
    'waiting',
    seen,
    said ? 'It has sent signs of life only, and no data.' : 'It has sent nothing yet.',
    remedy,
  );
};

const CAN_EXAMPLE = '(1790000000.000000) can0 0CF00400#F07D84B01300F084';

/** What to send, by the topic that was used last. */
function format({ trail: { topics } }: ChainFacts): string {
  return (topics.telemetry ?? 0) > (topics.can ?? 0)
    ? 'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.'
    : `Send frames as candump writes them, a line each: ${CAN_EXAMPLE} ; docs/mqtt.md has the other forms.`;
}

function uploaded({ file, device }: ChainFacts): Judged {
  if (file === null)
    return device.last_seen_at === null
      ? step('unknown', null, 'Not known before it uploads.')
      : step(
          'waiting',
          device.last_seen_at,
          'It has uploaded no log yet.',
          'Check that it records: its card, and its configuration.',
        );
  const { run, name, received_at } = file;
  if (run === null || run.status === 'completed') return step('ok', received_at, `${name} was read.`);
  if (run.status === 'failed' || run.status === 'canceled')
    return step('broken', received_at, `${name} was not read. ${run.message ?? ''}`.trim(), run.remedy);
  return step('waiting', received_at, `${name} is being read.`);
}

function pictured({ file, device }: ChainFacts): Judged {
  if (file !== null) return step('ok', file.received_at, 'Its pictures arrive.');
  return device.last_seen_at === null
    ? step('unknown', null, 'Not known before it sends.')
    : step(
        'waiting',
        device.last_seen_at,
        'It has sent no picture yet.',
        'Post frames as JPEG, PNG, WebP, AVIF or GIF.',
      );
}

function unreadable(facts: ChainFacts, { reason, at_ms }: NonNullable<DeviceTrail['unusable']>): Judged {
  const count = several(facts.device.metrics.decode_errors_total, 'part', 'parts');
  return step('broken', iso(at_ms), `What it sends cannot be read: ${reason}. ${count} so far.`, format(facts));
}

/** Of a device with the status `fault`. */
function faulty(facts: ChainFacts): Judged {
  const { trail, device } = facts;
  const [last] = device.timeline_changes;
  if (last?.reason === 'reported by the device')
    return step('broken', last.at, 'The device itself reports a fault.', 'See what it says of itself, on its page.');
  if (trail.unusable !== null) return unreadable(facts, trail.unusable);
  return step('broken', last?.at ?? null, 'Most of what it sends cannot be read.', format(facts));
}

const frames: Judge = (facts) => {
  const { device, trail, transport } = facts;
  if (isCamera(facts)) return pictured(facts);
  if (transport === 'upload') return uploaded(facts);
  const { frames_total: total, decode_errors_total: broken, messages_total: messages } = device.metrics;
  const { unusable, usable_ms, refused_size } = trail;
  const came = dataMs(facts);
  if (device.status === 'fault') return faulty(facts);
  const fresh = hasFreshData(facts);
  if (refused_size !== null && refused_size.at_ms > (came ?? 0) && !fresh)
    return step('broken', iso(refused_size.at_ms), 'Its messages are over 256 KiB.', 'Send fewer frames in a message.');
  if (unusable !== null && unusable.at_ms > (usable_ms ?? 0) && !fresh) return unreadable(facts, unusable);
  if (came === null) return step('unknown', null, 'Not known before data arrives.');
  const found = total > 0 ? several(total, 'frame', 'frames') : several(messages, 'message', 'messages');
  const bad =
    broken === 0 ? '' : `; ${several(broken, 'part', 'parts')} unreadable, the last: ${unusable?.reason ?? '?'}`;
  // A recording that has ended is no fault of the bus.
  const recorded = device.observation?.late === true;
  if (usable_ms !== null && !fresh && !recorded && !isSilent(facts))
    return step(
      'waiting',
      iso(usable_ms),
      `No data since then: ${found} so far${bad}. The device itself is there.`,
      'Check the ignition, the CAN wiring and the bit rate.',
    );
  return step('ok', iso(usable_ms ?? came), `${found} so far${bad}.`);
};

const link: Judge = (facts) => {
  const { device, machine, location } = facts;
  if (machine !== null) {
    if (!machine.retired) return step('ok', device.linked_at, `It is on ${machine.unit_number}.`);
    const remedy = 'Put it on another machine, or bring this one back on its page.';
    return step('broken', device.linked_at, `${machine.unit_number} is retired, and on no board.`, remedy);
  }
  if (location !== null) return step('ok', null, `It stands at ${location}.`);
  const detail = 'It is on no machine: what it sends is kept and counts for none.';
  return step('broken', null, detail, 'Choose its machine in the list on the Devices page.');
};

const decoded: Judge = (facts) => {
  const { device, machine, transport, trail, file } = facts;
  const { observation, metrics, device_id } = device;
  if (isCamera(facts))
    return file === null
      ? step('unknown', null, 'Not known before a picture arrives.')
      : step('ok', file.received_at, 'Pictures are shown as they are.');
  if (observation === null) {
    const { frames_total: total } = metrics;
    if (trail.topics.telemetry !== undefined && total === 0 && trail.unusable === null)
      return step(
        'broken',
        iso(trail.topics.telemetry),
        'None of its values has a name that this gateway knows.',
        format(facts),
      );
    if (total === 0) return step('unknown', null, 'Not known before frames arrive.');
    const detail = `${several(total, 'frame', 'frames')}, and none holds a value that this gateway knows; ${number(trail.unknown_frames)} are of unknown groups.`;
    const remedy = 'Check that it is on the right bus. Frames of a maker need a DBC file: see the page DBC files.';
    return step(total < MANY_FRAMES ? 'waiting' : 'broken', null, detail, remedy);
  }
  const values = several(Object.keys(observation.signals).length, 'value', 'values');
  const skew = metrics.clock_skew_ms ?? 0;
  if (skew > AHEAD_MS) {
    const detail = `Its clock is ${several(Math.round(skew / 60_000), 'minute', 'minutes')} ahead: nothing of it becomes live.`;
    return step(
      'broken',
      observation.received_at,
      detail,
      `Set the clock of the device; v1/devices/${device_id}/time has the time.`,
    );
  }
  const on = machine === null ? null : `${values} on ${machine.unit_number}.`;
  if (on === null) return step('waiting', observation.received_at, `${values}, which count for no machine.`);
  if (transport === 'upload') return step('ok', observation.observed_at, on);
  if (observation.late) {
    const day = observation.observed_at.slice(0, 10);
    const detail = `${on.slice(0, -1)}, as of ${day}: a recording, or a clock that is behind. Nothing of it is live.`;
    const remedy = `Play a recording as if it were now: npx headframe replay FILE --device ${device_id} --now. Else set the clock of the device.`;
    return step('waiting', observation.received_at, detail, remedy);
  }
  return step('ok', observation.received_at, on);
};

const JUDGES: Readonly<Record<ChainStepName, Judge>> = { connection, key, topic, frames, link, decoded };

const TITLES: Readonly<Record<Transport, Readonly<Record<ChainStepName, string>>>> = {
  mqtt: {
    connection: 'Connection',
    key: 'Key',
    topic: 'Topic',
    frames: 'Frames',
    link: 'Machine',
    decoded: 'Decoded',
  },
  http: {
    connection: 'Requests',
    key: 'Key',
    topic: 'Address',
    frames: 'Values',
    link: 'Machine',
    decoded: 'Decoded',
  },
  upload: {
    connection: 'Uploads',
    key: 'Key pair',
    topic: 'Folder',
    frames: 'Log files',
    link: 'Machine',
    decoded: 'Decoded',
  },
};

function titleOf(facts: ChainFacts, name: ChainStepName): string {
  if (isCamera(facts) && name === 'frames') return 'Pictures';
  if (isCamera(facts) && name === 'decoded') return 'Shown';
  if (name === 'link' && facts.machine === null && facts.location !== null) return 'Place';
  return TITLES[facts.transport][name];
}

/** Judges every step. */
export function deviceChain(facts: ChainFacts): Chain {
  const steps = CHAIN_STEPS.map((name) => ({ step: name, title: titleOf(facts, name), ...JUDGES[name](facts) }));
  const stop = steps.find(({ state }) => state === 'broken' || state === 'waiting');
  const summary =
    stop === undefined
      ? `Everything works: ${isCamera(facts) ? 'its pictures arrive' : 'its data arrives and is decoded'}.`
      : stop.detail;
  return { stopped_at: stop?.step ?? null, summary, steps };
}
