/**
 * The settings of the desktop app, in one file of its own folder. It has no secret: the PIN of the kiosk is a scrypt hash. The settings of the
 * gateway itself are in the data folder.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** The flags of `headframe start` that choose a port. */
const PORT_FLAGS = ['port', 'mqtt-port', 'bucket-port', 'https-port', 'mqtts-port', 'bucket-tls-port'] as const;

const PinHash = z.object({ salt: z.string(), hash: z.string() });
export type PinHash = z.infer<typeof PinHash>;

const Kiosk = z.object({
  /** `tv`: the TV page of the own gateway. `office`: its office page, for an operator screen. Otherwise the address of a page. */
  show: z.string().min(1).max(500),
  /** Label of the display; null: the main display. */
  display: z.string().max(200).nullable(),
  pin: PinHash,
});
export type KioskSettings = z.infer<typeof Kiosk>;

const Settings = z.object({
  /** The data folder; null before the first run. */
  data: z.string().max(4_000).nullable().default(null),
  /** The user who stays signed in on this computer; null if nobody does. */
  user_id: z.string().max(80).nullable().default(null),
  /** Ports that differ from the defaults of the gateway. */
  ports: z.partialRecord(z.enum(PORT_FLAGS), z.number().int().min(1).max(65_535)).default({}),
  kiosk: Kiosk.nullable().default(null),
});
export type DesktopSettings = z.infer<typeof Settings>;
export type PortFlag = (typeof PORT_FLAGS)[number];

/** Returns the flag if `headframe start` has it. */
export function portFlag(text: string): PortFlag | undefined {
  return PORT_FLAGS.find((flag) => flag === text);
}

export interface SettingsFile {
  readonly now: DesktopSettings;
  /** Changes some settings and writes the file. Throws an error of the operating system if that fails; the settings then stay the same. */
  change(some: Partial<DesktopSettings>): void;
}

/** Opens the settings. A file that cannot be read as settings is kept under another name, and the settings are as before the first run. */
export function openSettings(path: string): SettingsFile {
  let now = read(path);
  return {
    get now() {
      return now;
    },
    change(some) {
      const next = { ...now, ...some };
      const text = `${JSON.stringify(next, null, 2)}\n`;
      // A power cut during the write leaves the earlier file.
      writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
      now = next;
    },
  };
}

function read(path: string): DesktopSettings {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Settings.parse({});
    throw error;
  }
  try {
    return Settings.parse(JSON.parse(text));
  } catch {
    renameSync(path, `${path}.damaged`);
    return Settings.parse({});
  }
}
