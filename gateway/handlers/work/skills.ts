/**
 * Operations on revisions of skills. A skill is a set of files with instructions for AI agents. A revision never changes. The hash of its
 * files identifies it, and every read verifies the hash.
 *
 *   leaf = sha256("leaf\n" path "\n" sha256(bytes))     files sorted by path
 *   node = sha256("node\n" left "\n" right)             pairs from the left; a last hash without a partner moves up unchanged
 *   hash = "sha256:" root
 */

import { OperationError } from '#contract/base/errors.ts';
import { hashId } from '#contract/base/ids.ts';
import type { Stored, View } from '#contract/base/view.ts';
import {
  CATALOG_FILE,
  CATALOG_SINCE,
  CATALOG_SKILLS,
  type CatalogSkill,
  catalogSkill,
} from '#contract/catalog-skills.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { RULE_SKILL_IDS } from '#contract/skill-names.ts';
import { SKILL_LIMITS, type SkillRevisionData } from '#contract/work/skill.ts';
import type { RunData } from '#contract/work/task.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { fromBase64 } from '#handlers/base/base64.ts';
import { NO_CONTEXT, requireRecord, wireBase } from '#handlers/base/documents.ts';

type SkillRevision = Output<'skills_revision'>;
type Files = SkillRevisionData['files'];
type Hash = HandlerContext['sha256'];
/** A revision, stored or of the catalog. */
type Kept = Pick<Stored<SkillRevisionData>, 'id' | 'project_id' | 'revision' | 'created_at' | 'updated_at' | 'data'>;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

/** Largest number of characters of the instructions of a skill that a run gives to its model. */
const MOST_INSTRUCTIONS = 60_000;

/** The skill of a run: its instructions and what the receipt of the run says about it, or why no run may work with it. */
export type SkillForRun =
  | { readonly entry: RunData['skills'][number]; readonly text: string }
  | { readonly problem: string };

/** Says where a skill revision comes from. */
function originOf({ skill_id, source, base_catalog_hash }: SkillRevisionData): string {
  if (source === 'catalog') return `It is the copy of the catalog skill ${skill_id}.`;
  return base_catalog_hash === null
    ? `It was imported as ${skill_id} (\`project_override\`).`
    : `It was imported in place of the catalog skill ${skill_id} (\`project_override\`, catalog hash ${base_catalog_hash}).`;
}

/** Returns a skill revision for a run. Its stored files must have its hash, and `pinned`, the hash that the run keeps, if it keeps one. */
export async function skillForRun(
  view: Pick<View, 'get'>,
  sha256: Hash,
  revision_id: string,
  pinned?: string,
): Promise<SkillForRun> {
  const found = await view.get<SkillRevisionData>('records', revision_id);
  if (found?.object !== 'skill_revision') return { problem: `The skill revision ${revision_id} is absent.` };
  const actual = hashOf(sha256, found.data.files);
  if (actual !== found.data.hash || actual !== (pinned ?? actual))
    return { problem: `The files of the skill revision ${revision_id} were changed. ${originOf(found.data)}` };
  const { skill_id, source, hash, base_catalog_hash, files } = found.data;
  const texts = files.filter(({ path }) => /\.(md|txt)$/i.test(path));
  const text = texts
    .map(({ path, content_base64 }) => `# ${path}\n${new TextDecoder().decode(fromBase64(content_base64))}`)
    .join('\n\n');
  return {
    entry: { skill_id, source, executed_hash: hash, base_catalog_hash },
    text: text.slice(0, MOST_INSTRUCTIONS),
  };
}

/** Computes the hash of a revision from the paths and contents of its files. */
function hashOf(sha256: Hash, files: Files): string {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  let row = sorted.map(({ path, content_base64 }) => sha256(`leaf\n${path}\n${sha256(fromBase64(content_base64))}`));
  while (row.length > 1) {
    const above: string[] = [];
    for (let i = 0; i < row.length; i += 2) {
      const [left = '', right] = row.slice(i, i + 2);
      above.push(right === undefined ? left : sha256(`node\n${left}\n${right}`));
    }
    row = above;
  }
  return `sha256:${row[0]}`;
}

/**
 * Decodes the files of a request. Throws `parameter_invalid` if a path occurs twice or a file does not have exactly one content. Throws
 * also if a file or all files together are too large.
 */
