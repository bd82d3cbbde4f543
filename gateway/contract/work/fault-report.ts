/**
 * Checks and fault reports without an account: a QR code on a machine opens a page on which anybody says that this machine is OK, or reports a
 * fault of it with photos. The code contains a token that is valid for this machine only, can only do this, and can be revoked.
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
  brakes_steering: 'Brakes or steering',
  tyres_tracks: 'Tyres or tracks',
  leak: 'Leak or hydraulics',
  engine: 'Engine',
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
  /** The times of the checks of the last hour, and of the photos. Absent: none. */
  checks?: string[];
  photos?: string[];
}

const MANAGERS: readonly Role[] = ['owner', 'admin', 'supervisor'];
const token = z.string().min(20).max(200);
const reporter = z.string().trim().min(1).max(120).meta({ description: 'Name of the person.' });
const reportId = z.string().min(8).max(64);
const pass = z.string().max(1_000);
const writtenAgo = z.number().int().min(0).max(9_999_999_999_999).nullable().default(0).meta({
  description: 'Time since the person wrote it; null if the clocks of the phone do not agree. Counts only with `pass`.',
  unit: 'ms',
});

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
      site: z.string().meta({ description: 'Name of the site.' }),
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
      reporter,
      report_id: reportId.optional().meta({
        description:
          'A repeated report with the same id gets the first answer: within an hour, and with `pass` at any time.',
      }),
      pass: pass.optional().meta({
        description:
          'From the page of the code, for a report that the phone kept. Needs `report_id`; valid for 45 days.',
      }),
      written_ago_ms: writtenAgo,
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
  fault_checks_create: operation({
    perAddress: LIMITS.fault_reports.value,
    method: 'POST',
    path: `${V1}/fault-reports/{token}/checks`,
    summary: 'Say that a person has checked the machine of a QR code, and that it is OK',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({
      token,
      reporter,
      report_id: reportId.meta({ description: 'A repeated check with the same id gets the first answer.' }),
      pass: pass.optional().meta({ description: 'From the page of the code; valid for 45 days.' }),
      written_ago_ms: writtenAgo,
    }),
    output: z.object({
      object: z.literal('fault_check'),
      id: z.string().meta({ description: 'The event in the log of the machine.' }),
      unit_number: z.string(),
      checked_at: Timestamp,
    }),
    status: 201,
    errors: ['not_found', 'rate_limited', 'writing_pass_refused'],
    source: EXTENSION,
  }),
  fault_photos_create: operation({
    perAddress: LIMITS.fault_photos.value,
    method: 'POST',
    path: `${V1}/fault-reports/{token}/photos`,
    summary: 'Add a photo to a report of the machine of a QR code',
    httpOnly: 'secret',
    scope: 'none',
    roles: ['display'],
    input: z.object({
      token,
      reporter,
      report_id: reportId.meta({ description: 'The report, which was sent before with `pass`.' }),
      photo_id: reportId.meta({ description: 'A repeated photo with the same id gets the first answer.' }),
      pass: pass.meta({ description: 'From the page of the code; valid for 45 days.' }),
      content_base64: z.base64().min(4).max(900_000).meta({ description: 'JPEG, PNG, WebP, GIF or AVIF.' }),
      written_ago_ms: writtenAgo,
    }),
    output: z.object({
      object: z.literal('fault_photo'),
      id: z.string().meta({ description: 'The stored file, which the ticket of the report names.' }),
      ticket_number: z.string(),
    }),
    status: 201,
    errors: ['not_found', 'parameter_invalid', 'limit_reached', 'rate_limited', 'writing_pass_refused'],
    source: EXTENSION,
  }),
} as const;
