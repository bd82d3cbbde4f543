/** The hashes by which a run pins the content of its custom action and of the review configuration. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { ReviewFields } from '#contract/work/review.ts';
import type { RunKept } from '#contract/work/run-kept.ts';

/** Returns the SHA-256 of a text in hexadecimal. */
export type Sha256 = (text: string) => string;

/** Returns the hash of a content, which is the same for equal contents. */
export const contentHash = (sha256: Sha256, content: object): string => `sha256:${sha256(canonicalJson(content))}`;

/** Returns the fields of the review configuration that a run keeps, without its revision and hash. */
export function reviewFieldsOf({ revision: _, hash: __, ...fields }: NonNullable<RunKept['review']>): ReviewFields {
  return fields;
}

/** Returns true if the review configuration that a run keeps is the one that it was created with. Runs of early versions have no hash. */
export const isReviewKept = (sha256: Sha256, review: NonNullable<RunKept['review']>): boolean =>
  review.hash === undefined || contentHash(sha256, reviewFieldsOf(review)) === review.hash;
