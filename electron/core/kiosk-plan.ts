/** The kiosk: what it shows, on which display, how it recovers, and the PIN that ends it. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { KioskSettings, PinHash } from './settings-file.ts';
import type { Field } from './shell-channels.ts';
import { kioskAddress } from './url-policy.ts';

/** The keys that open the question for the PIN. */
export const EXIT_KEYS = 'Ctrl+Shift+Q';
const PIN = /^\d{4,8}$/;
const derive = promisify(scrypt) as (text: string, salt: Buffer, bytes: number) => Promise<Buffer>;
const HASH_BYTES = 32;

export interface Display {
  readonly id: number;
  readonly label: string;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

const displayName = (display: Display, at: number): string =>
  `${display.label || `Display ${at + 1}`} (${display.bounds.width} × ${display.bounds.height})`;

/** The text by which the settings name a display. Its id may be another after a restart. */
const displayKey = (display: Display, at: number): string => display.label || `${at + 1}`;

/** Returns the display of the settings. If it is not connected, the first one: a TV that shows something is better than none. */
export function chosenDisplay(displays: readonly Display[], wanted: string | null): Display | undefined {
  return displays.find((display, at) => wanted !== null && displayKey(display, at) === wanted) ?? displays[0];
}

/** Returns the address that a kiosk shows; `gateway` is the address of the own gateway, null if none runs. */
export function kioskUrl(show: string, gateway: string | null): string | undefined {
  if (show === 'tv') return gateway === null ? undefined : `${gateway}/tv`;
  if (show === 'office') return gateway === null ? undefined : `${gateway}/`;
  return kioskAddress(show);
}

/** The fields with which a person sets up a kiosk. */
export function kioskFields(displays: readonly Display[], now: KioskSettings | null): Field[] {
  const other = now !== null && now.show !== 'tv' && now.show !== 'office';
  return [
    {
      name: 'show',
      label: 'What the screen shows',
      kind: 'choice',
      value: other ? 'address' : (now?.show ?? 'tv'),
      options: [
        { value: 'tv', label: 'TV page of this gateway' },
        { value: 'office', label: 'Operator screen: office page of this gateway' },
        { value: 'address', label: 'A page of another gateway' },
      ],
    },
    {
      name: 'address',
      label: 'Address of the page, only for another gateway',
      kind: 'text',
      value: other ? (now?.show ?? '') : '',
    },
    {
      name: 'display',
      label: 'Display',
      kind: 'choice',
      value: now?.display ?? '',
      options: displays.map((display, at) => ({
        value: displayKey(display, at),
        label: displayName(display, at),
      })),
    },
    { name: 'pin', label: 'PIN that ends the kiosk, 4 to 8 digits', kind: 'pin', value: '' },
  ];
}

/** Reads the fields. Returns the settings, or a text that says what is wrong. */
export async function readKiosk(fields: Readonly<Record<string, string>>): Promise<KioskSettings | string> {
  const { show = 'tv', address = '', display = '', pin = '' } = fields;
  const shown = show === 'address' ? kioskAddress(address) : show;
  if (shown === undefined) return 'The address must begin with http:// or https://, such as http://10.2.0.5:8480/tv.';
  if (!PIN.test(pin)) return 'Choose a PIN of 4 to 8 digits.';
  return { show: shown, display: display === '' ? null : display, pin: await hashPin(pin) };
}

export async function hashPin(pin: string): Promise<PinHash> {
  const salt = randomBytes(16);
  return { salt: salt.toString('base64'), hash: (await derive(pin, salt, HASH_BYTES)).toString('base64') };
}

/** Wrong PINs after which each further one makes the person wait. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 15 * 60_000;

export interface PinGuard {
  /** Returns true if the PIN is right, or a text that says why not. A wrong PIN after the fifth makes the person wait. */
  check(pin: string): Promise<true | string>;
}

/** Creates the check of the PIN. `now` is a time in milliseconds that never goes back. */
export function createPinGuard(stored: PinHash, now: () => number): PinGuard {
  let wrong = 0;
  let free_ms = 0;
  let busy = false;
  return {
    async check(pin) {
      const wait_ms = free_ms - now();
      if (wait_ms > 0) return `Too many wrong PINs. Wait ${Math.ceil(wait_ms / 1_000)} s.`;
      if (busy) return 'The last PIN is still being checked.';
      busy = true;
      try {
        const wanted = Buffer.from(stored.hash, 'base64');
        const given = await derive(pin.slice(0, 20), Buffer.from(stored.salt, 'base64'), HASH_BYTES);
        if (wanted.length === given.length && timingSafeEqual(wanted, given)) {
          wrong = 0;
          return true;
        }
      } finally {
        busy = false;
      }
      wrong++;
      if (wrong >= FREE_TRIES) free_ms = now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (wrong - FREE_TRIES));
      return 'The PIN is wrong.';
    },
  };
}

const FIRST_RELOAD_MS = 1_000;
const LONGEST_RELOAD_MS = 30_000;

/** Returns the wait before a page that hangs, crashed or did not load is loaded again; `failures` counts them since it last loaded. */
export function reloadWait(failures: number): number {
  return Math.min(LONGEST_RELOAD_MS, FIRST_RELOAD_MS * 2 ** Math.max(0, failures - 1));
}
