/**
 * What a paired screen does for the page of screens: it tells the gateway regularly what it shows, and shows its name when a person asks
 * which screen it is. A screen that uses a display link has no name, so it reports nothing.
 */

import type { DisplayReport } from '#contract/site/display.ts';
import { type LiveEvents, REPORT_MS } from '#contract/site/live.ts';
import type { Rotation, Step } from './rotation.ts';

/** The parts of a screen of which it reports. */
interface Reporting {
  readonly share: string;
  readonly rotation: Rotation;
  playlist(): readonly Step[];
}

function reportOf(screen: Reporting): DisplayReport {
  const { current } = screen.rotation;
  const steps = screen.playlist();
  return {
    board_id: current?.board ?? null,
    page: 1 + steps.findIndex((one) => one.board === current?.board && one.page === current.page),
    pages: steps.length,
    width: innerWidth,
    height: innerHeight,
    build: __BUILD__,
  };
}

/** Sends a report now and every `REPORT_MS`. A report that does not arrive is not repeated, because the next one says the same. */
export function startReports(screen: Reporting): void {
  if (!screen.share.startsWith('scr_')) return;
  const url = `/api/v1/displays/${screen.share}/report`;
  const send = () =>
    navigator.sendBeacon(url, new Blob([JSON.stringify(reportOf(screen))], { type: 'application/json' }));
  send();
  setInterval(send, REPORT_MS);
}

/** Covers the boards with the name of this screen for some seconds. */
export function showName({ name, seconds }: LiveEvents['identify']): void {
  const panel = document.createElement('div');
  panel.className = 'named';
  panel.textContent = name;
  document.querySelector('.tv')?.append(panel);
  setTimeout(() => panel.remove(), seconds * 1000);
}
