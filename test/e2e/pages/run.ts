/** What every part of the proof gets. */
import type { TestBrowser } from '#test/e2e/browser.ts';
import type { Findings } from './checks.ts';
import type { Demo } from './demo.ts';

export interface Run {
  readonly chromium: TestBrowser;
  readonly findings: Findings;
  readonly say: (line: string) => void;
  /** Only pages whose name contains this text. */
  readonly only: string;
  readonly demo: () => Promise<Demo>;
  /** Whether pictures are compared with those of the baseline, or replace them. */
  readonly pictures: 'compare' | 'update';
  /** The folder for pictures that differ. */
  readonly differs: string;
}
