/** What is checked on each page: axe, texts that are cut, requests that fail, complaints on the console, and the reach of the Tab key. */
import type { BrowserContextOptions, Page, Response } from 'playwright';
import { axeViolations, type TestBrowser } from '#test/e2e/browser.ts';

/** Returns the texts of the page that stand outside their part of the page, and the pixels by which the page scrolls sideways. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const found = new Set<string>();
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) {
      const far = [...document.querySelectorAll('body *')].filter(
        (one) => one.getBoundingClientRect().right > innerWidth,
      );
      const names = [...new Set(far.map((one) => `${one.tagName.toLowerCase()}.${one.getAttribute('class')}`))];
      found.add(`the page scrolls sideways by ${wide} px: ${names.slice(-4).join(' ')}`);
    }
    const nameOf = (element: Element, text: string) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${text.trim().slice(0, 50)}"`;
    /** Looks from the text upwards for a part that cuts it. */
    const cutBy = (rect: DOMRect, from: Element): string | undefined => {
      let across = true;
      let down = true;
      for (let at: Element | null = from; at !== null && at !== document.body; at = at.parentElement) {
        const { overflowX, overflowY, textOverflow, position } = getComputedStyle(at);
        const clamp = getComputedStyle(at).getPropertyValue('-webkit-line-clamp');
        const box = at.getBoundingClientRect();
        // A part of one pixel is only for screen readers.
        if (box.width <= 2 || box.height <= 2) return undefined;
        const isButton = at.matches('button, .button, th, .tag');
        if (across && ((overflowX === 'hidden' && textOverflow === 'clip') || overflowX === 'clip' || isButton))
          if (rect.right > box.right + 2 || rect.left < box.left - 2)
            return `cut at the side by ${at.tagName.toLowerCase()}.${at.className}`;
        if (down && (overflowY === 'hidden' || overflowY === 'clip') && (clamp === 'none' || clamp === ''))
          if (rect.bottom > box.bottom + 3 || rect.top < box.top - 3)
            return `cut above or below by ${at.tagName.toLowerCase()}.${at.className}`;
        if (overflowX !== 'visible') across = false;
        if (overflowY !== 'visible') down = false;
        if (position === 'fixed') return undefined;
      }
      return across && (rect.right > innerWidth + 1 || rect.left < -1) ? 'outside the window' : undefined;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      const text = node.textContent ?? '';
      if (parent === null || text.trim() === '' || parent.closest('script, style, svg, .map-canvas, option') !== null)
        continue;
      if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        if (rect.width < 2 || rect.height < 2) continue;
        const why = cutBy(rect, parent);
        if (why !== undefined) found.add(`${nameOf(parent, text)} is ${why}`);
      }
    }
    return [...found];
  });
}

/**
 * Returns the controls that a finger cannot hit, because they are less than 44 px high or less than 24 px wide [U66]. A link inside a line
 * of text is as high as its line.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const CONTROLS = 'a[href], button, select, summary, input, textarea, label.button, [role=button], [role=option]';
    for (const one of document.querySelectorAll<HTMLElement>(CONTROLS)) {
      if (!one.checkVisibility({ visibilityProperty: true }) || one instanceof SVGElement) continue;
      if (one.matches('a') && getComputedStyle(one).display === 'inline') continue;
      const label = one instanceof HTMLInputElement ? one.labels?.[0] : undefined;
      const target = one.matches('[type=checkbox], [type=radio], [type=file]') ? (label ?? one) : one;
      const { height, width } = target.getBoundingClientRect();
      // A control of one pixel is only for screen readers.
      if (width <= 2 || (height >= 43.5 && width >= 23.5)) continue;
      found.add(
        `${one.tagName.toLowerCase()}.${one.className} "${(one.textContent ?? '').slice(0, 40)}" is ${height} px high, ${width} px wide`,
      );
    }
    return [...found];
  });
}

interface TabWindow extends Window {
  /** Each control that had the focus, with its outline and shadow at that time. */
  tabbed: Map<Element, string>;
  /** The elements that were there before the first press. */
  early: Set<Element>;
  /** The control that had the focus first has it again. */
  isRound: boolean;
  outlineOf(one: Element): string;
}

/** More presses than any page has stops. */
const MOST_STOPS = 1_200;

