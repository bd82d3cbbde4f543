/** Skill revision: a skill that was imported or is in the catalog, identified by the hash of its files. It never changes. */
import { z } from 'zod';
import { base, Context, Timestamp } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';

/** Limits of an import. */
export const SKILL_LIMITS = { files: 64, file_bytes: 256 * 1024, total_bytes: 1024 * 1024 } as const;

/** A relative path with `/` as separator and without `.` and `..`, valid on every operating system. */
const FilePath = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/,
    'a relative path of letters, digits and . _ -',
  );

const importInput = {
  skill_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/, 'letters, digits and . _ - only')
    .meta({ description: 'Name by which actions and runs refer to the skill.' }),
  name: z.string().trim().min(1).max(120),
  version: z.string().trim().min(1).max(60).optional(),
  files: z
    .array(
      z.object({
        path: FilePath,
        content: z.string().max(SKILL_LIMITS.file_bytes).optional().meta({ description: 'Text, kept as UTF-8.' }),
        content_base64: z
          .base64()
          .max(Math.ceil(SKILL_LIMITS.file_bytes / 3) * 4)
          .optional(),
      }),
    )
    .min(1)
    .max(SKILL_LIMITS.files),
  expected_hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hex digits')
    .optional()
    .meta({ description: 'If given, files with another hash are refused.' }),
};

const SkillFile = z.object({
  path: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  content_base64: z.string().optional().meta({ description: 'With `include=content`.' }),
});

export interface SkillRevisionData {
  skill_id: string;
  name: string;
  version: string | null;
  hash: string;
  source: 'catalog' | 'project_override';
  base_catalog_hash: string | null;
  created_by: { type: string; id: string | null; name: string | null };
  files: { path: string; bytes: number; sha256: string; content_base64: string }[];
}

const SkillRevision = z
  .object({
    object: z.literal('skill_revision'),
    ...base,
    skill_id: z.string(),
    name: z.string(),
    version: z.string().nullable(),
    hash: z.string().meta({ description: 'SHA-256 of the sorted paths and bytes of the files.' }),
    source: z.enum(['catalog', 'project_override']),
    base_catalog_hash: z.string().nullable(),
    created_by: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    files: z.array(SkillFile),
    verification: z
      .object({ valid: z.boolean(), expected: z.string(), actual: z.string(), verified_at: Timestamp })
      .meta({ description: 'The hash, computed again from the stored files for this answer.' }),
    context: Context,
  })
  .meta({ id: 'SkillRevision', description: 'Immutable revision of a skill.' });

/** Operations on skills. */
export const skillOperations = {
  skills_import: operation({
    method: 'POST',
    path: `${V1}/skill-imports`,
    summary: 'Import an immutable skill revision; the same files give the same revision',
    roles: ADMINS,
    input: z.object(importInput),
    output: SkillRevision,
    status: 201,
    unchanged: 200,
    revision: 'etag',
    hints: HINTS.CHANGE,
    errors: ['hash_mismatch', 'payload_too_large'],
    maxBody: 2 * 1024 * 1024,
  }),
  skills_revision: operation({
    method: 'GET',
    path: `${V1}/skill-revisions/{revision_id}`,
    summary: 'Read a skill revision and verify its hash',
    input: z.object({
      revision_id: z.string().min(1).max(71).meta({ description: 'Id or hash, or id of a catalog skill.' }),
      include: z.enum(['content']).optional().meta({ description: 'The bytes of the files.' }),
    }),
    output: SkillRevision,
    revision: 'etag',
    errors: ['not_found'],
  }),
} as const;
