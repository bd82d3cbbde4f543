/**
 * Diagnosis of a device: the chain of steps from its connection to decoded values.
 *
 *   connection -> key -> topic -> frames -> link -> decoded
 *
 * Each step has a state, a finding and a remedy. `stopped_at` names the first step with the state `broken` or `waiting`. The diagnosis
 * computes the later steps as well. The functions have no side effects, and their result depends only on their input (`ChainFacts`).
 */
import { part, type Sayable, say, type Told } from '#contract/base/told.ts';
import { CHAIN_STEPS, type ChainStep, type ChainStepName } from '#contract/fleet/device-diagnosis.ts';
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';
import { clockFinding } from './chain-clock.ts';
import {
  type ChainFacts,
  hasFreshData,
  isCamera,
  isOpen,
  iso,
  isSilent,
  type Judge,
  type Judged,
  number,
  several,
  step,
} from './chain-facts.ts';
import { key, lockedOut } from './chain-key.ts';
import { titleOf } from './chain-titles.ts';

/** The diagnosis of a device. */
export interface Chain {
  readonly stopped_at: ChainStepName | null;
  readonly summary: string;
  readonly steps: ChainStep[];
}

/** A logger normally sends nothing between two uploads. The diagnosis reports missing uploads only after this time, in milliseconds. */
const UPLOAD_MS = 86_400_000;
/** If the clock of a device is ahead of the gateway by more than this, in milliseconds, its data never counts as live. */
const AHEAD_MS = 300_000;
/** The step `decoded` is `broken` if the device has sent this many frames and the gateway could decode no value from them. */
const MANY_FRAMES = 200;

const RESOLVED = {
  retired: 'it was taken out of use',
  no_power: 'it has no power',
  no_coverage: 'it has no network',
  replaced: 'it was replaced',
  maintenance: 'it is being serviced',
  unknown: 'the reason is not known',
} as const;

/** Returns a sentence with the reason that a person entered for the silence of the device; none if there is none. */
function explained({ device }: ChainFacts): Told[] {
  const said = device.offline_resolution;
  return said === null ? [] : [say('A person noted: {reason}.', { reason: part(RESOLVED[said.resolution]) })];
}

const HOW: Readonly<Record<Transport, (facts: ChainFacts) => Told>> = {
  mqtt: ({ at, device: { device_id } }) =>
    say('Let the device connect to {address} over MQTT, with user name and client id {name}.', {
      address: at.mqtt,
      name: device_id,
    }),
  http: (facts) =>
    say('Let the device post to {address} with the header "Authorization: Bearer" and its key.', {
      address: dataAddress(facts),
    }),
  upload: ({ at }) =>
    say('Let the logger upload to {address}, with the key pair from this page.', { address: at.bucket }),
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
    const ip = connectivity?.ip ?? null;
    const detail =
      ip === null ? 'The device has an open session.' : say('The device has an open session from {ip}.', { ip });
    return step('ok', connectivity?.since ?? null, detail);
  }
  const locked = lockedOut(facts);
  if (locked !== null)
    return step(
      'ok',
      iso(locked.at_ms),
      say('A device at {address} reaches this gateway.', { address: locked.address }),
    );
  if (key.state === 'none' || key.state === 'revoked') {
    if (seen === null || isSilent(facts))
      return step('unknown', seen, 'No device can connect with this name before it has a key.');
  }
  if (seen === null) return step('waiting', null, 'Nothing has come from this device yet.', HOW[transport](facts));
  if (isSilent(facts)) {
    const away = transport === 'upload' && now - Date.parse(seen) < UPLOAD_MS;
    if (away) return step('ok', seen, 'The device has uploaded before; it is offline between two uploads.');
    const detail = [say('The device has stopped sending.'), ...explained(facts)];
    return step('broken', seen, detail, [say('Check the power and the network of the device.'), HOW[transport](facts)]);
  }
  if (transport === 'mqtt')
    return step('ok', seen, 'The device has sent data. It has no connection between two messages.');
  return step('ok', seen, transport === 'http' ? 'The device sends over HTTP.' : 'The device uploads files.');
};

/** Time of the newest data (frames, values or a picture); null if there is none. */
function dataMs({ trail: { topics, usable_ms } }: ChainFacts): number | null {
  const newest = Math.max(topics.can ?? 0, topics.telemetry ?? 0, topics.picture ?? 0, usable_ms ?? 0);
  return newest === 0 ? null : newest;
}

const publishes = (own: string): Told =>
  say('Let it publish frames to {frames}, or values to {values}.', { frames: `${own}can`, values: `${own}telemetry` });

const STRANGE = {
  mqtt: 'The device publishes to a topic that does not belong to it: {place}',
  http: 'The device posts to an address that does not belong to it: {place}',
  upload: 'The device uploads to a name that does not belong to it: {place}',
} as const;

