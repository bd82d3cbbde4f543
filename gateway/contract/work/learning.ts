/** Learning: a fact about the site that a run has found. No person or device can create a learning. */
import { z } from 'zod';
import { base, Context, Id, idPath, listOf, searchQuery, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';

const fields = {
  fact: z.string().trim().min(1).max(2_000),
  subject: z
    .object({ object: z.string().max(40), id: Id })
    .nullable()
    .meta({ description: 'What the fact is about.' }),
  evidence: z
    .array(z.object({ source: z.string().max(500), excerpt: z.string().max(2_000).nullable().default(null) }))
    .max(20),
  supersedes: Id.nullable().meta({ description: 'The earlier learning that this one replaces.' }),
};

/** A fact as a run reports it. */
export const LearnedFact = z.object(fields);
export type LearnedFact = z.infer<typeof LearnedFact>;

/** The tools with which a run writes learnings. Only runs have them: they are no operations. */
export const LEARNING_TOOLS = { remember: 'remember_fact', end: 'end_learning' } as const;

/** The input of the tool that remembers a fact. A fact without evidence is refused. */
export const RememberInput = z.strictObject({
  fact: fields.fact,
  subject: fields.subject.default(null),
  evidence: fields.evidence.min(1),
  supersedes: fields.supersedes.default(null),
});
/** The input of the tool that ends a learning. `if_match`: the revision that it must have. */
export const EndLearningInput = z.strictObject({ id: Id, if_match: z.number().int().optional() });

/** The inputs of these tools as JSON schemas. */
export const LEARNING_SCHEMAS = {
  remember: z.toJSONSchema(RememberInput, { io: 'input' }),
  end: z.toJSONSchema(EndLearningInput, { io: 'input' }),
} as const;

/** Limits of learnings. */
export const LEARNING_LIMITS = { active: 200, given: 50, given_characters: 16_000 } as const;

export interface LearningData extends LearnedFact {
  status: 'active' | 'removed';
  removed_at: string | null;
  created_by_run_id: string;
  removed_by_run_id: string | null;
}

const Learning = z
  .object({
    object: z.literal('learning'),
    ...base,
    ...fields,
    ...shownFields({ status: z.enum(['active', 'removed']) }),
    removed_at: Timestamp.nullable(),
    created_by_run_id: z.string(),
    removed_by_run_id: z.string().nullable(),
    context: Context,
  })
  .meta({ id: 'Learning', description: 'A fact the agent learned about the site.' });

/** Operations on learnings. */
export const learningOperations = {
  learnings_list: operation({
    method: 'GET',
    path: `${V1}/learnings`,
    summary: 'List what runs learned about the site',
    input: z.object({
      ...searchQuery,
      status: z.enum(['active', 'removed']).optional(),
      subject: Id.optional().meta({ description: 'Id of the object that the fact concerns.' }),
      run_id: Id.optional().meta({ description: 'The run that found it.' }),
    }),
    output: listOf(Learning),
    errors: ['invalid_cursor'],
  }),
  learnings_get: operation({
    method: 'GET',
    path: `${V1}/learnings/{id}`,
    summary: 'Get a learning',
    input: z.object(idPath),
    output: Learning,
    revision: 'etag',
    errors: ['not_found'],
  }),
} as const;
