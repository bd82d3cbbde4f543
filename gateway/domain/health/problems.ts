/** Texts of health problems: what is wrong, what the gateway stops doing because of it, and what a person can do. */

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
    message: 'The disk takes no writes: it is mounted read-only. Systems do that after disk errors.',
    given_up:
      'Nothing is stored. Devices get no acknowledgement and keep their messages; pages, lists and screens can be read.',
    remedy: 'Check the disk, then mount it for writing again. The gateway goes on by itself.',
    screen: 'No new data: disk fault',
  },
  disk_full: {
    message: 'The disk is full.',
    given_up:
      'Nothing is stored. Devices get no acknowledgement and keep their messages; pages, lists and screens can be read.',
    remedy: 'Delete what is not needed from the disk, or move it elsewhere. The gateway goes on by itself.',
    screen: 'No new data: disk full',
  },
  disk_critical: {
    message: 'The disk has almost no room left (under 2 %).',
    given_up:
      'Measurements are not taken: devices keep them and send them later, as far as they can. Alarms, events and what people write are stored.',
    remedy:
      'Delete what is not needed from the disk, or move it elsewhere. Measurements go on by themselves once there is room.',
    screen: 'No new data: disk almost full',
  },
  disk_scarce: {
    message: 'The disk has little room left (under 5 %).',
    given_up: 'History is not stored: live values go on, trends have a gap. Raw messages are kept for a restart only.',
    remedy:
      'Delete what is not needed from the disk, or move it elsewhere. History goes on by itself once there is room.',
    screen: 'Trends have gaps: disk almost full',
  },
  disk_low: {
    message: 'The disk is getting full (under 10 %).',
    given_up:
      'The oldest raw messages are deleted early: numbers made of them can no longer be traced to their frames. Files of cameras and loggers are not taken: who can keeps them.',
    remedy: 'Make room on the disk: delete what is not needed, or move it elsewhere.',
    screen: null,
  },
  disk_slow: {
    message: 'The disk is slow: a write takes more than a fifth of a second.',
    given_up: 'Nothing, but it is slower: devices wait longer for acknowledgements, and values arrive later.',
    remedy: 'See what else uses the disk. A worn SD card or a dying disk looks like this too: plan its exchange.',
    screen: null,
  },
  memory_critical: {
    message: 'Memory is almost used up (over 90 %).',
    given_up: 'New connections are refused, and measurements are not taken: devices keep them and send them later.',
    remedy:
      'Close what else runs on this machine, or give it more memory. Should the gateway end, it starts again by itself.',
    screen: 'No new data: memory full',
  },
  memory_high: {
    message: 'Memory is getting short (over 80 %).',
    given_up: 'New connections are refused; those that are open go on.',
    remedy: 'Close what else runs on this machine, or give it more memory.',
    screen: null,
  },
  handles_short: {
    message: 'The gateway may open no more files and connections: the limit of this system is reached.',
    given_up: 'New connections are refused; those that are open go on.',
    remedy: 'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.',
    screen: null,
  },
  messages_wait: {
    message: 'Devices wait with messages that were not taken.',
    given_up: 'Nothing: they keep what is not acknowledged, and are asked to send it again a few at a time.',
    remedy: 'Nothing to do: it passes within a minute once there is room.',
    screen: null,
  },
  clock_unset: {
    message: 'The clock of this machine is not set: it tells a time before this gateway last ran.',
    given_up: 'Times are counted on from the last run and are too early; nothing is deleted for its age.',
    remedy:
      'Connect to a time server or set the clock; the gateway follows at once. Is the clock right, and the gateway ran with a wrong one before? Stop it, delete clock.json in its data folder, start it.',
    screen: 'Times are wrong: clock not set',
  },
  clock_jumped: {
    message: 'The clock of this machine jumped by more than a day.',
    given_up: 'Nothing: the gateway goes on with its own time; nothing is deleted for its age.',
    remedy: 'Set the clock right. If the new time is right, start the gateway again.',
    screen: null,
  },
  clock_ahead: {
    message: 'The clock of this machine is more than a year ahead of when this gateway last ran.',
    given_up: 'Nothing is deleted for its age for a week; then the time is believed.',
    remedy:
      'Set the clock if it is wrong. If it is right, delete clock.json in the data folder and start the gateway again.',
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

/** The notice for TV boards: that of the most severe problem that affects them; null if there is none. */
export function screenNotice(since: ReadonlyMap<ProblemCode, number>): string | null {
  for (const code of ORDER) if (since.has(code) && PROBLEMS[code].screen !== null) return PROBLEMS[code].screen;
  return null;
}
