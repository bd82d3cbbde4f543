/** The words above the strip of a status board that are chosen by a code. */
import type { Reason } from '#contract/site/trouble.ts';

/** Why a reason probably exists. */
export const PROBABLY = {
  coolant_leak: 'Coolant level down {down} %: probably a leak.',
  oil_low: 'Oil level {level} %: probably too little oil.',
  not_charging: 'The engine runs: probably the alternator.',
  no_power: 'Its battery had {value} V.',
  link_lost: '{count} machines there went silent together.',
} as const satisfies Readonly<Record<NonNullable<Reason['probably']>['code'], string>>;

export const STILL = { driving: 'Still driving.', running: 'Engine still running.' } as const;
