/** Enrolments at head office: the code for one gateway, its credential, and the revocation. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { KeyData } from '#contract/site/node.ts';
import { type Enrolment, type EnrolmentData, MOST_GATEWAYS } from '#contract/site/sync.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { makeCode, readCode } from '#handlers/base/codes.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { mintKey, stageKey, stageKeyChange } from './keys.ts';

/** Twelve characters: 5 * 10^17 codes, of which a guesser can try ten a minute. */
const CODE_LENGTH = 12;

type Context = HandlerContext<'headOffice'>;

function requireAllProjects({ caller }: Context): void {
  if (caller.project_ids !== null)
    throw new OperationError(
      'permission_denied',
      'This key is restricted to some projects. A gateway brings projects of its own, so use a key for all projects.',
    );
}

function stateOf(data: EnrolmentData, now: string): Enrolment['state'] {
  if (data.revoked_at !== null) return 'revoked';
  if (data.replaced_at !== null) return 'replaced';
  if (data.enrolled_at !== null) return 'enrolled';
  return data.code_expires_at <= now ? 'expired' : 'waiting';
}

function toEnrolment({ id, created_at, data }: Stored<EnrolmentData>, { now }: Context): Enrolment {
  const { name, replaces = null, code_expires_at, enrolled_at, revoked_at } = data;
  const state = stateOf(data, now);
  const gateway_id = data.gateway_id ?? replaces;
  return { object: 'enrolment', id, name, state, gateway_id, code_expires_at, enrolled_at, revoked_at, created_at };
}

function stageEnrolment(
  { node }: Context,
  id: string,
  data: EnrolmentData,
  current?: Stored<EnrolmentData>,
): Stored<EnrolmentData> {
  const expected = current?.revision ?? 0;
  return node.stage<EnrolmentData>({ collection: 'local', id, object: 'enrolment', data, current, expected });
}

/** Why a code is not taken. Only a caller who has the code learns more than that it is wrong. */
const CODE_PROBLEMS: Readonly<Record<Exclude<Enrolment['state'], 'waiting'> | 'unknown', string>> = {
  unknown: 'Head office does not know this code. Compare it with the code on the page of head office.',
  expired: 'This code has expired. Ask head office for a new one.',
  enrolled: 'This code was used already, and a code is valid once. Ask head office for a new one.',
  replaced: 'This code was used already, and a code is valid once. Ask head office for a new one.',
  revoked: 'Head office has withdrawn this code. Ask head office for a new one.',
};

const NOT_EMPTY =
  'This code is for a new box that takes the place of another one, and this box has a project of its own. Install Headframe on the new box with an empty data folder, and enter the code before you create a site. The code was not used up.';

const hashOf = (context: Context, code: string): string => context.sha256(`enrolment ${readCode(code)}`);

/** Stages the end of the credential of an enrolment. `replaced_by`: the enrolment whose box has its place from now on. */
async function stageKeyEnd(
  context: Context,
  { key }: EnrolmentData,
  more: Pick<KeyData, 'replaced_by'> = {},
): Promise<void> {
  const current = key === null ? undefined : await context.node.get<KeyData>('local', key);
  if (current?.data.revoked_at === null) stageKeyChange(context, current, { revoked_at: context.now, ...more });
}

const enrolmentsOf = ({ node }: Context, gateway_id: string): Promise<Stored<EnrolmentData>[]> =>
  node.find('local', { object: 'enrolment', where: { 'data.gateway_id': gateway_id }, limit: MOST_GATEWAYS });

/** Ends the enrolments that this gateway had before. `more`: the enrolment of another box that takes its place. */
async function stageReplaced(context: Context, gateway_id: string, more: Pick<KeyData, 'replaced_by'>): Promise<void> {
  for (const earlier of await enrolmentsOf(context, gateway_id)) {
    if (earlier.data.replaced_at !== null) continue;
    await stageKeyEnd(context, earlier.data, more);
    stageEnrolment(context, earlier.id, { ...earlier.data, replaced_at: context.now }, earlier);
  }
}

/** A person chooses one of several boxes with one identity. The box hears of it with its next call, and becomes the site. */
function stageKept(context: Context, current: Stored<EnrolmentData>, mark: string): Stored<EnrolmentData> {
  const { id, data } = current;
  const { gateway_id } = data;
  const isOpen = gateway_id !== null && stateOf(data, context.now) === 'enrolled';
  const box = isOpen ? context.headOffice.boxesOf(gateway_id).find((one) => one.mark === mark) : undefined;
  if (box === undefined)
    throw new OperationError(
      'not_found',
      'No box of this gateway has this mark now. A box that is fenced takes a new mark: read sync_status again.',
      { param: 'keep' },
    );
  const { host, address, fenced_at } = box;
  stageAudit(context, context.node, 'enrolment', id, 'box_kept', { gateway_id, mark, host, address, fenced_at });
  return stageEnrolment(context, id, { ...data, kept: { mark, at: context.now } }, current);
}

/**
 * The caller is a gateway whose enrolment is valid. The route of the message then answers it. An enrolment that was revoked after the request
 * was let in has the same error as one that was revoked before ([Y74]).
 */
