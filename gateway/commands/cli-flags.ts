/** The flags that several commands of the `headframe` program have. */
import type { ArgsDef } from 'citty';
import type { Flags } from '#settings/config.ts';
import { SERVING, SETTINGS } from '#settings/settings.ts';

/** Returns the flags of a command for the named settings, with their descriptions from `SETTINGS`. */
export function settings(...names: readonly (keyof typeof SETTINGS)[]): ArgsDef {
  return Object.fromEntries(
    names.flatMap((name) => {
      const row = SETTINGS[name];
      if (!('flag' in row)) return [];
      const description = `${row.description} (${row.env}; ${row.fallback} when absent)`;
      return [[row.flag, { type: 'string' as const, description }]];
    }),
  );
}

/** The flags of commands that run a gateway. */
export const serving = settings(...SERVING);
/** The flag that names the data folder. */
export const data = settings('data');
/** The flag for JSON output. */
export const json = { json: { type: 'boolean', description: 'Print JSON' } } as const satisfies ArgsDef;

/** Returns the values of the flags in the form that `readConfig` expects. */
export function flags(args: Record<string, unknown>): Flags {
  return Object.fromEntries(
    Object.values(SETTINGS).flatMap((row) => {
      const value = 'flag' in row ? args[row.flag] : undefined;
      return 'flag' in row && typeof value === 'string' ? [[row.flag, value]] : [];
    }),
  );
}