const topic: Judge = (facts) => {
  const { device, trail, transport, at, file } = facts;
  const { device_id, last_seen_at: seen } = device;
  const own = `v1/devices/${device_id}/`;
  const place = trail.refused_place;
  const came = transport === 'upload' && file !== null ? Date.parse(file.received_at) : dataMs(facts);
  if (place !== null && place.at_ms > (came ?? 0) && !hasFreshData(facts)) {
    const remedy = {
      mqtt: publishes(own),
      http: HOW.http(facts),
      upload: say('Let it upload into {folder}.', { folder: at.folder }),
    }[transport];
    return step('broken', iso(place.at_ms), { text: STRANGE[transport], params: { place: place.place } }, remedy);
  }
  if (transport === 'upload') {
    if (came !== null) return step('ok', iso(came), say('The device uploads into {folder}.', { folder: at.folder }));
    return seen === null
      ? step('unknown', null, 'Unknown until the device uploads a file.')
      : step('ok', seen, say('The device uploads into {folder}.', { folder: at.folder }));
  }
  const to = transport === 'http' ? dataAddress(facts) : null;
  if (came !== null) {
    const { topics } = trail;
    const used = (topics.can ?? 0) >= (topics.telemetry ?? 0) ? 'can' : 'telemetry';
    return step(
      'ok',
      iso(came),
      to === null
        ? say('The device publishes to {topic}.', { topic: `${own}${used}` })
        : say('The device posts to {address}.', { address: to }),
    );
  }
  if (seen === null) return step('unknown', null, 'Unknown until the device connects.');
  if (device.metrics.messages_total > 0 && Object.keys(trail.topics).length === 0)
    return step('unknown', null, 'The device has sent before, but the gateway did not record to which address.');
  const remedy = to === null ? publishes(own) : HOW.http(facts);
  const said = trail.topics.status !== undefined || trail.topics.events !== undefined;
  return step(
    'waiting',
    seen,
    said ? 'The device has sent status messages but no data.' : 'The device has sent nothing yet.',
    remedy,
  );
};

const CAN_EXAMPLE = '(1790000000.000000) can0 0CF00400#F07D84B01300F084';

/** Returns a remedy text with the message format of the topic that the device used last. */
function format({ trail: { topics } }: ChainFacts): Sayable {
  return (topics.telemetry ?? 0) > (topics.can ?? 0)
    ? 'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.'
    : say('Send frames as candump prints them, one frame a line: {example} ; docs/mqtt.md has the other forms.', {
        example: CAN_EXAMPLE,
      });
}

function uploaded({ file, device }: ChainFacts): Judged {
  if (file === null)
    return device.last_seen_at === null
      ? step('unknown', null, 'Unknown until the device uploads a file.')
      : step(
          'waiting',
          device.last_seen_at,
          'The device has uploaded no log yet.',
          'Check that the logger records: check its memory card and its configuration.',
        );
  const { run, name, received_at } = file;
  if (run === null || run.status === 'completed') return step('ok', received_at, say('{name} was read.', { name }));
  if (run.status === 'failed' || run.status === 'canceled')
    return step(
      'broken',
      received_at,
      [say('{name} could not be decoded.', { name }), ...(run.message === null ? [] : [{ text: run.message }])],
      run.remedy,
    );
  return step('waiting', received_at, say('{name} is being decoded.', { name }));
}

function pictured({ file, device }: ChainFacts): Judged {
  if (file !== null) return step('ok', file.received_at, 'Pictures of the device arrive.');
  return device.last_seen_at === null
    ? step('unknown', null, 'Unknown until the device sends something.')
    : step(
        'waiting',
        device.last_seen_at,
        'The device has sent no picture yet.',
        'Post frames as JPEG, PNG, WebP, AVIF or GIF.',
      );
}

function unreadable(facts: ChainFacts, { reason, at_ms }: NonNullable<DeviceTrail['unusable']>): Judged {
  const n = facts.device.metrics.decode_errors_total;
  return step(
    'broken',
    iso(at_ms),
    say(
      'The gateway cannot decode what the device sends: {reason}. {count} part so far.|The gateway cannot decode what the device sends: {reason}. {count} parts so far.',
      { n, count: number(n), reason: part(reason) },
    ),
    format(facts),
  );
}

/** The finding for a device with the status `fault`. */
function faulty(facts: ChainFacts): Judged {
  const { trail, device } = facts;
  const [last] = device.timeline_changes;
  if (last?.reason === 'reported by the device')
    return step(
      'broken',
      last.at,
      'The device itself reports a fault.',
      'See the reported state on the page of the device.',
    );
  if (trail.unusable !== null) return unreadable(facts, trail.unusable);
  return step('broken', last?.at ?? null, 'The gateway cannot decode most of what the device sends.', format(facts));
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
  if (came === null) return step('unknown', null, 'Unknown until the device sends data.');
  const found =
    total > 0 ? several(total, '{count} frame|{count} frames') : several(messages, '{count} message|{count} messages');
  const bad =
    broken === 0
      ? []
      : [
          say('{count} part is unreadable, the last: {reason}.|{count} parts are unreadable, the last: {reason}.', {
            n: broken,
            count: number(broken),
            reason: part(unusable?.reason ?? '?'),
          }),
        ];
  // The end of a replayed recording is not a bus fault.
  const recorded = device.observation?.late === true;
  if (usable_ms !== null && !fresh && !recorded && !isSilent(facts))
    return step(
      'waiting',
      iso(usable_ms),
      [
        isOpen(facts)
          ? say('The device is connected but has stopped sending data: {found} so far.', { found })
          : say('The device has stopped sending data: {found} so far.', { found }),
        ...bad,
      ],
      'Check the ignition, the CAN wiring and the bit rate.',
    );
  return step('ok', iso(usable_ms ?? came), [say('{found} so far.', { found }), ...bad]);
};

