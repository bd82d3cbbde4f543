/**
 * Review configuration: whether agents may work in a project, who approves their work, which tools and which model they use, and what a run
 * may cost. A run keeps the configuration that was current when the run was created.
 */
import { z } from 'zod';
import { base, Context, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1, WRITERS } from '#contract/base/operation.ts';

/** Limits of a review configuration. */
const REVIEW_LIMITS = { approvers: 50, tools: 300 } as const;

const RUN_MODES = ['auto', 'review', 'paused'] as const;
const usd = z.number().min(0).max(1_000_000);

const ModelProvider = z
  .object({
    kind: z.enum(['openai', 'anthropic']).meta({
      description:
        'The API of the server. `openai`: every server with `/chat/completions`, such as llama.cpp, Ollama, vLLM.',
    }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .meta({
        description: 'Address of the API, for example http://10.0.0.5:8080/v1. http only in the local network.',
      }),
    model: z.string().trim().min(1).max(200),
    input_usd_per_mtok: usd
      .nullable()
      .default(null)
      .meta({ description: 'Price of a million input tokens.', unit: 'USD' }),
    output_usd_per_mtok: usd
      .nullable()
      .default(null)
      .meta({ description: 'Price of a million output tokens.', unit: 'USD' }),
  })
  .meta({
    id: 'ModelProvider',
    description: 'The server with the model. Without prices the cost of a run is unknown.',
  });
export type ModelProvider = z.infer<typeof ModelProvider>;

const fields = {
  mode: z.enum(RUN_MODES).meta({
    description: '`auto`: agents work at once. `review`: each task waits for an approval. `paused`: no agent works.',
  }),
  approvers: z
    .array(z.string().min(1).max(64))
    .max(REVIEW_LIMITS.approvers)
    .meta({ description: 'Ids of users and keys that may approve, besides owners and admins.' }),
  spend_cap_usd: usd.nullable().meta({ description: 'Largest cost of one run; needs both prices.', unit: 'USD' }),
  token_budget: z
    .number()
    .int()
    .min(1_000)
    .max(1_000_000_000)
    .nullable()
    .meta({ description: 'Largest number of tokens of one run, input and output together.' }),
  allowed_tools: z
    .array(z.string().min(1).max(80))
    .max(REVIEW_LIMITS.tools)
    .nullable()
    .meta({ description: 'Tools that runs may use; null: those of the default list.' }),
  provider: ModelProvider.nullable(),
};

/** The fields of a configuration without the key of the provider. A run keeps a copy of them. */
export const ReviewFields = z.object(fields);
export type ReviewFields = z.infer<typeof ReviewFields>;

/** `data` of a stored configuration. `sealed_key`: the key of the provider, encrypted. */
export interface ReviewData extends ReviewFields {
  sealed_key: string | null;
}

const ReviewConfiguration = z
  .object({
    object: z.literal('review_configuration'),
    ...base,
    ...fields,
    provider_key_set: z.boolean().meta({ description: 'True if a key of the provider is stored. No answer shows it.' }),
    created_at: Timestamp,
    context: Context,
  })
  .meta({ id: 'ReviewConfiguration', description: 'How agents may work in a project.' });

/** Operations on the review configuration of a project. */
export const reviewOperations = {
  review_configuration_get: operation({
    projectInPath: true,
    method: 'GET',
    path: `${V1}/projects/{id}/review-configuration`,
    summary: 'Get how agents may work in a project',
    scope: 'node',
    roles: WRITERS,
    input: z.object(idPath),
    output: ReviewConfiguration,
    revision: 'etag',
    errors: ['project_not_found', 'project_mismatch'],
    source: { extension: 'the specification names run modes, approvals, spend caps and their revision' },
  }),
  review_configuration_update: operation({
    projectInPath: true,
    method: 'PATCH',
    path: `${V1}/projects/{id}/review-configuration`,
    summary: 'Change how agents may work in a project; a run that exists keeps its configuration',
    httpOnly: 'secret',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      mode: fields.mode.optional(),
      approvers: fields.approvers.optional(),
      spend_cap_usd: fields.spend_cap_usd.optional(),
      token_budget: fields.token_budget.optional(),
      allowed_tools: fields.allowed_tools.optional(),
      provider: fields.provider.optional(),
      provider_key: z
        .string()
        .regex(/^[\x21-\x7e]{1,1000}$/, 'visible ASCII characters')
        .nullable()
        .optional()
        .meta({ description: 'Key of the provider; null removes it. A new address removes it, too.' }),
    }),
    output: ReviewConfiguration,
    revision: 'if-match',
    requires: ['if-match'],
    errors: ['project_not_found', 'project_mismatch', 'revision_mismatch', 'precondition_required'],
    source: { extension: 'the specification requires If-Match on edits of the review configuration' },
  }),
} as const;
