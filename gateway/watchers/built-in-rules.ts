/** The built-in alert rules. A new project has all of them. At each start the gateway adds missing built-in rules to older projects. */
import { createHash } from 'node:crypto';
import { BUILT_IN_RULES, builtInRuleId } from '#domain/work/alert-rules.ts';
import type { Store } from '#store/open-store.ts';
import { readAll } from './read-all.ts';

/** Stores in each project the built-in alert rules that the project does not have. */
export async function ensureBuiltInRules(store: Pick<Store, 'find' | 'view'>): Promise<void> {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  for (const { id: project_id } of await readAll(store, 'records', 'project')) {
    const view = store.view(project_id);
    const rules = BUILT_IN_RULES.map((data) => ({ id: builtInRuleId(sha256, project_id, data.built_in), data }));
    const known = new Set(
      (
        await view.getMany(
          'records',
          rules.map(({ id }) => id),
        )
      ).map(({ id }) => id),
    );
    const missing = rules.filter(({ id }) => !known.has(id));
    await view.commit(
      missing.map(({ id, data }) => ({
        collection: 'records',
        id,
        object: 'alert_rule',
        data: { ...data },
        expected: 0,
      })),
    );
  }
}
