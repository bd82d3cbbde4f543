/** The foot of a machine in trouble: since when, and who is on it. */
import type { Reason } from '#contract/site/trouble.ts';
import { REASON_WORDS } from '#contract/work/attention-words.ts';
import { t } from '#ui/languages/texts.ts';
import { shortened, textWidth } from '#ui/text/measure.ts';
import { ownerTexts } from '#ui/words.ts';
import { Svg } from './marks.tsx';

/** A person. The outline is dashed if nobody is on a trouble. */
const Person = ({ nobody }: { nobody: boolean }) => (
  <Svg name="person">
    <path
      class={nobody ? 'line' : 'fill'}
      d="M12 3a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM3.500 21.500c0-9.500 17-9.500 17 0z"
      stroke-width={nobody ? 2 : undefined}
      stroke-dasharray={nobody ? '3 2' : undefined}
    />
  </Svg>
);

/** Returns who is on a trouble, the longest text first; an empty list if there is nobody to name. */
function ownersOf(reason: Reason | null, over: string | null, live: boolean): readonly string[] {
  if (reason !== null) return ownerTexts(reason, !live);
  return over === null || over === '' ? [] : ownerTexts({ owner: over }, true);
}

/** The width of the icon and the frame of an owner, in letters. */
const OWNER_FRAME = 2.9;

/** Since when and who is on it: the longest pair of texts that fits side by side. */
export function Foot(props: {
  readonly reason: Reason | null;
  readonly over: string | null;
  readonly live: boolean;
  readonly since: readonly string[];
  readonly size: number;
  readonly width: number;
  /** True if the label of the grade stands before the texts. */
  readonly labelled: boolean;
}) {
  const { reason, size, labelled } = props;
  const owners = ownersOf(reason, props.over, props.live);
  const graded = labelled && reason !== null ? t(REASON_WORDS.grades[reason.grade]) : '';
  const beside = props.width - (graded === '' ? 0 : textWidth(graded, size, 700) + 4);
  const wide = (since: string, owner: string) =>
    textWidth(since, size, 600) + (owner === '' ? 0 : textWidth(owner, size, 600) + OWNER_FRAME * size + 1.6);
  const pairs = props.since.flatMap((since) =>
    (owners.length === 0 ? [''] : owners).map((owner) => [since, owner] as const),
  );
  // Who is on it is more important than since when, and both are more important than the grade, which the shape shows too.
  const last = ['', owners[owners.length - 1] ?? ''] as const;
  const all = [...pairs, last];
  const found = all.find((pair) => wide(...pair) <= beside);
  const label = found === undefined ? '' : graded;
  const [since, owner] = found ?? all.find((pair) => wide(...pair) <= props.width) ?? last;
  const width = label === '' ? props.width : beside;
  const nobody = reason !== null && reason.owner === undefined;
  return (
    <div class="foot" style={{ fontSize: `calc(${size} * var(--u))` }}>
      {label !== '' && <b class="label-word">{label}</b>}
      {since !== '' && <span>{since}</span>}
      {owner !== '' && (
        <span class={nobody ? 'owner nobody' : 'owner'}>
          <Person nobody={nobody} />
          <span>{shortened(owner, size, 600, width - OWNER_FRAME * size)}</span>
        </span>
      )}
    </div>
  );
}
