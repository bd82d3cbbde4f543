/** Browsers that send late writes, for the tests of this room: what a browser kept, and a shared tablet with its people. */
import assert from 'node:assert/strict';
import { PAGE_HEADER } from '#contract/client.ts';
import { AGO_HEADER, PASS_HEADER } from '#contract/late-writes.ts';
import { sessionHandlers } from '#handlers/access/sessions.ts';
import { tabletSignInHandlers } from '#handlers/access/tablet-sign-in.ts';
import { tabletHandlers } from '#handlers/access/tablets.ts';
import { userPinHandlers } from '#handlers/access/user-pins.ts';
import { userHandlers } from '#handlers/access/users.ts';
import { writingPassHandlers } from '#handlers/access/writing-passes.ts';
import { eventHandlers } from '#handlers/base/events.ts';
import { equipmentHandlers } from '#handlers/fleet/equipment.ts';
import { equipmentTakeHandlers } from '#handlers/fleet/equipment-take.ts';
import { faultLinkHandlers, faultReportHandlers } from '#handlers/work/fault-reports.ts';
import { repairTicketHandlers } from '#handlers/work/repair-tickets.ts';
import { enrol, PASSPHRASE } from './people.ts';
import { type Rig, type RigOptions, startRig } from './rig.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const PIN = '730164';

export const startLate = (options: RigOptions = {}) =>
  startRig({
    ...options,
    groups: [
      userHandlers,
      sessionHandlers,
      userPinHandlers,
      tabletHandlers,
      tabletSignInHandlers,
      writingPassHandlers,
      eventHandlers,
      equipmentHandlers,
      equipmentTakeHandlers,
      repairTicketHandlers,
      faultLinkHandlers,
      faultReportHandlers,
    ],
    http: { requestsPerMinute: 1_000_000 },
  });

/** A write that a browser kept. */
interface Kept {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly id: string;
  readonly pass: string;
  readonly ago_ms: number | 'unknown';
  readonly if_match?: number;
  /** Another project than that of the rig. */
  readonly project?: string;
}

interface Answer {
  readonly id?: string;
  readonly revision?: number;
  readonly actor?: { readonly name: string };
  readonly taken?: { readonly by: string; readonly at: string };
  readonly started_at?: string;
  readonly occurred_at?: string;
  readonly recorded_at?: string;
  readonly data?: { readonly time_not_known?: boolean };
  readonly error?: { readonly code: string; readonly message: string; readonly details: object[] };
}

/** Sends a late write with the cookies of a browser. */
export async function deliver(rig: Rig, cookie: string, write: Kept, as = '1') {
  const response = await fetch(`${rig.base}/api/v1/${write.path}`, {
    method: write.method ?? 'POST',
    headers: {
      cookie,
      origin: rig.base,
      'content-type': 'application/json',
      'project-id': write.project ?? rig.project,
      'idempotency-key': write.id,
      [PAGE_HEADER]: as,
      [PASS_HEADER]: write.pass,
      [AGO_HEADER]: String(write.ago_ms),
      ...(write.if_match !== undefined && { 'if-match': `"${write.if_match}"` }),
    },
    body: JSON.stringify(write.body ?? {}),
  });
  const body = (await response.json()) as Answer;
  return { status: response.status, replayed: response.headers.get('idempotent-replayed') === 'true', body };
}

export async function ticketOf(rig: Rig) {
  const machine = await rig.client().call('equipment_create', { unit_number: 'HT-03' });
  const ticket = await rig.client().call('repair_tickets_create', { title: 'Leak', equipment_id: machine.id });
  return { machine, ticket };
}

/** A tablet with the people who may use it; each has a PIN. */
export async function tabletOf(rig: Rig, names: readonly string[]) {
  const people = new Map<string, string>();
  for (const name of names) {
    const { id, browser } = await enrol(rig, name, 'mechanic');
    await browser.client.call('users_pin', { id, current: PASSPHRASE, pin: PIN });
    people.set(name, id);
  }
  const made = await rig.client().call('tablets_create', { name: 'Workshop', roles: ['mechanic'] });
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', [PAGE_HEADER]: '1', cookie: cookie(), origin: rig.base };
    const response = await fetch(`${rig.base}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as Record<string, string>;
  };
  const enrolWith = (url: string) => ask('tablet-enrolments', { token: url.split('#tablet=')[1] });
  await enrolWith(made.url);
  return {
    id: made.tablet.id,
    people,
    cookie,
    signIn: (name: string) => ask('tablet/session', { user_id: people.get(name), pin: PIN }),
    enrolAgain: async () => enrolWith((await rig.client().call('tablets_link', { id: made.tablet.id })).url),
    pass: async () => (await ask('writing-passes', {})).pass ?? '',
    /** Forgets the session of the person; the tablet stays enrolled. */
    forget: () => {
      for (const name of jar.keys()) if (!name.includes('tablet')) jar.delete(name);
    },
  };
}
