/** Setup: makes the objects of a project from a description and files, and reports which objects it made and which are missing. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { GapProposal } from '#contract/work/task.ts';

/** Bytes of all files of one setup. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Characters of the description and the text of its files. */
export const MAX_SETUP_TEXT = 100_000;
export const MAX_FILES = 5;
/** Gaps that a person sends back with a checked plan. */
export const MAX_OPEN_GAPS = 1_000;
/** The body of a request with files: base64 needs four characters for three bytes. */
export const SETUP_BODY = 6 * 1024 * 1024;

export const SetupFiles = z
  .array(
    z.object({
      name: z.string().trim().min(1).max(200),
      content_base64: z.base64().max(Math.ceil((MAX_FILE_BYTES / 3) * 4) + 4),
    }),
  )
  .max(MAX_FILES)
  .default([]);

/**
 * Where lines of the text stand in a file. `at` and a number are a place: `fleet.xlsx, sheet Fleet, row` and 7. `runs` has pairs of a
 * position in the text and the number of the line there. The lines below it have the next numbers, up to the next pair.
 */
export interface TextPlaces {
  readonly at: string;
  readonly runs: readonly number[];
}

const WORD = /[\p{L}\p{N}-]/u;

/**
 * Returns where words that a plan cites stand in its text; -1 if they are not there. A row stands where it is a whole line, and other words
 * where they are first: `2; dumper` does not stand in the line `12; dumper`.
 */
export function wordsAt(text: string, words: string): number {
  if (words === '') return -1;
  const row = `\n${text}\n`.indexOf(`\n${words}\n`);
  if (row >= 0) return row;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (!WORD.test(text[at - 1] ?? '') && !WORD.test(text[at + words.length] ?? '')) return at;
  return text.indexOf(words);
}

/** A file, and what could not be read of it. */
export interface ReadGap {
  readonly code: 'file_unreadable' | 'file_locked' | 'file_without_text' | 'file_part_not_read' | 'page_not_read';
  /** The name of the file, or the address of the page. */
  readonly file: string;
  readonly message: string;
  readonly remedy: string;
}

export interface GivenFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** The description with the text of its files below it. */
export interface JoinedText {
  readonly text: string;
  readonly places: readonly TextPlaces[];
  readonly gaps: readonly ReadGap[];
}

/** What was read of the files of a setup: where the lines of the prompt stand, and what could not be read. */
export type FilesRead = Pick<JoinedText, 'places' | 'gaps'> & {
  /** Characters of the description. The text of the files stands behind it. */
  readonly described?: number;
};

const text = z.string().nullable();
/** What the gateway heard on the buses of devices without a machine. Devices with the same VIN are on one machine. */
const HeardDevices = z
  .object({
    devices: z.array(z.object({ id: z.string(), device_id: z.string(), name: z.string(), serial: text })),
    vins: z.array(z.string()).meta({ description: 'At most 3.' }),
    units: z
      .array(z.object({ unit: text, maker: text, model: text, serial: text }))
      .meta({ description: 'Control units, at most 5.' }),
    unit_count: z.number().int(),
    last_heard_at: Timestamp.nullable(),
    machines: z
      .array(z.object({ equipment_id: z.string(), unit_number: z.string(), confidence: z.number() }))
      .meta({ description: 'Machines that they may be on, best first; at most 3.' }),
    decommissioned: text.meta({ description: 'Unit number of a decommissioned machine with this VIN or serial.' }),
  })
  .meta({ id: 'HeardDevices', description: 'What was heard on the buses of devices without a machine.' });
export type HeardDevices = z.infer<typeof HeardDevices>;

const ids = z.array(z.string());
const Setup = z
  .object({
    object: z.literal('setup'),
    project_id: z.string(),
    status: z.enum(['not_started', 'running', 'completed', 'failed', 'canceled']),
    task_id: z.string().nullable(),
    run_id: z.string().nullable(),
    created: z
      .object({
        equipment: ids,
        locations: ids,
        operators: ids,
        mechanics: ids,
        shifts: z.array(z.string()).meta({ description: 'Names.' }),
        dashboards: ids,
        playlists: ids,
        learnings: ids,
        devices: ids,
      })
      .meta({ description: 'Ids of objects that the setup created. Objects created by people are not included.' }),
    evidence: z.array(
      z.object({
        claim: z.string(),
        source: z.string(),
        excerpt: z.string().nullable(),
        confidence: z.number().min(0).max(1),
        created_ids: ids,
      }),
    ),
    missing_requirements: z.array(
      z.object({
        code: z.string(),
        resource: z.string(),
        field: z.string().nullable(),
        message: z.string(),
        remedy: z.string(),
        blocking: z.boolean().meta({ description: 'True if boards stay empty without it.' }),
        proposal: GapProposal.optional(),
        heard: HeardDevices.optional(),
      }),
    ),
    updated_at: Timestamp,
  })
  .meta({ id: 'Setup', description: 'State of a setup: created objects, their evidence, and missing objects.' });
export type Setup = z.infer<typeof Setup>;

/** The handles with which a caller follows a setup that has begun. */
export const SetupStarted = z.object({
  task: z.object({
    id: z.string(),
    run_id: z.string(),
    stream: z.object({ url: z.string(), run_id: z.string() }),
  }),
});

const path = { project_id: Id };
/** A description of this length is read in a quarter of a second. */
export const MAX_PROMPT = 20_000;
const SETUP_PATH = `${V1}/projects/{project_id}/setup`;

/** Operations on the setup of a project. */
export const setupOperations = {
  projects_setup: operation({
    method: 'POST',
    path: SETUP_PATH,
    summary: 'Set up the project from text and files; adds what is missing',
    roles: ADMINS,
    input: z.object({
      ...path,
      prompt: z.string().max(MAX_PROMPT).optional().meta({ description: 'Default: that of the project.' }),
      files: SetupFiles.meta({ description: 'CSV, XLSX, PDF, text. 4 MiB in all.' }),
    }),
    maxBody: SETUP_BODY,
    output: z.object({ setup: SetupStarted }),
    status: 202,
    errors: ['setup_in_progress', 'project_mismatch'],
  }),
  projects_setup_status: operation({
    method: 'GET',
    path: SETUP_PATH,
    summary: 'Get the state of the setup: created and missing objects',
    input: z.object(path),
    output: Setup,
    errors: ['project_mismatch'],
  }),
} as const;