async function requireEnrolled(context: Context): Promise<EnrolmentData> {
  const { id } = context.caller;
  const found = id === null ? undefined : await context.node.get<EnrolmentData>('local', id);
  if (found?.object !== 'enrolment' || stateOf(found.data, context.now) !== 'enrolled')
    throw new OperationError('credential_invalid', 'This gateway is not enrolled at this head office any more.');
  return found.data;
}

export const enrolmentHandlers = handlerGroup(['headOffice'], {
  async sync_enrolments_create({ name, gateway_id: replaces = null, hours }, context) {
    requireAllProjects(context);
    const { node, now } = context;
    if (replaces !== null && (await enrolmentsOf(context, replaces)).length === 0)
      throw new OperationError('not_found', 'No gateway with this id was ever connected.', { param: 'gateway_id' });
    if ((await node.find('local', { object: 'enrolment', limit: MOST_GATEWAYS })).length >= MOST_GATEWAYS)
      throw new OperationError(
        'limit_reached',
        say('Head office has at most {most_gateways} enrolments.', { most_gateways: MOST_GATEWAYS }),
      );
    const code = makeCode(CODE_LENGTH, (bytes) => Buffer.from(context.secret(bytes), 'base64url'));
    const document = stageEnrolment(context, context.newId('enrolment'), {
      name,
      replaces,
      code_hash: hashOf(context, code),
      code_expires_at: new Date(Date.parse(now) + hours * 3_600_000).toISOString(),
      gateway_id: null,
      key: null,
      enrolled_at: null,
      replaced_at: null,
      revoked_at: null,
    });
    stageAudit(context, node, 'enrolment', document.id, 'created', { name, ...(replaces !== null && { replaces }) });
    return { object: 'enrolment_created', enrolment: toEnrolment(document, context), code };
  },

  async sync_enrolments_list(input, context) {
    requireAllProjects(context);
    return listPage<EnrolmentData, Enrolment>(context, context.node, 'local', input, { object: 'enrolment' }, (found) =>
      found.map((one) => toEnrolment(one, context)),
    );
  },

  async sync_enrolments_revoke({ id, keep }, context) {
    requireAllProjects(context);
    const current = await requireRecord<EnrolmentData>(context.node, 'enrolment', id, 'id', 'local');
    if (keep !== undefined) return toEnrolment(stageKept(context, current, keep), context);
    if (current.data.revoked_at !== null) return toEnrolment(current, context);
    await stageKeyEnd(context, current.data);
    stageAudit(context, context.node, 'enrolment', id, 'revoked', { gateway_id: current.data.gateway_id });
    return toEnrolment(stageEnrolment(context, id, { ...current.data, revoked_at: context.now }, current), context);
  },

  async sync_enrol({ code, gateway_id: caller_id, version, can_replace = false }, context) {
    const { node, now, headOffice } = context;
    const where = { 'data.code_hash': hashOf(context, code) };
    const [current] = await node.find<EnrolmentData>('local', { object: 'enrolment', where, limit: 1 });
    const state = current === undefined ? 'unknown' : stateOf(current.data, now);
    if (current === undefined || state !== 'waiting')
      throw new OperationError('enrolment_code_invalid', CODE_PROBLEMS[state as keyof typeof CODE_PROBLEMS], {
        param: 'code',
      });
    if (caller_id === context.nodeId)
      throw new OperationError('parameter_invalid', 'Head office cannot enrol itself.', { param: 'gateway_id' });
    const { name, replaces = null } = current.data;
    const gateway_id = replaces ?? caller_id;
    if (gateway_id !== caller_id && !can_replace) throw new OperationError('gateway_not_empty', NOT_EMPTY);
    const takeover = replaces === null ? undefined : headOffice.takeoverOf(gateway_id);
    // With an ordinary code the same box comes again.
    await stageReplaced(context, gateway_id, replaces === null ? {} : { replaced_by: current.id });
    const { secret, data } = mintKey(context, {
      kind: 'gateway',
      name,
      role: 'gateway',
      project_ids: [],
      parent: current.id,
    });
    const { id: key } = stageKey(context, data);
    stageEnrolment(context, current.id, { ...current.data, gateway_id, key, enrolled_at: now }, current);
    const said = { gateway_id, version, ...(takeover !== undefined && { replaced_box: true }) };
    stageAudit(context, node, 'enrolment', current.id, 'enrolled', said);
    const enrolled = { object: 'enrolled', cloud_id: context.nodeId, enrolment_id: current.id, name, secret } as const;
    return { ...enrolled, ...(takeover !== undefined && { takeover }) };
  },

  async sync_files_offer(input, context) {
    await requireEnrolled(context);
    return context.headOffice.files.offer(context.caller.id, input);
  },

  async sync_files_put(_input, context) {
    await requireEnrolled(context);
    return {};
  },

  async sync_files_get(_input, context) {
    await requireEnrolled(context);
    return {};
  },

  async sync_message(_input, context) {
    await requireEnrolled(context);
    return {};
  },

  async sync_hints({ after: _after, ...report }, context) {
    const { gateway_id } = await requireEnrolled(context);
    if (gateway_id !== null && Object.keys(report).length > 0) context.headOffice.noteReport(gateway_id, report);
    return {};
  },
});
