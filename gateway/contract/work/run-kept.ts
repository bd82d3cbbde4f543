/** What a run keeps of what it was started with, so that a later edit does not change it: its pins, and who asked for what. */
import { z } from 'zod';
import type { ReviewFields } from './review.ts';

/** A pin as answers show it. */
export const Pin = z
  .object({
    object: z.string(),
    id: z.string(),
    revision: z.number().int(),
    hash: z.string().nullable().meta({
      description:
        'SHA-256 of the content as canonical JSON (RFC 8785); of a skill, the hash of its files. Null for a device, and in runs of early versions.',
    }),
    content: z.record(z.string(), z.unknown()).nullable().optional().meta({
      description:
        'With `include=pins`: the action or configuration as the run keeps it. The content of a skill: skills_revision with the hash.',
    }),
    valid: z.boolean().nullable().optional().meta({ description: 'With `include=pins`: the content has this hash.' }),
  })
  .meta({ id: 'RunPin', description: 'A skill, action, configuration or device as it was when the run was created.' });
export type Pin = z.infer<typeof Pin>;

/** The parts of a stored run that it keeps from its creation. */
export interface RunKept {
  /** Revisions of the skills, the action and the device that the run uses, by document id: those that were current when it was created. */
  pins: Record<string, number>;
  /** Hashes of the skills and the action, by document id. Absent in runs of early versions. */
  hashes?: Record<string, string>;
  /** The custom action as it was when the run was created. */
  action?: Readonly<Record<string, unknown>>;
  /** The review configuration that was current when the run was created. Absent in a replacement until it starts. */
  review?: { revision: number; hash?: string } & ReviewFields;
  /** Who approved the run, and which run that person had read. */
  approval?: { by: string | null; name: string; at: string; run_id: string };
  /** Scopes of the key that asked for the work. The run may do only what they permit. Absent or null: no restriction. */
  scopes?: readonly string[] | null;
  /** True if the run may only read. */
  read_only?: boolean;
  /** True if the run plans its writes and carries none out. */
  plan_only?: boolean;
}
