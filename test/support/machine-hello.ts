/** The frames with which control units of a machine say who they are, as candump text. */
import { formatCandump } from '#codec/candump.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { encodeGroup, framesOf, identifier, pushFrame } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName } from '#domain/j1939/name.ts';
import { ENGINE_NAME } from './engine-name.ts';

interface Says {
  readonly vin?: string;
  /** `make*model*serial*unit*`, by source address. */
  readonly components?: Readonly<Record<number, string>>;
}

/** The address claim of an engine, its speed, and what `says` has. */
export function hello(at_ms: number, { vin, components = {} }: Says): Buffer {
  const batch = new FrameBatch();
  let ms = at_ms;
  const push = (id: number, data: Uint8Array) => {
    pushFrame(batch, ms * 1000, 0, id, data);
    ms += 50;
  };
  const put = (pgn: number, sa: number, text: string) => {
    for (const { id, data } of framesOf(6, pgn, sa, new TextEncoder().encode(text))) push(id, data);
  };
  push(identifier(6, PGN.addressClaim, 0), encodeName(ENGINE_NAME));
  push(identifier(3, 61444, 0), encodeGroup(61444, { 190: 800 }));
  if (vin !== undefined) put(PGN.vehicleIdentification, 0, `${vin}*`);
  for (const [sa, text] of Object.entries(components)) put(PGN.componentIdentification, Number(sa), text);
  return Buffer.from(formatCandump(batch));
}