/** Presses Tab through the page until the first control has the focus again. */
async function tabRound(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shared = window as unknown as TabWindow;
    const isWatched = shared.tabbed !== undefined;
    shared.tabbed = new Map();
    shared.early = new Set(document.querySelectorAll('body *'));
    shared.isRound = false;
    (document.activeElement as HTMLElement | null)?.blur();
    if (isWatched) return;
    // A mark on the map shows the focus on its shape; its link has no box of its own. A hidden field shows it on its label.
    shared.outlineOf = (one) => {
      const isHidden = one instanceof HTMLInputElement && one.getBoundingClientRect().width <= 2;
      const seen = isHidden ? [one.closest('label')] : [one, ...one.children];
      return seen
        .flatMap((part) => (part === null ? [] : [getComputedStyle(part)]))
        .map(({ outlineStyle, outlineWidth, outlineColor, boxShadow }) => {
          // A dashed line says that the position of a machine is old.
          const isLine = ['auto', 'solid'].includes(outlineStyle) && outlineWidth !== '0px';
          const isClear = /^rgba\(.*, 0\)$|^transparent$/.test(outlineColor);
          return `${isLine && !isClear ? `${outlineWidth} ${outlineColor}` : ''}|${boxShadow === 'none' ? '' : boxShadow}`;
        })
        .join(';');
    };
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement || target instanceof SVGElement)) return;
      if (target === shared.tabbed.keys().next().value) shared.isRound = true;
      if (!shared.tabbed.has(target)) shared.tabbed.set(target, shared.outlineOf(target));
    });
  });
  const isRound = () => page.evaluate(() => (window as unknown as TabWindow).isRound);
  for (let pressed = 1; pressed <= MOST_STOPS; pressed++) {
    await page.keyboard.press('Tab');
    if (pressed % 20 === 0 && (await isRound())) break;
    // A page without a control has no round.
    if (pressed === 20 && (await page.evaluate(() => (window as unknown as TabWindow).tabbed.size)) === 0) break;
  }
}

/**
 * Presses Tab through the page. Returns the controls that a pointer can use and that Tab does not reach, and the controls that do not show
 * that they have the focus.
 */
export async function tabFaults(page: Page): Promise<string[]> {
  await tabRound(page);
  return page.evaluate(() => {
    const { tabbed, early, outlineOf } = window as unknown as TabWindow;
    const found = new Set<string>();
    (document.activeElement as HTMLElement | null)?.blur();
    for (const [one, focused] of tabbed) {
      // An element that looks the same without the focus does not show it.
      const isShown = /[^|;]/.test(focused) && (!one.isConnected || outlineOf(one) !== focused);
      if (!isShown) found.add(`${one.tagName.toLowerCase()}.${one.getAttribute('class')} does not show the focus`);
    }
    const nameOf = (one: Element) =>
      `${one.tagName.toLowerCase()}.${one.getAttribute('class') ?? ''} "${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}"`;
    const NATIVE =
      'a[href], button, input, select, textarea, summary, audio[controls], video[controls], [tabindex="0"]';
    /** A group in which the arrow keys go from one control to the next has one stop of the Tab key; its other controls leave Tab out. */
    const GROUP = '[role=radiogroup], [role=tablist], [role=toolbar], [role=grid], [role=listbox], [role=application]';
    /** Preact keeps the listeners of an element in its property `__e`, by the name of the attribute. */
    const listenersOf = (one: Element) => (one as unknown as { __e?: Record<string, unknown> }).__e;
    const listens = (one: Element) =>
      Object.entries(listenersOf(one) ?? {}).some(
        ([name, listener]) => /^on(click|pointerdown|mousedown)$/i.test(name) && listener != null,
      );
    // Each page of the office has a button with a listener. Without this check a new version of Preact could hide all listeners.
    if (document.querySelector('nav.pages') !== null && ![...document.querySelectorAll('button')].some(listens))
      found.add('the listeners of this version of Preact are not known');
    const stops = [...tabbed.keys()];
    for (const one of document.querySelectorAll<HTMLElement>('body *')) {
      const isNative = one.matches(NATIVE);
      if (tabbed.has(one) || (!isNative && !listens(one))) continue;
      if (one.matches(':disabled') || !one.checkVisibility({ visibilityProperty: true })) continue;
      if (one.closest('[inert]') !== null) continue;
      // A field of one pixel that Tab leaves out belongs to a button, which opens it.
      if (one.tabIndex < 0 && one.getBoundingClientRect().width <= 2) continue;
      const group = one.closest(GROUP);
      const radio = one instanceof HTMLInputElement && one.type === 'radio' ? one : null;
      const isReached = stops.some(
        (other) =>
          (one.tabIndex < 0 && group?.contains(other) === true) ||
          (radio !== null &&
            other instanceof HTMLInputElement &&
            other.name === radio.name &&
            other.form === radio.form) ||
          // A click on a part counts for the control in or around it.
          (!isNative && (other.contains(one) || one.contains(other))),
      );
      if (isReached) continue;
      one.focus();
      // A control that a live page has made while Tab went round was not reached. It is if it takes the focus.
      const isNew = !early.has(one) && one.tabIndex >= 0 && document.activeElement === one;
      if (!isNew) found.add(`${nameOf(one)} is not reached by Tab`);
    }
    return [...found];
  });
}

