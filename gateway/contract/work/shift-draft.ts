/**
 * Operations that compute from history and the logs of machines: the draft of a shift report, and what changed since a person looked at a
 * draft or since a report was submitted.
 */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';
import { TICKET_STATUS } from './repair-ticket.ts';
import {
  CalendarDate,
  ClassMinutes,
  Kpi,
  SHIFT_CLASSES,
  Shift,
  ShiftName,
  Stopped,
  Usage,
  UsageMinutes,
} from './shift-report.ts';

/** The largest number of changes in an answer. */
export const MOST_CHANGES = 500;
/** The largest number of items of each kind of evidence of a stoppage. */
export const MOST_EVIDENCE = 10;

const Change = z
  .object({
    equipment_id: z.string(),
    unit_number: z.string(),
    from: Timestamp,
    to: Timestamp,
    was: z.enum(SHIFT_CLASSES),
    now: z.enum(SHIFT_CLASSES),
    cause: z.enum(['data', 'report']).meta({ description: 'data: new data. report: a report of a person.' }),
    stored_by: Timestamp.nullable().meta({
      description: 'History had the new data at this time at the latest; null: not stored yet, or no new data.',
    }),
  })
  .meta({ id: 'ShiftChange', description: 'Time whose class is not what it was.' });
export type ShiftChange = z.infer<typeof Change>;

const Changes = z
  .object({
    since: Timestamp.nullable().meta({ description: 'Time of the comparison; null: nothing to compare with.' }),
    of: z.enum(['look', 'report']).nullable().meta({
      description: "look: the caller's last look. report: the submitted report.",
    }),
    items: z.array(Change).meta({ description: `Changes of at least a minute, at most ${MOST_CHANGES}.` }),
    more: z.boolean().meta({ description: 'True if there are more changes.' }),
  })
  .meta({ id: 'ShiftChanges' });
export type ShiftChanges = z.infer<typeof Changes>;

const Stoppage = z
  .object({
    equipment_id: z.string(),
    unit_number: z.string(),
    started_at: Timestamp,
    ended_at: Timestamp,
    minutes: z.number().int().min(0).meta({ unit: 'min' }),
    category: z.enum(['scheduled_downtime', 'unscheduled_downtime']),
    reported: z
      .array(z.object({ event_id: z.string(), at: Timestamp, by: z.string().nullable(), type: z.string() }))
      .meta({ description: 'Events of the machine that reported it.' }),
    tickets: z.array(z.object({ id: z.string(), number: z.string(), title: z.string(), status: shown(TICKET_STATUS) })),
    alerts: z.array(
      z.object({ id: z.string(), rule_name: z.string(), raised_at: Timestamp, cleared_at: Timestamp.nullable() }),
    ),
    codes: z
      .array(
        z.object({
          spn: z.number().int().nullable(),
          fmi: z.number().int(),
          meaning: z.string().nullable(),
          since: Timestamp.nullable(),
          until: Timestamp.nullable(),
        }),
      )
      .meta({ description: 'Trouble codes that were active.' }),
    more: z.boolean().meta({ description: `True if a list has more than its ${MOST_EVIDENCE} items.` }),
  })
  .meta({ id: 'ShiftStoppage', description: 'A stoppage, with everything that overlaps it.' });
export type Stoppage = z.infer<typeof Stoppage>;

const Draft = z
  .object({
    object: z.literal('shift_report_draft'),
    computed_at: Timestamp,
    computed_until: Timestamp.meta({ description: 'The end of the shift; during the shift, the current time.' }),
    complete: z.boolean().meta({ description: 'The shift is over.' }),
    more_machines: z
      .boolean()
      .meta({ description: 'True if the location has more machines than a draft can hold (200).' }),
    time_classes: z
      .array(z.object({ equipment_id: z.string(), unit_number: z.string(), minutes: ClassMinutes, kpi: Kpi }))
      .meta({ description: 'Minutes per machine. Time without a report is `unknown`.' }),
    stoppages: z.array(Stoppage).meta({ description: 'The stoppages of `report.stopped`, with their evidence.' }),
    changes: Changes.meta({ description: "What changed since the caller's last look." }),
    report: z
      .object({
        location_id: z.string(),
        shift: Shift,
        stopped: z.array(Stopped),
        time_usage: z.array(Usage),
      })
      .meta({ description: 'Body for submitting the report. Add the fields that machines cannot report.' }),
  })
  .meta({
    id: 'ShiftReportDraft',
    description: 'A draft computed from history and the logs of machines. It is not stored.',
  });
export type Draft = z.infer<typeof Draft>;

const ReportChanges = z
  .object({
    object: z.literal('shift_report_changes'),
    report_id: z.string(),
    computed_at: Timestamp,
    changes: Changes,
    machines: z
      .array(z.object({ equipment_id: z.string(), unit_number: z.string(), reported: UsageMinutes, now: UsageMinutes }))
      .meta({ description: 'Machines whose minutes are not those of the report as submitted.' }),
  })
  .meta({ id: 'ShiftReportChanges', description: 'A report beside what history says now.' });
export type ReportChanges = z.infer<typeof ReportChanges>;

const draftInput = {
  location_id: Id.meta({
    description: 'Location, including the locations inside it. The draft contains the machines that are there now.',
  }),
  shift: ShiftName.meta({ description: 'A shift of the project: day, night, ...' }),
  date: CalendarDate,
};

/** Operations on drafts of shift reports and on changes of history. */
export const shiftDraftOperations = {
  shift_reports_draft: operation({
    method: 'GET',
    path: `${V1}/shift-reports/draft`,
    summary: 'Compute a draft from what machines and people reported',
    input: z.object(draftInput),
    output: Draft,
    errors: ['not_found', 'parameter_invalid'],
    source: {
      extension:
        'for a supervisor, correcting a draft is faster than writing a report; the gateway does not store the draft',
    },
  }),
  shift_reports_look: operation({
    method: 'POST',
    path: `${V1}/shift-reports/draft/looks`,
    summary: "Compute a draft and remember it as the caller's last look",
    roles: [...WRITERS, 'mechanic', 'operator'],
    hints: HINTS.CHANGE,
    input: z.object(draftInput),
    output: Draft,
    errors: ['not_found', 'parameter_invalid'],
    source: { extension: 'data may arrive after a person has looked at a draft; the next draft names what changed' },
  }),
  shift_reports_changes: operation({
    method: 'GET',
    path: `${V1}/shift-reports/{id}/changes`,
    summary: 'Compare a submitted report with what history says now',
    input: z.object(idPath),
    output: ReportChanges,
    errors: ['not_found'],
    source: { extension: 'a report never changes, but data may arrive after it was submitted' },
  }),
} as const;
