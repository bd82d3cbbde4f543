/** What a run keeps of what it was started with, in the form of an answer. */
import { isId } from '#contract/base/ids.ts';
import type { HandlerContext } from '#contract/context.ts';
import { permits } from '#contract/permissions.ts';
import type { Pin } from '#contract/work/run-kept.ts';
import type { RunData } from '#contract/work/task.ts';
import { contentHash, reviewFieldsOf } from '#domain/runs/pins.ts';
import { reviewId } from '#domain/runs/review.ts';

const PINNED = ['custom_action', 'skill_revision', 'device'] as const;

type Context = Pick<HandlerContext, 'caller' | 'sha256' | 'view'>;

/** Returns the content of a pin, and whether it has the hash of the pin. */
function contentOf({ sha256 }: Context, content: object | undefined, hash: string | null) {
  if (content === undefined) return { content: null, valid: null };
  const kept = { ...content } as Record<string, unknown>;
  return { content: kept, valid: hash === null ? null : contentHash(sha256, content) === hash };
}

/** Returns the pins of a run. The content of the review configuration is only for callers who may read the configuration. */
export function pinsOf(context: Context, { pins, hashes = {}, action, review }: RunData, withContent: boolean): Pin[] {
  const documents = Object.entries(pins).map(([id, revision]): Pin => {
    const object = PINNED.find((kind) => isId(kind, id)) ?? 'record';
    const hash = hashes[id] ?? null;
    const content = object === 'custom_action' ? action : undefined;
    return { object, id, revision, hash, ...(withContent && contentOf(context, content, hash)) };
  });
  if (review === undefined) return documents;
  const { revision, hash = null } = review;
  const fields = permits(context.caller, 'review_configuration_get') ? reviewFieldsOf(review) : undefined;
  const id = reviewId(context.view.project_id);
  const configuration = { object: 'review_configuration', id, revision, hash };
  return [...documents, { ...configuration, ...(withContent && contentOf(context, fields, hash)) }];
}
