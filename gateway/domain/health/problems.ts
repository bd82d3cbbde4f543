/** Texts of health problems. Each names the problem, what the gateway stops doing while the problem lasts, and what a person can do. */

interface Row {
  readonly message: string;
  readonly given_up: string;
  readonly remedy: string;
  /** Short notice for TV boards; null if the problem does not affect what a board shows. */
  readonly screen: string | null;
}

/** Problems by code, the most severe first. */
export const PROBLEMS = {
  disk_read_only: {
    message: 'The disk is mounted read-only and refuses writes. Operating systems do that after disk errors.',
    given_up:
      'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.',
    remedy: 'Check the disk, then mount it for writing again. The gateway resumes without a restart.',
    screen: 'No new data: disk fault',
  },
  disk_full: {
    message: 'The disk is full.',
    given_up:
      'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.',
    remedy: 'Delete files that are not needed, or move them to another disk. The gateway resumes without a restart.',
    screen: 'No new data: disk full',
  },
  disk_critical: {
    message: 'The disk has almost no room left (under 2 %).',
    given_up:
      'The gateway does not accept measurements; devices keep them and send them later, as far as they can. Alerts, events and changes by people are stored.',
    remedy:
      'Delete files that are not needed, or move them to another disk. The gateway accepts measurements again once there is space.',
    screen: 'No new data: disk almost full',
  },
  disk_scarce: {
    message: 'The disk has little room left (under 5 %).',
    given_up:
      'The gateway stores no history: live values continue, but trends have a gap. Raw messages are kept only until they are processed.',
    remedy:
      'Delete files that are not needed, or move them to another disk. The gateway stores history again once there is space.',
    screen: 'Trends have gaps: disk almost full',
  },
  disk_low: {
    message: 'The disk is getting full (under 10 %).',
    given_up:
      'The gateway deletes the oldest raw messages early; values decoded from them can no longer be traced to their frames. It does not accept files from cameras and loggers; devices that can keep their files send them later.',
    remedy: 'Delete files that are not needed, or move them to another disk.',
    screen: null,
  },
  disk_slow: {
    message: 'The disk is slow: a write takes more than a fifth of a second.',
    given_up: 'Nothing. Devices wait longer for acknowledgements, and values arrive later.',
    remedy:
      'Check which other programs use the disk. A worn SD card or a failing disk also becomes slow: plan to replace it.',
    screen: null,
  },
  memory_critical: {
    message: 'Memory is almost used up (over 90 %).',
    given_up:
      'The gateway refuses new connections and does not accept measurements; devices keep them and send them later.',
    remedy: 'Close other programs on this computer, or add memory. If the gateway stops, it restarts automatically.',
    screen: 'No new data: memory full',
  },
  memory_high: {
    message: 'Memory is getting short (over 80 %).',
    given_up: 'The gateway refuses new connections. Open connections continue.',
    remedy: 'Close other programs on this computer, or add memory.',
    screen: null,
  },
  handles_short: {
    message:
      'The gateway cannot open more files and connections, because it has reached the limit of the operating system.',
    given_up: 'The gateway refuses new connections. Open connections continue.',
    remedy: 'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.',
    screen: null,
  },
  messages_wait: {
    message: 'Devices wait for acknowledgements of messages that the gateway has not accepted.',
    given_up:
      'Nothing. The devices keep these messages; the gateway reconnects a few devices at a time so that they send them again.',
    remedy: 'Nothing to do. It ends within a minute after the disk or memory shortage ends.',
    screen: null,
  },
  clock_unset: {
    message: 'The clock of this computer is not set: it shows a time before the last run of this gateway.',
    given_up:
      'The gateway continues from the time of its last run, so all times are too early. It deletes nothing because of age.',
    remedy:
      'Connect to a time server or set the clock; the gateway follows at once. If the clock is right and was wrong in an earlier run, stop the gateway, delete clock.json in its data folder, and start it again.',
    screen: 'Times are wrong: clock not set',
  },
  clock_jumped: {
    message: 'The clock of this computer jumped by more than a day.',
    given_up: 'The gateway continues with its own time. It deletes nothing because of age.',
    remedy: 'Correct the clock. If the new time is right, restart the gateway.',
    screen: null,
  },
  clock_ahead: {
    message: 'The clock of this computer is more than a year ahead of the last run of this gateway.',
    given_up: 'For a week the gateway deletes nothing because of age. After that it accepts the time.',
    remedy:
      'Correct the clock if it is wrong. If it is right, delete clock.json in the data folder and restart the gateway.',
    screen: null,
  },
} as const satisfies Record<string, Row>;

export type ProblemCode = keyof typeof PROBLEMS;

const ORDER = Object.keys(PROBLEMS) as ProblemCode[];

/** The current problems in the form of the health API, the most severe first. */
export function problemsInHealth(since: ReadonlyMap<ProblemCode, number>) {
  return ORDER.flatMap((code) => {
    const ms = since.get(code);
    if (ms === undefined) return [];
    const { message, given_up, remedy } = PROBLEMS[code];
    return [{ code, message, given_up, remedy, since: new Date(ms).toISOString() }];
  });
}

/** Returns the notice of the most severe current problem that affects TV boards; null if no problem affects them. */
export function screenNotice(since: ReadonlyMap<ProblemCode, number>): string | null {
  for (const code of ORDER) if (since.has(code) && PROBLEMS[code].screen !== null) return PROBLEMS[code].screen;
  return null;
}
