/**
 * The skills that the gateway ships. Their instructions are those of the MCP prompts, so that an agent of a person and a run of the gateway
 * work by the same text. Each skill has the hash of its one file. A test and each read compare the hash with the text.
 */
import { AGENT_PROMPTS, HONEST } from './agent-prompts.ts';
import type { CatalogSkillId } from './skill-names.ts';

/** The one file of a catalog skill. */
export const CATALOG_FILE = 'SKILL.md';

export interface CatalogSkill {
  readonly skill_id: string;
  readonly name: string;
  readonly hash: string;
  readonly text: string;
}

/** The skill, the prompt that has its instructions, and the hash of its file as `handlers/work/skills.ts` computes it. */
const ROWS = [
  ['setup', 'set_up_site', 'sha256:769dfe5892a5c3821f86d7fd1574745518b0e98a13f2ed6575114def149313a6'],
  ['shift_report', 'shift_handover', 'sha256:446f9563d4428549368447883a0e4e1638b73e8e1df7f5ec25572d4e6037ba70'],
  ['ticket_from_code', 'ticket_from_code', 'sha256:c0d58ad2e8d09aa8fe263074367cf4d231ea802db1762709bf9d8c2e6efad7b8'],
  ['fault_explanation', 'explain_fault', 'sha256:9c4a6035e388a1565dbe9a042dc895e477cac0f996726a9d9d991434bfb01deb'],
  ['daily_summary', 'daily_summary', 'sha256:4449f05196bf5bdb9ff4465523d2d9a2d6ef44c9b53d42e5fd7f2bc27ac559dd'],
  ['device_match', 'match_devices', 'sha256:4cc6e40b14be1479d03169cbf97f1c817b97202b6dfa2587cc79d17b59c9f7c9'],
  ['why_silent', 'why_silent', 'sha256:a4a8a90660bc91c3303b8cf3c771c13471febd71a99cd4bdd5ac13a02b801fef'],
] as const satisfies readonly (readonly [CatalogSkillId, prompt: string, hash: string])[];

/** The day on which the present texts were shipped. */
export const CATALOG_SINCE = '2026-11-28T00:00:00.000Z';

function skillOf([skill_id, prompt, hash]: (typeof ROWS)[number]): CatalogSkill {
  const row = AGENT_PROMPTS.find(({ name }) => name === prompt);
  if (row === undefined) throw new Error(`no prompt ${prompt}`);
  // The file has each argument as its name in angle brackets. The request of the run says what it is.
  const named = Object.fromEntries(row.arguments.map(({ name }) => [name, `<${name}>`]));
  const fields = row.arguments.map(({ name, description }) => `<${name}>: ${description}`);
  const text = [`# ${row.title}`, row.description, '', ...row.lines(named), HONEST, ...fields, ''].join('\n');
  return { skill_id, name: row.title, hash, text };
}

export const CATALOG_SKILLS: readonly CatalogSkill[] = ROWS.map(skillOf);

/** Returns the skill of the catalog with this id; undefined if the catalog has none. */
export const catalogSkill = (skill_id: string): CatalogSkill | undefined =>
  CATALOG_SKILLS.find((one) => one.skill_id === skill_id);

/** Returns what the receipt of a run says of a catalog skill that it used without a model. */
export function catalogEntry(skill_id: CatalogSkillId) {
  const hash = catalogSkill(skill_id)?.hash ?? '';
  return { skill_id, source: 'catalog' as const, executed_hash: hash, base_catalog_hash: null };
}
