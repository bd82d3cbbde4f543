/** A view reads and writes the documents of one project. It cannot read or change documents of another project. */
import type { ProjectWrite, View, Write } from '#contract/base/view.ts';
import type { StorageEngine } from '#store/base/engine.ts';

/** Creates the view of one project. */
export function createView(engine: StorageEngine, project_id: string): View {
  return {
    project_id,
    get: (collection, id) => engine.get(project_id, collection, id),
    getMany: (collection, ids) => engine.getMany(project_id, collection, ids),
    find: (collection, query) => engine.find(project_id, collection, query),
    async commit(writes) {
      return engine.commit(writes.map((write) => inProject(write, project_id)));
    },
    changes: (listener) =>
      engine.changes((changes) => {
        const own = changes.filter(({ document }) => document.project_id === project_id);
        if (own.length > 0) listener(own);
      }),
  };
}

function inProject(write: Write, project_id: string): ProjectWrite {
  if (write.project_id !== undefined && write.project_id !== project_id) {
    throw new RangeError(`${write.id} belongs to project ${write.project_id}; this view writes to ${project_id}`);
  }
  return { ...write, project_id };
}