/** A page that is watched: requests that fail, and complaints on the console. */
export interface Look extends AsyncDisposable {
  readonly page: Page;
  /** Waits until the page has its data. */
  settle(): Promise<void>;
  /** Returns what failed since the last call. */
  faults(): string[];
}

/** Opens a page of a site; `isExpected` says which failed answers belong to the state that is looked at. */
export async function openLook(
  chromium: TestBrowser,
  url: string,
  options: BrowserContextOptions,
  isExpected: (response: Response) => boolean = () => false,
): Promise<Look> {
  const watched = await chromium.open('about:blank', { reducedMotion: 'reduce', ...options });
  const { page, complaints } = watched;
  const failed: string[] = [];
  const waiting = new Set<unknown>();
  let quietSince = performance.now();
  const moved = () => {
    quietSince = performance.now();
  };
  page.on('request', (request) => {
    waiting.add(request);
    moved();
  });
  page.on('response', (response) => {
    waiting.delete(response.request());
    moved();
    const { pathname } = new URL(response.url());
    if (response.status() >= 400 && !isExpected(response))
      failed.push(`${response.request().method()} ${pathname} was answered ${response.status()}`);
  });
  page.on('requestfailed', (request) => {
    waiting.delete(request);
    moved();
    const why = request.failure()?.errorText ?? '';
    if (!why.includes('ERR_ABORTED') && !options.offline) failed.push(`${request.url()} failed: ${why}`);
  });
  await page.goto(url);
  return {
    page,
    async settle() {
      // What was done just before begins its requests a little later.
      moved();
      const end = performance.now() + 20_000;
      while (performance.now() < end && (waiting.size > 0 || performance.now() - quietSince < 250))
        await page.waitForTimeout(50);
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
    },
    faults() {
      // The browser reports a failed answer also on the console; `failed` has it with its address.
      const found = complaints.splice(0).filter((text) => !text.startsWith('Failed to load resource'));
      return [...failed.splice(0), ...found.map((text) => `console: ${text.slice(0, 200)}`)];
    },
    [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose](),
  };
}

/** The findings of the whole run, with the place and the view in which each was seen first. Findings that differ only in the text are one. */
export class Findings {
  readonly #seen = new Map<string, { text: string; first: string; count: number }>();
  looks = 0;
  pages = 0;

  add(where: string, texts: readonly string[]): void {
    for (const text of texts) {
      const key = `${where.split(', ')[0]}: ${text.replaceAll(/"[^"]*"|[\d.]+ px|>.*/g, '')}`;
      const known = this.#seen.get(key);
      if (known === undefined) this.#seen.set(key, { text, first: where, count: 1 });
      else known.count++;
    }
  }

  async axe(page: Page, where: string): Promise<number> {
    this.looks++;
    const found = await axeViolations(page);
    this.add(
      where,
      found.map((text) => `axe ${text}`),
    );
    return found.length;
  }

  /** Returns one line for each finding. */
  lines(): string[] {
    return [...this.#seen.values()].map(({ text, first, count }) => `${first} (${count} x): ${text}`);
  }
}
