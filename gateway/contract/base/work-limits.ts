/** The limits of runs of the agent, of undos, and of what people send with the QR code of a machine. */
import type { Limit } from './history-limits.ts';

export const WORK_LIMITS = {
  agent_runs_waiting: {
    value: 1_000,
    unit: 'runs of a project',
    what: 'Prompts and custom actions that wait for the model',
    beyond: '409 `limit_reached`',
  },
  undo_items: {
    value: 1_000,
    unit: 'objects of an undo',
    what: 'Objects in the plan of an undo',
    beyond: 'the answer has their number in `more`; they are taken back by a second undo',
  },
  undo_bytes: {
    value: 1_000_000,
    unit: 'bytes of an undo',
    what: 'The plan of an undo as JSON',
    beyond: 'the answer has the number of the other objects in `more`',
  },
  planned_calls: {
    value: 640,
    unit: 'calls of a run that only plans',
    what: 'Calls in `output.details.planned`',
    beyond: '`output.details.planned_more` has the number of the other calls',
  },
  planned_bytes: {
    value: 256_000,
    unit: 'bytes of a run that only plans',
    what: '`output.details.planned` as JSON',
    beyond: '`output.details.planned_more` has the number of the other calls',
  },
  fault_receipts: {
    value: 20_000,
    unit: 'reports',
    what: 'Ids of fault reports of QR codes that phones kept, at the same time, each in at most 500 bytes',
    beyond: 'the oldest ids are deleted; a repeat of such a report joins its open ticket',
  },
  fault_receipts_per_link: {
    value: 500,
    unit: 'reports',
    what: 'These ids of one QR code',
    beyond: 'the same, for this code',
  },
  fault_reports: {
    value: 10,
    unit: 'reports a minute and address',
    what: 'Faults that one address reports with QR codes of machines, without an account',
    beyond: '429 `rate_limited`',
  },
  fault_reports_per_link: {
    value: 30,
    unit: 'reports an hour',
    what: 'Faults that are reported with one QR code of a machine',
    beyond: '429 `rate_limited`; the page asks the person to tell a supervisor',
  },
  fault_checks_per_link: {
    value: 12,
    unit: 'checks an hour',
    what: 'Checks ("OK") with one QR code of a machine',
    beyond: '429 `rate_limited` with the time to wait; the phone keeps the check and sends it then',
  },
  fault_photos: {
    value: 10,
    unit: 'photos a minute and address',
    what: 'Photos that one address sends with QR codes of machines, without an account',
    beyond: '429 `rate_limited`',
  },
  fault_photos_per_report: {
    value: 3,
    unit: 'photos',
    what: 'Photos of one report with a QR code of a machine; each has at most 900,000 characters of base64',
    beyond: '409 `limit_reached`; the report stays',
  },
  fault_photos_per_link: {
    value: 12,
    unit: 'photos an hour',
    what: 'Photos that are sent with one QR code of a machine',
    beyond: '429 `rate_limited` with the time to wait; the phone keeps the photo and sends it then',
  },
  fault_photos_per_day: {
    value: 100,
    unit: 'photos in 24 hours',
    what: 'Photos that are sent with all QR codes of machines together: at most 68 MB',
    beyond: 'the same',
  },
  fault_photo_time: {
    value: 365,
    unit: 'days',
    what: 'How long the gateway keeps a photo that was sent without an account: at most 25 GB in all',
    beyond: 'the gateway deletes the photo; the ticket stays',
  },
  fault_pages: {
    value: 60,
    unit: 'requests a minute and address',
    what: 'Pages of QR codes of machines that one address opens',
    beyond: '429 `rate_limited`',
  },
} as const satisfies Record<string, Limit>;
