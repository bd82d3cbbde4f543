/**
 * Fault links, and checks and fault reports with them. The link of a machine belongs to the gateway, because a report names no project: the
 * gateway finds the link, and with it the project and the machine, by the hash of its token. A report can only make or join a ticket of that
 * machine, and a check only writes an event to its log.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import { hashId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { foldText } from '#contract/base/names.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { CallContext, HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import { CLOCKS_FIT_MS } from '#contract/late-writes.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ProjectData } from '#contract/site/project.ts';
import {
  FAULT_PROBLEMS,
  type FaultLinkData,
  type FaultProblem,
  type RecentReport,
} from '#contract/work/fault-report.ts';
import type { PRIORITY } from '#contract/work/repair-ticket.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { actorOf, stageEvent } from '#handlers/base/events.ts';
import { freshToken, REVOKED, shortCode } from '#handlers/base/link-tokens.ts';
import { openTicketsOf, stageReport } from './ticket-joins.ts';

export type Link = Stored<FaultLinkData>;

/** A stored answer to a report that a phone kept. The sweep of receipts removes it. */
export interface Answered {
  readonly link: string;
  readonly ticket_number: string;
  readonly joined: boolean;
  /** Number of photos of the report. Absent: none. */
  readonly photos?: number;
  readonly expires_ms: number;
}

const DAY_MS = 86_400_000;
/** The name under which the passes of a link are sealed. */
const passRecord = ({ id }: Link): string => `fault_pass_${id}`;

const HOUR_MS = 3_600_000;
/**
 * Reports of `other` faults make at most this many open tickets of a machine; further ones join the newest of them. Reports that the machine
 * cannot work are counted apart, so that they never join the ticket of another fault that lets the machine work.
 */
const MOST_OTHER = 10;

function linkId(context: HandlerContext, equipment_id: string): string {
  return hashId('fault_link', context.sha256(`${context.view.project_id}\n${equipment_id}`));
}

export function stageLink({ node }: HandlerContext, id: string, data: FaultLinkData, current: Link | undefined): Link {
  const expected = current?.revision ?? 0;
  return node.stage<FaultLinkData>({ collection: 'local', id, object: 'fault_link', data, current, expected });
}

function toLink(context: HandlerContext<'qr'>, link: Link, unit_number: string): Output<'fault_links'> {
  const { token, token_hash, status, equipment_id, rotated_at, last_used_at } = link.data;
  const plain = token === null ? undefined : context.sealer.tryOpen(token, token_hash);
  const url = plain === undefined ? null : `${context.caller.base_url}/report/${plain}`;
  return {
    object: 'fault_link',
    id: link.id,
    equipment_id,
    unit_number,
    status,
    url,
    qr: url === null ? null : context.qr(url),
    short_code: shortCode(link.id),
    created_at: link.created_at,
    rotated_at,
    last_used_at,
  };
}

const isActive = (link: Link | undefined): link is Link => link?.data.status === 'active';

/** Returns the data of a link after the action; undefined if the action changes nothing. */
function changed(
  context: HandlerContext,
  current: Link | undefined,
  { equipment_id, action }: Parsed<'fault_links'>,
): FaultLinkData | undefined {
  if (action === 'revoke') return isActive(current) ? { ...current.data, ...REVOKED } : undefined;
  if (isActive(current) && action === 'read-or-create') return undefined;
  const { project_id } = context.view;
  const rotated_at = current === undefined ? null : context.now;
  const kept = { last_used_at: current?.data.last_used_at ?? null, recent: current?.data.recent ?? [] };
  return { project_id, equipment_id, status: 'active', rotated_at, ...kept, ...freshToken(context, 'flt') };
}

/** Finds the active link of a token and its machine. Throws `not_found`, with what the person can do. */
export async function linkOf(
  context: HandlerContext,
  token: string,
): Promise<{ link: Link; machine: Stored<EquipmentData> }> {
  const where = { 'data.token_hash': context.sha256(token) };
  const [link] = await context.node.find<FaultLinkData>('local', { object: 'fault_link', where, limit: 1 });
  const machine = isActive(link)
    ? await context.project(link.data.project_id).get<EquipmentData>('records', link.data.equipment_id)
    : undefined;
  if (link === undefined || machine === undefined || machine.data.status === 'decommissioned')
    throw new OperationError(
      'not_found',
      'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.',
      { param: 'token' },
    );
  return { link, machine };
}

/** Returns how long ago the pass of a report was made; throws `writing_pass_refused` if it is too old or of another machine. */
function ageOf({ sealer, signIn }: HandlerContext<'signIn'>, link: Link, pass: string): number {
  const age_ms = signIn.now() - Number(sealer.tryOpen(pass, passRecord(link)) ?? Number.NaN);
  const days = LIMITS.writing_pass.value;
  if (age_ms <= days * DAY_MS) return age_ms;
  throw new OperationError(
    'writing_pass_refused',
    say('This report is more than {days} days old, or of another machine. Tell your supervisor about the fault.', {
      days,
    }),
    { param: 'pass' },
  );
}

