/** Walks all places of the office at every size, theme and language that is named, as a person with a given key. */
import type { Page, Response } from 'playwright';
import type { TestBrowser } from '#test/e2e/browser.ts';
import { cutTexts, type Findings, type Look, openLook, smallTargets, tabFaults } from './checks.ts';
import type { Visit } from './visits.ts';

/** The sizes of windows, in pixels. */
export const WINDOWS = {
  desk: { width: 1440, height: 900 },
  'tablet across': { width: 1024, height: 768 },
  'tablet upright': { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
} as const;
export type WindowName = keyof typeof WINDOWS;

type Check = 'axe' | 'cut' | 'tab' | 'targets';

/** One look at a page: the window, the theme, and what is checked. */
export interface View {
  readonly window: WindowName;
  readonly theme: 'light' | 'dark';
  readonly checks: readonly Check[];
}

export const ALL_VIEWS: readonly View[] = [
  { window: 'desk', theme: 'light', checks: ['axe', 'cut', 'tab'] },
  { window: 'desk', theme: 'dark', checks: ['axe'] },
  { window: 'tablet across', theme: 'dark', checks: ['axe', 'cut', 'targets'] },
  { window: 'tablet upright', theme: 'light', checks: ['axe', 'cut', 'targets'] },
  { window: 'phone', theme: 'light', checks: ['axe', 'cut', 'targets', 'tab'] },
  { window: 'phone', theme: 'dark', checks: ['axe'] },
];
/** For the pseudo language, whose texts are 35 % longer. */
export const LONG_VIEWS: readonly View[] = [
  { window: 'desk', theme: 'light', checks: ['cut'] },
  { window: 'tablet across', theme: 'light', checks: ['cut'] },
  { window: 'tablet upright', theme: 'light', checks: ['cut'] },
  { window: 'phone', theme: 'dark', checks: ['axe', 'cut'] },
];
/** For roles and for a site without its gateway: the content is that of other walks, with less on it. */
export const FEW_VIEWS: readonly View[] = [
  { window: 'desk', theme: 'dark', checks: ['axe', 'cut', 'tab'] },
  { window: 'phone', theme: 'light', checks: ['axe', 'cut', 'targets'] },
];

/** For states in which the content differs: longer lists, or none. */
export const CONTENT_VIEWS: readonly View[] = [
  ...FEW_VIEWS,
  { window: 'tablet across', theme: 'light', checks: ['cut', 'targets'] },
  { window: 'tablet upright', theme: 'dark', checks: ['cut', 'targets'] },
];

export interface Walk {
  readonly chromium: TestBrowser;
  readonly findings: Findings;
  /** The state of the site, or the role, for the report. */
  readonly name: string;
  readonly http: string;
  readonly key: string | null;
  readonly language?: string;
  readonly views: readonly View[];
  readonly visits: readonly Visit[];
  readonly isExpected?: (response: Response) => boolean;
  /** The gateway does not answer, so each request fails. */
  readonly isOffline?: boolean;
  /** Called once before the first visit. */
  readonly before?: (look: Look) => Promise<void>;
  readonly say: (line: string) => void;
}

/** Looks at what a page shows in each of the views. */
export async function lookAt(
  look: Look,
  views: readonly View[],
  findings: Findings,
  where: string,
  isOffline = false,
): Promise<void> {
  const { page } = look;
  for (const { window, theme, checks } of views) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(WINDOWS[window]);
    await look.settle();
    const at = `${where}, ${window} ${theme}`;
    if (checks.includes('cut')) findings.add(at, await cutTexts(page));
    if (checks.includes('targets')) findings.add(at, await smallTargets(page));
    if (checks.includes('axe')) await findings.axe(page, at);
    if (checks.includes('tab')) findings.add(at, await tabFaults(page));
    const failed = look.faults();
    findings.add(at, isOffline ? failed.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED')) : failed);
  }
}

/** What a browser keeps in which a person has chosen a language, and signed in with the key. */
export function signedIn({ http, key, language = 'en' }: Pick<Walk, 'http' | 'key' | 'language'>) {
  const localStorage = [
    { name: 'headframe.language', value: language },
    ...(key === null ? [] : [{ name: 'headframe.key', value: key }]),
  ];
  return { cookies: [], origins: [{ origin: http, localStorage }] };
}

/** Opens the office at an address, signed in with a key, in a language. */
export function openOffice(walk: Pick<Walk, 'chromium' | 'http' | 'key' | 'language' | 'isExpected'>): Promise<Look> {
  const options = { storageState: signedIn(walk), viewport: WINDOWS.desk };
  return openLook(walk.chromium, walk.http, options, walk.isExpected);
}

/** Opens an address of the office in the same page. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
    scrollTo(0, 0);
  }, hash);
}

/** Walks all visits, and writes one line for each. */
export async function walkOffice(walk: Walk): Promise<void> {
  const { findings, views, say } = walk;
  await using look = await openOffice(walk);
  await look.page.locator('nav.pages').waitFor();
  await walk.before?.(look);
  for (const { name, hash } of walk.visits) {
    const known = findings.lines().length;
    const began = performance.now();
    await goTo(look.page, hash);
    // A page that fails is a finding, and the walk goes on.
    await lookAt(look, views, findings, `${walk.name}: ${name}`, walk.isOffline).catch((error: unknown) =>
      findings.add(`${walk.name}: ${name}`, [`the look failed: ${String(error).split('\n')[0]}`]),
    );
    const fresh = findings.lines().slice(known);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    findings.pages++;
    say(`${fresh.length === 0 ? 'ok   ' : 'FAULT'} ${walk.name}: ${name} (${views.length} views, ${seconds} s)`);
    for (const line of fresh) say(`      ${line}`);
  }
}
