/**
 * Fault reports without an account: a QR code on a machine opens a page on which anybody reports a fault of this machine. The code
 * contains a token that is valid for this machine only, can only report faults, and can be revoked.
 */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { HINTS, operation, V1 } from '#contract/base/operation.ts';
import type { Role } from '#contract/base/roles.ts';

const EXTENSION = {
  extension: 'people in the field report faults without an account; the token of the QR code is their credential',
};

/** What a person can report, with the words on the page. */
export const FAULT_PROBLEMS = {
  engine: 'Engine',
  brakes_steering: 'Brakes or steering',
  tyres_tracks: 'Tyres or tracks',
  leak: 'Leak or hydraulics',
  electrics: 'Lights or electrics',
  cab: 'Cab, seat or belt',
  attachment: 'Bucket, body or blade',
  smoke_fire: 'Smoke or fire',
  damage: 'Damage from outside',
  other: 'Something else',
} as const;
export type FaultProblem = keyof typeof FAULT_PROBLEMS;

const PROBLEM = Object.keys(FAULT_PROBLEMS) as [FaultProblem, ...FaultProblem[]];

const FaultLink = z
  .object({
    object: z.literal('fault_link'),
    id: z.string(),
    equipment_id: z.string(),
    unit_number: z.string(),
    status: z.enum(['active', 'revoked']),
    url: z.string().nullable().meta({ description: 'Opens the page without a login; null once revoked.' }),
    qr: z.string().nullable().meta({ description: 'The url as a QR code (SVG); null once revoked.' }),
    short_code: z.string().meta({ description: 'Short name of the link for people. It gives no access.' }),
    created_at: Timestamp,
    rotated_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable().meta({ description: 'Time of the last report.' }),
  })
  .meta({
    id: 'FaultLink',
    description: 'The link behind the QR code of a machine; it can only report faults of that machine.',
  });

/** A report of the last hour. */
export interface RecentReport {
  at: string;
  /** `report_id` of the report; null if it had none. */
  id: string | null;
  ticket_number: string;
  joined: boolean;
}

/** `data` of a stored link. The gateway finds it by the hash of its token, and stores the token encrypted to show it again. */
export interface FaultLinkData {
  project_id: string;
  equipment_id: string;
  status: 'active' | 'revoked';
  token: string | null;
  token_hash: string;
  rotated_at: string | null;
  last_used_at: string | null;
  /** The reports of the last hour, for the limit of the link and for the answer to a repeated report. */
  recent: RecentReport[];
}

const MANAGERS: readonly Role[] = ['owner', 'admin', 'supervisor'];
const token = z.string().min(20).max(200);

/** Operations on fault links and fault reports. */
export const faultReportOperations = {
  fault_links: operation({
    example: { equipment_id: 'eq_0198c2f4k3e7n9v5s1q8r6t2w0', action: 'read-or-create' },
    secretFields: ['url', 'qr'],
    method: 'POST',
    path: `${V1}/fault-links`,
    summary: 'Create, read, rotate or revoke the QR link with which anybody reports a fault of a machine',
    httpOnly: 'share',
    roles: MANAGERS,
    input: z.object({
      equipment_id: Id,
      action: z.enum(['read-or-create', 'rotate', 'revoke']).default('read-or-create'),
    }),
    output: FaultLink,
    hints: HINTS.CHANGE,
    errors: ['not_found', 'parameter_invalid'],
    source: EXTENSION,
  }),
  fault_reports_page: operation({
    perAddress: LIMITS.fault_pages.value,
    method: 'GET',
    path: `${V1}/fault-reports/{token}`,
    summary: 'What the page of a QR code shows: the machine and the problems to choose from',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({ token }),
    output: z.object({
      object: z.literal('fault_page'),
      unit_number: z.string(),
      name: z.string(),
      language: z.string().meta({ description: 'The language of the site.' }),
      problems: z.array(z.object({ id: z.enum(PROBLEM), label: z.string() })),
      pass: z.string().meta({ description: 'For `pass` of a report that the phone sends later.' }),
    }),
    errors: ['not_found', 'rate_limited'],
    source: EXTENSION,
  }),
  fault_reports_create: operation({
    perAddress: LIMITS.fault_reports.value,
    method: 'POST',
    path: `${V1}/fault-reports/{token}`,
    summary: 'Report a fault of the machine of a QR code',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({
      token,
      problem: z.enum(PROBLEM),
      text: z.string().trim().max(1_000).default(''),
      stopped: z.boolean().default(false).meta({
        description:
          'True if the machine cannot work: the ticket becomes critical, unless a person changed its priority after the report was written. Screens show the machine in trouble.',
      }),
      reporter: z.string().trim().min(1).max(120).meta({ description: 'Name of the person.' }),
      report_id: z.string().min(8).max(64).optional().meta({
        description:
          'A repeated report with the same id gets the first answer: within an hour, and with `pass` at any time.',
      }),
      pass: z.string().max(1_000).optional().meta({
        description:
          'From the page of the code, for a report that the phone kept. Needs `report_id`; valid for 45 days.',
      }),
      written_ago_ms: z.number().int().min(0).max(9_999_999_999_999).nullable().default(0).meta({
        description:
          'Time since the person wrote the report; null if the clocks of the phone do not agree. Counts only with `pass`.',
        unit: 'ms',
      }),
    }),
    output: z.object({
      object: z.literal('fault_report'),
      unit_number: z.string(),
      ticket_number: z.string(),
      joined: z.boolean().meta({ description: 'The fault was reported before; this report joined its ticket.' }),
    }),
    status: 201,
    errors: ['not_found', 'parameter_missing', 'rate_limited', 'writing_pass_refused'],
    source: EXTENSION,
  }),
} as const;