/** What the gateway knows of a report that a phone kept: the id of its answer, and how long ago its pass was made. */
export function lateOf(context: HandlerContext<'signIn'>, link: Link, report_id: string, pass: string) {
  const id = `rcl_${context.sha256(`${link.id}\n${report_id}`).slice(0, 40)}`;
  return { id, age_ms: ageOf(context, link, pass) };
}

/** Returns when a report was written. If the clocks do not fit, it is now, and the events say that the time is not known ([H103]). */
export function timesOf({ now }: HandlerContext, late: { readonly age_ms: number } | null, ago_ms: number | null) {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  if (late === null) return { happened_at: now, unsure_since: null };
  const { age_ms } = late;
  if (ago_ms === null || ago_ms > age_ms + CLOCKS_FIT_MS) return { happened_at: now, unsure_since: before(age_ms) };
  return { happened_at: before(Math.min(ago_ms, age_ms)), unsure_since: null };
}

/** Stages the answer to a report that a phone kept. At the bound of the code, the oldest answer makes room. */
async function stageAnswer(
  { node, now }: HandlerContext,
  id: string,
  data: Omit<Answered, 'expires_ms'>,
): Promise<void> {
  const object = 'fault_receipt';
  const most = LIMITS.fault_receipts_per_link.value;
  const kept = await node.find<Answered>('local', {
    object,
    where: { 'data.link': data.link },
    order: 'asc',
    limit: most,
  });
  for (const old of kept.slice(0, Math.max(0, kept.length + 1 - most)))
    node.stage<Answered>({ collection: 'local', id: old.id, object, data: old.data, current: old, deleted: true });
  const expires_ms = Date.parse(now) + LIMITS.late_receipt.value * DAY_MS;
  node.stage<Answered>({ collection: 'local', id, object, data: { ...data, expires_ms }, expected: 0 });
}

/** Returns the times of the last hours. A time in the future was stored before somebody set the clock back. */
export function timesWithin(times: readonly string[] = [], hours: number, now: string): string[] {
  const from = new Date(Date.parse(now) - hours * HOUR_MS).toISOString();
  return times.filter((at) => at > from && at <= now);
}

/** Throws `rate_limited`, with the time to wait, if there are as many times of the last hours as there may be. */
export function checkTimes(times: readonly string[], most: number, hours: number, now: string, message: string): void {
  const [oldest] = times;
  if (times.length < most || oldest === undefined) return;
  const retry_after_s = Math.max(1, Math.ceil((Date.parse(oldest) + hours * HOUR_MS - Date.parse(now)) / 1_000));
  throw new OperationError('rate_limited', message, { details: [{ retry_after_s }] });
}

/** Returns the reports of the last hour. */
function recentReports({ data }: Link, now: string): RecentReport[] {
  const times = new Set(
    timesWithin(
      data.recent.map(({ at }) => at),
      1,
      now,
    ),
  );
  return data.recent.filter(({ at }) => times.has(at));
}

/** Throws `rate_limited` if the code has as many reports in the last hour as it may have. */
function checkRate(recent: readonly RecentReport[]): void {
  if (recent.length < LIMITS.fault_reports_per_link.value) return;
  throw new OperationError(
    'rate_limited',
    'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.',
  );
}

/**
 * Returns the key of a report: the problem, and for other problems also the words. At the bound of tickets for other problems it is the key of
 * the newest of them. A report that the machine cannot work then joins only a ticket that says this already.
 */
async function keyOf(
  context: CallContext,
  view: CallContext['view'],
  equipment_id: string,
  { problem, text, stopped }: Pick<Parsed<'fault_reports_create'>, 'problem' | 'text' | 'stopped'>,
): Promise<string> {
  if (problem !== 'other') return problem;
  const key = `other:${context.sha256(foldText(text)).slice(0, 24)}`;
  const others = (await openTicketsOf(view, equipment_id)).filter(({ data }) => data.source.key?.startsWith('other:'));
  if (others.some(({ data }) => data.source.key === key)) return key;
  const open = others.filter(({ data }) => !stopped || data.stopped_at !== undefined);
  const [newest] = open;
  return open.length < MOST_OTHER || newest === undefined ? key : (newest.data.source.key ?? key);
}

/** Returns the priority of a reported fault: `critical` if the reporter says that the machine cannot work, else as grave as the problem is. */
function priorityOf(problem: FaultProblem, stopped: boolean): (typeof PRIORITY)[number] {
  if (stopped) return 'critical';
  return problem === 'smoke_fire' || problem === 'brakes_steering' ? 'high' : 'medium';
}

/** Operations on links; they draw QR codes. */
export const faultLinkHandlers = handlerGroup(['qr'], {
  async fault_links(input, context) {
    const { view, node } = context;
    const { equipment_id, action } = input;
    const machine = await requireRecord<EquipmentData>(view, 'equipment', equipment_id, 'equipment_id');
    const id = linkId(context, equipment_id);
    const current = await node.get<FaultLinkData>('local', id);
    if (current === undefined && action !== 'read-or-create')
      throw new OperationError('not_found', 'This machine has no QR code yet; create it with `read-or-create`.', {
        param: 'equipment_id',
      });
    if (machine.data.status === 'decommissioned' && action !== 'revoke')
      throw new OperationError('parameter_invalid', 'A decommissioned machine gets no QR code.', {
        param: 'equipment_id',
      });
    const data = changed(context, current, input);
    const { unit_number } = machine.data;
    if (data === undefined) return toLink(context, current as Link, unit_number);
    stageEvent(context, view, 'equipment', equipment_id, 'updated', { fields: ['fault_link'], action });
    return toLink(context, stageLink(context, id, data, current), unit_number);
  },
});

