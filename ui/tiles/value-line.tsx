/** The line of a value over the last half hour, in the tile of a machine in trouble. */
import type { Reason, ValueLine } from '#contract/site/trouble.ts';
import type { Size } from '#ui/text/measure.ts';

/** The value of a reason over the last half hour, with its limit. All lengths are in u. */
export function Line({ line, size, reason }: { line: ValueLine; size: Size; reason: Reason }) {
  const known = line.v.filter((value) => value !== null);
  const all = [...known, line.limit];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const span = most - least || 1;
  const x = (i: number) => (i / (line.v.length - 1)) * size.w;
  const y = (value: number) => 0.6 + (1 - (value - least) / span) * (size.h - 1.2);
  let path = '';
  let last: readonly [number, number] | null = null;
  line.v.forEach((value, i) => {
    if (value === null) return;
    const gap = i === 0 || line.v[i - 1] === null;
    last = [x(i), y(value)];
    path += `${gap ? 'M' : 'L'}${last.map((n) => n.toFixed(2)).join(' ')}`;
  });
  const limit = y(line.limit);
  const beyond = line.below ? { y: limit, h: size.h - limit } : { y: 0, h: limit };
  const [cx, cy] = last ?? [0, 0];
  return (
    <svg
      class="value-line"
      viewBox={`0 0 ${size.w} ${size.h}`}
      style={{ height: `calc(${size.h} * var(--u))` }}
      aria-hidden="true"
    >
      <rect class="beyond" x="0" y={beyond.y} width={size.w} height={Math.max(0, beyond.h)} />
      <path class="bound" d={`M0 ${limit}H${size.w}`} />
      <path class="value" d={path} />
      {last !== null && <circle class={reason.grade} cx={cx} cy={cy} r="0.8" />}
    </svg>
  );
}
