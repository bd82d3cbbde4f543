/** The command line of the desktop app. */
import { kioskAddress } from './url-policy.ts';

export interface Launch {
  /** True at a start with the system: no window opens, only the tray icon. */
  readonly hidden: boolean;
  /** True if the running app shall quit. Some desktops show no tray icons. */
  readonly quit: boolean;
  /** The page of another gateway that a computer without an own gateway shows as a kiosk (`--tv=ADDRESS`). */
  readonly tv: string | null;
  /** What is wrong with the command line. */
  readonly problem: string | null;
}

/** Reads the arguments. Ignores those that it does not know, because Chromium has many of its own. */
export function readLaunch(args: readonly string[]): Launch {
  const given = args.find((one) => one.startsWith('--tv='))?.slice('--tv='.length);
  const tv = given === undefined ? null : (kioskAddress(given) ?? null);
  const problem =
    given !== undefined && tv === null
      ? `--tv must be the address of a TV page, such as --tv=http://10.2.0.5:8480/tv, not ${given.slice(0, 100)}.`
      : null;
  return { hidden: args.includes('--hidden'), quit: args.includes('--quit'), tv, problem };
}
