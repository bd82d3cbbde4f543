/** The field `delivery` of a record. */
import type { Delivery } from '#contract/base/delivery.ts';
import type { HandlerContext } from '#contract/context.ts';

/** Returns the field at head office, and nothing at a site. */
export async function deliveryFor(
  { delivery, view }: HandlerContext,
  record_id: string,
): Promise<{ delivery?: Delivery | null }> {
  return delivery === undefined ? {} : { delivery: await delivery(view.project_id, record_id) };
}