const link: Judge = (facts) => {
  const { device, machine, location } = facts;
  if (machine !== null) {
    if (!machine.retired)
      return step('ok', device.linked_at, say('The device is linked to {machine}.', { machine: machine.unit_number }));
    const remedy = 'Link the device to another machine, or set this machine to available on its page.';
    return step(
      'broken',
      device.linked_at,
      say('The device is linked to {machine}, which is decommissioned and shown on no board.', {
        machine: machine.unit_number,
      }),
      remedy,
    );
  }
  if (location !== null) return step('ok', null, say('The device is linked to the location {location}.', { location }));
  const detail = 'The device is linked to no machine: its data is stored but belongs to no machine.';
  return step('broken', null, detail, 'Choose its machine in the list on the Devices page.');
};

const decoded: Judge = (facts) => {
  const { device, machine, transport, trail, file } = facts;
  const { observation, metrics, device_id } = device;
  if (isCamera(facts))
    return file === null
      ? step('unknown', null, 'Unknown until a picture arrives.')
      : step('ok', file.received_at, 'Screens show pictures directly, without decoding.');
  if (observation === null) {
    const { frames_total: total } = metrics;
    if (trail.topics.telemetry !== undefined && total === 0 && trail.unusable === null)
      return step(
        'broken',
        iso(trail.topics.telemetry),
        'The device sends values, but this gateway knows the name of none of them.',
        format(facts),
      );
    if (total === 0) return step('unknown', null, 'Unknown until the device sends frames.');
    const detail = say('{found}, but the gateway could decode no value from them; {unknown} are of unknown groups.', {
      found: several(total, '{count} frame|{count} frames'),
      unknown: number(trail.unknown_frames),
    });
    const remedy =
      'Check that the device is on the right bus. Proprietary frames of a manufacturer need a DBC file: see the page DBC files.';
    return step(total < MANY_FRAMES ? 'waiting' : 'broken', null, detail, remedy);
  }
  const values = several(Object.keys(observation.signals).length, '{count} value|{count} values');
  const skew = metrics.clock_skew_ms ?? 0;
  if (skew > AHEAD_MS) {
    const gnss = metrics.gnss_clock === undefined ? [] : clockFinding(facts);
    const detail = [
      say('Its clock is {time} ahead, so its data does not count as live.', {
        time: part('{n} minute|{n} minutes', { n: Math.round(skew / 60_000) }),
      }),
      ...gnss,
    ];
    return step(
      'broken',
      observation.received_at,
      detail,
      say('Set the clock of the device; {topic} has the time.', { topic: `v1/devices/${device_id}/time` }),
    );
  }
  if (machine === null)
    return step('waiting', observation.received_at, say('{values}, which belong to no machine.', { values }));
  const of = { values, machine: machine.unit_number };
  if (transport === 'upload') return step('ok', observation.observed_at, say('{values} on {machine}.', of));
  if (observation.late) {
    const day = observation.observed_at.slice(0, 10);
    const detail = [
      say(
        '{values} on {machine}, as of {day}: the data is a recording, or the clock of the device is behind. It does not count as live.',
        { ...of, day },
      ),
      ...(metrics.gnss_clock === undefined ? [] : clockFinding(facts)),
    ];
    const remedy = say('To replay a recording with current times: {command}. Otherwise set the clock of the device.', {
      command: `npx headframe replay FILE --device ${device_id} --now`,
    });
    return step('waiting', observation.received_at, detail, remedy);
  }
  return step('ok', observation.received_at, [say('{values} on {machine}.', of), ...clockFinding(facts)]);
};

const JUDGES: Readonly<Record<ChainStepName, Judge>> = { connection, key, topic, frames, link, decoded };

/** Computes all steps of the diagnosis. */
export function deviceChain(facts: ChainFacts): Chain {
  const steps = CHAIN_STEPS.map((name) => ({ step: name, title: titleOf(facts, name), ...JUDGES[name](facts) }));
  const stop = steps.find(({ state }) => state === 'broken' || state === 'waiting');
  const summary =
    stop === undefined
      ? isCamera(facts)
        ? 'Everything works: its pictures arrive.'
        : 'Everything works: its data arrives and is decoded.'
      : stop.detail;
  return { stopped_at: stop?.step ?? null, summary, steps };
}
