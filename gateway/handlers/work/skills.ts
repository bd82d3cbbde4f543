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
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { SKILL_LIMITS, type SkillRevisionData } from '#contract/work/skill.ts';
import type { RunData } from '#contract/work/task.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import { fromBase64 } from '#handlers/base/base64.ts';
import { NO_CONTEXT, requireRecord, wireBase } from '#handlers/base/documents.ts';

type SkillRevision = Output<'skills_revision'>;
type Files = SkillRevisionData['files'];
type Hash = HandlerContext['sha256'];

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

/** Largest number of characters of the instructions of a skill that a run gives to its model. */
const MOST_INSTRUCTIONS = 60_000;

/**
 * Returns the instructions of a skill revision for a run, and what the receipt of the run says about it. Undefined if the revision is absent,
 * or if its stored files do not have its hash.
 */
export async function skillForRun(
  view: Pick<View, 'get'>,
  sha256: Hash,
  revision_id: string,
): Promise<{ entry: RunData['skills'][number]; text: string } | undefined> {
  const found = await view.get<SkillRevisionData>('records', revision_id);
  if (found?.object !== 'skill_revision' || hashOf(sha256, found.data.files) !== found.data.hash) return undefined;
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

function toRevision(context: HandlerContext, document: Stored<SkillRevisionData>, content: boolean): SkillRevision {
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

/** Returns the revision of a skill that was imported last; undefined if the skill has no revision. */
export async function latestSkill(view: StagedView, skill_id: string): Promise<Stored<SkillRevisionData> | undefined> {
  const where = { 'data.skill_id': skill_id };
  return (await view.find<SkillRevisionData>('records', { object: 'skill_revision', where, limit: 1 }))[0];
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
        base_catalog_hash: null,
        created_by: { type: caller.kind, id: caller.id, name: caller.name },
        files,
      },
      expected: 0,
    });
    stageAudit(context, view, 'skill_revision', id, 'imported', { skill_id: input.skill_id, hash });
    return toRevision(context, document, false);
  },

  async skills_revision({ revision_id, include }, context) {
    const found = await requireRecord<SkillRevisionData>(context.view, 'skill_revision', revision_id, 'revision_id');
    return toRevision(context, found, include === 'content');
  },
});