function readFiles(sha256: Hash, given: Parsed<'skills_import'>['files']): Files {
  let total = 0;
  const seen = new Set<string>();
  const files = given.map(({ path, content, content_base64 }) => {
    // Two paths that differ only in case cannot both be unpacked on a case-insensitive file system.
    if (seen.has(path.toLowerCase()))
      throw new OperationError('parameter_invalid', `The path ${path} is given twice.`, { param: 'files' });
    seen.add(path.toLowerCase());
    if ((content === undefined) === (content_base64 === undefined))
      throw new OperationError('parameter_invalid', `Give either \`content\` or \`content_base64\` for ${path}.`, {
        param: 'files',
      });
    const bytes = content_base64 === undefined ? new TextEncoder().encode(content) : fromBase64(content_base64);
    total += bytes.length;
    if (bytes.length > SKILL_LIMITS.file_bytes || total > SKILL_LIMITS.total_bytes)
      throw new OperationError(
        'payload_too_large',
        `A file can have at most ${SKILL_LIMITS.file_bytes} bytes, all files together ${SKILL_LIMITS.total_bytes}.`,
        { param: 'files' },
      );
    return { path, bytes: bytes.length, sha256: sha256(bytes), content_base64: toBase64(bytes) };
  });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function toRevision(context: HandlerContext, document: Kept, content: boolean): SkillRevision {
  const { files, ...data } = document.data;
  const actual = hashOf(context.sha256, files);
  return {
    object: 'skill_revision',
    ...wireBase(document),
    ...data,
    files: files.map(({ content_base64, ...file }) => ({ ...file, ...(content ? { content_base64 } : {}) })),
    verification: { valid: actual === data.hash, expected: data.hash, actual, verified_at: context.now },
    context: NO_CONTEXT,
  };
}

/** Returns a skill of the catalog as a revision in the project. The id is derived, so it is the same on each gateway. */
function catalogRevision({ view, sha256 }: HandlerContext, skill: CatalogSkill): Kept {
  const { skill_id, name, hash, text } = skill;
  const bytes = new TextEncoder().encode(text);
  const file = { path: CATALOG_FILE, bytes: bytes.length, sha256: sha256(bytes), content_base64: toBase64(bytes) };
  return {
    id: hashId('skill_revision', sha256(`catalog skill\n${view.project_id}\n${skill_id}\n${hash}`)),
    project_id: view.project_id,
    revision: 1,
    created_at: CATALOG_SINCE,
    updated_at: CATALOG_SINCE,
    data: {
      skill_id,
      name,
      version: null,
      hash,
      source: 'catalog',
      base_catalog_hash: null,
      created_by: { type: 'catalog', id: null, name: 'Headframe' },
      files: [file],
    },
  };
}

/** Returns the last imported revision of a skill. Undefined if the project has imported none. */
async function overrideOf(view: StagedView, skill_id: string): Promise<Stored<SkillRevisionData> | undefined> {
  const where = { 'data.skill_id': skill_id, 'data.source': 'project_override' };
  return (await view.find<SkillRevisionData>('records', { object: 'skill_revision', where, limit: 1 }))[0];
}

/** Returns true if a run can use the skill: the project has imported it, or it is in the catalog. */
export const isSkill = async (view: StagedView, skill_id: string): Promise<boolean> =>
  catalogSkill(skill_id) !== undefined || (await overrideOf(view, skill_id)) !== undefined;

/** Returns true if rules do the work of a skill in a project without a model. A skill of the project has instructions that rules cannot follow. */
export const worksByRules = async (view: StagedView, skill_id: string | null): Promise<boolean> =>
  RULE_SKILL_IDS.some((one) => one === skill_id) && (await overrideOf(view, String(skill_id))) === undefined;

/**
 * Returns the revision that a new run uses: the last import, or else the skill of the catalog. The first run that uses a catalog skill stages
 * a copy in the project, so that the text can be read after a later version of the gateway has another one.
 */
export async function stageSkill(context: HandlerContext, skill_id: string): Promise<Kept | undefined> {
  const { view } = context;
  const override = await overrideOf(view, skill_id);
  const skill = catalogSkill(skill_id);
  if (override !== undefined || skill === undefined) return override;
  const { id, data } = catalogRevision(context, skill);
  const there = await view.get<SkillRevisionData>('records', id);
  return there ?? view.stage({ collection: 'records', id, object: 'skill_revision', data, expected: 0 });
}

/** Finds a revision by its id or its hash, in the project or in the catalog, and a catalog skill also by its name. */
async function findRevision(context: HandlerContext, wanted: string): Promise<Kept> {
  const { view } = context;
  if (wanted.startsWith('sha256:')) {
    const query = { object: 'skill_revision', where: { 'data.hash': wanted }, limit: 1 };
    const [stored] = await view.find<SkillRevisionData>('records', query);
    if (stored !== undefined) return stored;
  } else {
    const stored = await view.get<SkillRevisionData>('records', wanted);
    if (stored?.object === 'skill_revision') return stored;
  }
  for (const skill of CATALOG_SKILLS) {
    const revision = catalogRevision(context, skill);
    if ([skill.skill_id, skill.hash, revision.id].includes(wanted)) return revision;
  }
  return requireRecord<SkillRevisionData>(view, 'skill_revision', wanted, 'revision_id');
}

export const skillHandlers = handlerGroup([], {
  async skills_import(input, context) {
    const { view, caller, sha256 } = context;
    const files = readFiles(sha256, input.files);
    const hash = hashOf(sha256, files);
    if (input.expected_hash !== undefined && input.expected_hash !== hash)
      throw new OperationError('hash_mismatch', `The hash of the files is ${hash}; nothing was imported.`, {
        param: 'expected_hash',
        details: [{ expected: input.expected_hash, actual: hash }],
      });
    // Derive the id from the hash, so that two concurrent imports of the same files create only one revision.
    const text = `skill\n${view.project_id}\n${input.skill_id}\n${hash}`;
    const id = hashId('skill_revision', sha256(text));
    const there = await view.get<SkillRevisionData>('records', id);
    if (there !== undefined) return toRevision(context, there, false);
    const document = view.stage<SkillRevisionData>({
      collection: 'records',
      id,
      object: 'skill_revision',
      data: {
        skill_id: input.skill_id,
        name: input.name,
        version: input.version ?? null,
        hash,
        source: 'project_override',
        base_catalog_hash: catalogSkill(input.skill_id)?.hash ?? null,
        created_by: { type: caller.kind, id: caller.id, name: caller.name },
        files,
      },
      expected: 0,
    });
    stageAudit(context, view, 'skill_revision', id, 'imported', { skill_id: input.skill_id, hash });
    return toRevision(context, document, false);
  },

  async skills_revision({ revision_id, include }, context) {
    return toRevision(context, await findRevision(context, revision_id), include === 'content');
  },
});