/** Operations that need no account but the token of a QR code. */
export const faultReportHandlers = handlerGroup(['signIn'], {
  async fault_reports_page({ token }, context) {
    const { link, machine } = await linkOf(context, token);
    const { unit_number, name } = machine.data;
    const site = await context.node.get<ProjectData>('records', link.data.project_id);
    const problems = (Object.keys(FAULT_PROBLEMS) as FaultProblem[]).map((id) => ({ id, label: FAULT_PROBLEMS[id] }));
    const pass = context.sealer.seal(String(context.signIn.now()), passRecord(link));
    const about = { site: site?.data.name ?? '', language: site?.data.language ?? 'en' };
    return { object: 'fault_page', unit_number, name, ...about, problems, pass };
  },

  async fault_checks_create({ token, reporter, report_id, pass, written_ago_ms }, context) {
    const { link, machine } = await linkOf(context, token);
    const { unit_number } = machine.data;
    const view = context.project(link.data.project_id);
    const id = hashId('event', context.sha256(`check\n${link.id}\n${report_id}`));
    const first = await view.get<EventData>('events', id);
    if (first !== undefined) return { object: 'fault_check', id, unit_number, checked_at: first.data.occurred_at };
    const { now } = context;
    const checks = timesWithin(link.data.checks, 1, now);
    const most = LIMITS.fault_checks_per_link.value;
    checkTimes(checks, most, 1, now, 'Too many checks were sent with this QR code in the last hour.');
    const late = pass === undefined ? null : { age_ms: ageOf(context, link, pass) };
    const { happened_at, unsure_since } = timesOf(context, late, written_ago_ms);
    view.stage<EventData>({
      collection: 'events',
      id,
      object: 'event',
      expected: 0,
      data: {
        type: 'checked',
        subject: { object: 'equipment', id: machine.id },
        occurred_at: happened_at,
        source: 'headframe',
        source_event_id: null,
        actor: { ...actorOf(context), name: reporter },
        data: { result: 'ok', link_id: link.id, ...(unsure_since === null ? {} : { time_not_known: true }) },
        context: { run_id: null, device_id: null, media: [] },
      },
    });
    stageLink(context, link.id, { ...link.data, checks: [...checks, now], last_used_at: now }, link);
    return { object: 'fault_check', id, unit_number, checked_at: happened_at };
  },

  async fault_reports_create(input, context) {
    const { token, problem, text, reporter, stopped, report_id = null } = input;
    const { link, machine } = await linkOf(context, token);
    const { unit_number } = machine.data;
    const recent = recentReports(link, context.now);
    const late = input.pass === undefined || report_id === null ? null : lateOf(context, link, report_id, input.pass);
    const first =
      recent.find(({ id }) => id !== null && id === report_id) ??
      (late === null ? undefined : (await context.node.get<Answered>('local', late.id))?.data);
    if (first !== undefined) {
      const { ticket_number, joined } = first;
      return { object: 'fault_report', unit_number, ticket_number, joined };
    }
    if (problem === 'other' && text === '')
      throw new OperationError('parameter_missing', 'Say in `text` what is wrong.', { param: 'text' });
    const { now } = context;
    checkRate(recent);
    const times = timesOf(context, late, input.written_ago_ms);
    const view = context.project(link.data.project_id);
    const label = FAULT_PROBLEMS[problem];
    const { ticket, joined } = await stageReport(
      { ...context, ...times, view, caller: { ...context.caller, name: reporter } },
      {
        title: problem === 'other' ? text.slice(0, 120) : label,
        description: [
          `Reported by ${reporter} with the QR code of the machine, without an account.`,
          stopped ? 'The machine cannot work.' : '',
          text,
        ]
          .filter((line) => line !== '')
          .join('\n'),
        equipment_id: machine.id,
        location_id: machine.data.location_id,
        priority: priorityOf(problem, stopped),
        stopped_at: stopped ? times.happened_at : undefined,
        safety_critical: false,
        type: problem === 'damage' ? 'damage' : 'corrective',
        source: { kind: 'qr', ref: link.id, key: await keyOf(context, view, machine.id, input) },
        reported_by: reporter,
        flagged_at: times.happened_at,
      },
      { reported_by: reporter, problem, text, ...(stopped ? { stopped } : {}) },
    );
    const ticket_number = ticket.data.number;
    const reports = [...recent, { at: now, id: report_id, ticket_number, joined }];
    stageLink(context, link.id, { ...link.data, recent: reports, last_used_at: now }, link);
    if (late !== null) await stageAnswer(context, late.id, { link: link.id, ticket_number, joined });
    return { object: 'fault_report', unit_number, ticket_number, joined };
  },
});
