/** Helpers for the handlers of records: they read a record or throw `not_found`, check If-Match, and find the changed fields. */

import { OperationError } from '#contract/base/errors.ts';
import { type Kind, PREFIXES } from '#contract/base/ids.ts';
import { part, say } from '#contract/base/told.ts';
import type { CollectionName, Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';

const WORDS: Readonly<Record<string, string>> = {
  equipment: 'machine',
  location: 'location',
  expected_interval: 'set interval',
  operator: 'operator',
  display_share: 'display link',
  display: 'screen',
  custom_action: 'custom action',
  skill_revision: 'skill revision',
  repair_ticket: 'repair ticket',
  shift_report: 'shift report',
  alert_rule: 'alert rule',
  webhook_endpoint: 'webhook endpoint',
  webhook_delivery: 'delivery',
  dbc_file: 'DBC file',
  maintenance_plan: 'maintenance plan',
  inspection_checklist: 'checklist',
};

/** Reads a record of this kind in the project. Throws `not_found` for an unknown id and for a record of another project. */
export async function requireRecord<T>(
  view: StagedView,
  object: string,
  id: string,
  param = 'id',
  collection: CollectionName = 'records',
): Promise<Stored<T>> {
  const found = await view.get<T>(collection, id);
  if (found?.object !== object) throw notFound(object, param, undefined, id);
  return found;
}

/** Throws `not_found` if an id is not the id of a record of this kind in the project. */
export async function requireRecords(
  view: StagedView,
  object: string,
  ids: readonly string[],
  param: string,
  collection: CollectionName = 'records',
): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const found = new Set(
    (await view.getMany(collection, wanted)).filter((document) => document.object === object).map(({ id }) => id),
  );
  const missing = wanted.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound(object, param, missing);
}

/** Returns the error for a record that is unknown or in another project. If `sent` is not an id, the message shows the form of an id. */
export function notFound(object: string, param: string, id?: string, sent?: string): OperationError {
  const word = WORDS[object] ?? object;
  const prefix = PREFIXES[object as Kind] as string | undefined;
  const known = sent === undefined || prefix === undefined || sent.startsWith(`${prefix}_`);
  const what = part(word);
  const message =
    id === undefined
      ? known
        ? say('There is no {what}, or this key has no access to it.', { what })
        : say('There is no {what}, or this key has no access to it; its id begins with `{prefix}_`.', { what, prefix })
      : known
        ? say('There is no {what} {id}, or this key has no access to it.', { what, id })
        : say('There is no {what} {id}, or this key has no access to it; its id begins with `{prefix}_`.', {
            what,
            id,
            prefix,
          });
  return new OperationError('not_found', message, { param });
}

/** Throws `revision_mismatch` if the If-Match header names another revision than `current` has (RFC 9110 13.1.1). */
export function checkRevision(context: HandlerContext, current: Stored<unknown>): void {
  if (context.if_match === null || context.if_match === current.revision) return;
  throw new OperationError(
    'revision_mismatch',
    say('The object has changed: it is at revision {revision}. Read it again, then repeat the change.', {
      revision: current.revision,
    }),
    { param: 'If-Match', details: [{ current_revision: current.revision }] },
  );
}

/** Makes the same check as `checkRevision`. Also throws `precondition_required` if the request has no If-Match header (RFC 6585 3). */
export function requireRevision(context: HandlerContext, current: Stored<unknown>): void {
  if (context.if_match === null)
    throw new OperationError(
      'precondition_required',
      'Send the revision that you read as If-Match (tools: `if_match`).',
      {
        param: 'If-Match',
        details: [{ current_revision: current.revision }],
      },
    );
  checkRevision(context, current);
}

/** Returns a copy of `data` with the values of `given`, and the names of the fields that got another value. */
export function applyFields<T extends object>(data: T, given: Partial<T>): { data: T; fields: string[] } {
  const fields = Object.keys(given).filter((name) => {
    const next = given[name as keyof T];
    return next !== undefined && JSON.stringify(next) !== JSON.stringify(data[name as keyof T]);
  });
  const replaced = Object.fromEntries(fields.map((name) => [name, given[name as keyof T]]));
  return { data: { ...data, ...replaced }, fields };
}

/** Returns the fields that every object of the API has: `id`, `project_id`, `revision` and times. */
export function wireBase(
  document: Pick<Stored<unknown>, 'id' | 'project_id' | 'revision' | 'created_at' | 'updated_at'>,
) {
  const { id, project_id, revision, created_at, updated_at } = document;
  return { id, project_id, revision, created_at, updated_at };
}

/** The part of a stored record that has the ids of the files that people attached to it. */
export interface WithMedia {
  media?: string[];
}

/**
 * Returns the media ids of a request for the stored record; throws `not_found` if an id is not an artifact (a stored file) of the project.
 */
export async function mediaFrom(view: StagedView, given: WithMedia | undefined): Promise<WithMedia> {
  if (given?.media === undefined) return {};
  await requireRecords(view, 'artifact', given.media, 'context.media');
  return { media: [...new Set(given.media)] };
}

/** Returns the API field `context` of a record that a person wrote. Such a record has no run and no device, only attached media. */
export function contextOf({ media = [] }: WithMedia) {
  return { ...NO_CONTEXT, media };
}

/** The API field `context` of a record that a person wrote without attached media. */
export const NO_CONTEXT = { run_id: null, device_id: null, media: [] as string[] };
