/** The table of one collection of the store. */
import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core';
import type { CollectionName } from '#contract/base/view.ts';
import { hasBodies } from '#store/base/body.ts';
import { indexSpecs, plainColumns } from './columns.ts';
import { ENVELOPE } from './rx-schema.ts';
import { Table } from './table.ts';

/** Returns the table of a collection, for an engine that does not open the collection with RxDB. */
export function documentTable(collection: CollectionName): Table {
  const schema = ENVELOPE as unknown as RxJsonSchema<RxDocumentData<unknown>>;
  const more = { partPath: 'project_id', hasBodies: hasBodies(collection), columns: plainColumns(collection) };
  return new Table(`${collection}_${ENVELOPE.version}`, 'id', schema, indexSpecs(collection), more);
}
