/** Limits of stored history: how long it is kept, and its share of the disk. */

export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  /** The behaviour at the limit, as a caller sees it. */
  readonly beyond: string;
}

/** The limits of stored history, which are a part of `LIMITS`. */
export const HISTORY_LIMITS = {
  history_days: {
    value: 30,
    unit: 'days',
    what: 'How long a sample of history is kept, from the time when the gateway stored it (HEADFRAME_HISTORY_DAYS)',
    beyond: 'deleted; `history_from` of the machine is the time of the newest deleted sample',
  },
  rollup_days: {
    value: 400,
    unit: 'days',
    what: 'How long the statistics of a minute are kept, from the time when the gateway stored them (HEADFRAME_ROLLUP_DAYS)',
    beyond: 'deleted; a chart of that time is made from samples while they are kept',
  },
  history_share: {
    value: 60,
    unit: '% of the disk',
    what: 'Samples of history in the database and their copy in the backups (HEADFRAME_HISTORY_PERCENT)',
    beyond:
      'the samples of the oldest day are deleted, of all machines, except those of the last 24 hours; `deleted` in reads of telemetry names the range',
  },
  rollup_share: {
    value: 10,
    unit: '% of the disk',
    what: 'Statistics of minutes in the database and their copy in the backups (HEADFRAME_ROLLUP_PERCENT)',
    beyond: 'the statistics of the oldest day are deleted, of all machines; `deleted` in reads of telemetry names it',
  },
  raw_share: {
    value: 10,
    unit: '% of the disk',
    what: 'The raw messages of devices in the journal, and never more than 4 GiB (HEADFRAME_RAW_PERCENT: this share without the 4 GiB)',
    beyond: 'the oldest raw messages are deleted',
  },
  freeze_seconds: {
    value: 60,
    unit: 's',
    what: 'Raw CAN frames that are kept before and after a critical alert (HEADFRAME_FREEZE_SECONDS)',
    beyond: 'in the journal only, until it deletes them',
  },
  freeze_day: {
    value: 256,
    unit: 'MB',
    what: 'Raw CAN frames that are kept in a UTC day around critical alerts (HEADFRAME_FREEZE_DAY_MEGABYTES)',
    beyond: 'nothing more is kept that day; `raw_traffic` of the alert says so',
  },
  freeze_total: {
    value: 2_048,
    unit: 'MB',
    what: 'All kept raw CAN frames (HEADFRAME_FREEZE_TOTAL_MEGABYTES)',
    beyond: 'the oldest files are deleted; `raw_traffic` of their alerts says so',
  },
  database_share: {
    value: 40,
    unit: '% of the disk',
    what: 'Size of the database (HEADFRAME_DATABASE_GIGABYTES)',
    beyond:
      'the oldest samples are deleted early, except those of the last 24 hours; `history` in health lists the machines',
  },
} as const satisfies Record<string, Limit>;
