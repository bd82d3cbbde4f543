/** Colours of the themes: distances between them for all eyes, and contrast to their background. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Triple = readonly [number, number, number];

const css = readFileSync(new URL('../../ui/theme.css', import.meta.url), 'utf8');
const FLOOR = 12;

function theme(name: string): Map<string, string> {
  const block = new RegExp(`\\[data-theme="${name}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? '', m[2] ?? '']));
}

const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

function linear(hex: string): Triple {
  const at = (i: number) => toLinear(Number.parseInt(hex.slice(i, i + 2), 16) / 255);
  return [at(1), at(3), at(5)];
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear light. */
const EYES: Record<string, readonly Triple[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(colour: Triple, eye: readonly Triple[]): Triple {
  const row = (r: Triple) => Math.min(1, Math.max(0, r[0] * colour[0] + r[1] * colour[1] + r[2] * colour[2]));
  const [r, g, b] = eye;
  assert.ok(r && g && b);
  return [row(r), row(g), row(b)];
}

/** Linear sRGB to CIE L*a*b*, D65. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 (Sharma, Wu and Dalal 2005). */
function distance([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const rad = Math.PI / 180;
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [ap1, ap2] = [(1 + g) * a1, (1 + g) * a2];
  const [c1, c2] = [Math.hypot(ap1, b1), Math.hypot(ap2, b2)];
  const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / rad + 360) % 360);
  const [h1, h2] = [hue(ap1, b1), hue(ap2, b2)];
  const grey = c1 * c2 === 0;
  let dh = grey ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  let hm = h1 + h2;
  if (!grey) {
    if (Math.abs(h1 - h2) <= 180) hm /= 2;
    else hm = hm < 360 ? (hm + 360) / 2 : (hm - 360) / 2;
  }
  const dl = l2 - l1;
  const dc = c2 - c1;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin((dh * rad) / 2);
  const lm = (l1 + l2) / 2;
  const cm = (c1 + c2) / 2;
  const t =
    1 -
    0.17 * Math.cos((hm - 30) * rad) +
    0.24 * Math.cos(2 * hm * rad) +
    0.32 * Math.cos((3 * hm + 6) * rad) -
    0.2 * Math.cos((4 * hm - 63) * rad);
  const sl = 1 + (0.015 * (lm - 50) ** 2) / Math.sqrt(20 + (lm - 50) ** 2);
  const sc = 1 + 0.045 * cm;
  const sh = 1 + 0.015 * cm * t;
  const rt = -2 * Math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)) * Math.sin(60 * rad * Math.exp(-(((hm - 275) / 25) ** 2)));
  return Math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dH / sh) ** 2 + rt * (dc / sc) * (dH / sh));
}

/** WCAG 2.2 contrast ratio. */
function contrast(a: string, b: string): number {
  const light = (hex: string) => {
    const [r, g, bl] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [low, high] = [light(a), light(b)].sort((p, q) => p - q);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

test('the CIEDE2000 function matches published test pairs', () => {
  // Sharma, Wu and Dalal 2005, table 1, pairs 1, 7, 17 and 25.
  assert.ok(Math.abs(distance([50, 2.6772, -79.7751], [50, 0, -82.7485]) - 2.0425) < 1e-4);
  assert.ok(Math.abs(distance([50, 0, 0], [50, -1, 2]) - 2.3669) < 1e-4);
  assert.ok(Math.abs(distance([50, 2.5, 0], [73, 25, -18]) - 27.1492) < 1e-4);
  assert.ok(Math.abs(distance([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387]) - 1.2644) < 1e-4);
});

for (const name of ['tv-dark', 'tv-light']) {
  const colours = theme(name);
  const of = (token: string) => {
    const hex = colours.get(token);
    assert.ok(hex, `--${token} of ${name}`);
    return hex;
  };
  for (const [what, tokens] of [
    ['states', ['run', 'idle', 'off', 'maint', 'warn', 'crit']],
    ['trend lines', ['line-1', 'line-2', 'line-3', 'line-4']],
  ] as const) {
    for (const [eye, matrix] of Object.entries(EYES)) {
      test(`[U8] ${what} of ${name} differ by at least 12 for ${eye} eyes`, () => {
        tokens.forEach((a, i) => {
          for (const b of tokens.slice(0, i)) {
            const d = distance(lab(seen(linear(of(a)), matrix)), lab(seen(linear(of(b)), matrix)));
            assert.ok(d >= FLOOR, `${a} and ${b}: ${d.toFixed(1)}`);
          }
        });
      });
    }
  }
  test(`[U8] text and shapes of ${name} have enough contrast to their background`, () => {
    const text = [
      ['text', 'bg'],
      ['text', 'tile'],
      ['text', 'tile-2'],
      ['text', 'crit-tile'],
      ['text-2', 'bg'],
      ['text-2', 'tile'],
      ['text-2', 'tile-2'],
      ['ink', 'maint'],
      ['ink', 'crit'],
    ] as const;
    const shapes = ['run', 'idle', 'off', 'maint', 'warn', 'crit', 'edge', 'line-1', 'line-2', 'line-3', 'line-4'];
    for (const [a, b] of text) assert.ok(contrast(of(a), of(b)) >= 4.5, `${a} on ${b}`);
    for (const a of shapes) assert.ok(contrast(of(a), of('tile')) >= 3, `${a} on tile`);
    assert.ok(contrast(of('crit'), of('crit-tile')) >= 3);
    assert.ok(contrast(of('warn'), of('bg')) >= 3);
    assert.ok(contrast(of('crit'), of('bg')) >= 3);
    // The header of a lost link has large bold type (WCAG 1.4.3) on the warning colour.
    assert.ok(contrast(of('ink'), of('warn')) >= 3);
  });
}
