/** Puts the boards of a screen into the language and the units of its site. */
import type { BoardView, LiveSnapshot } from '#contract/site/live.ts';
import type { Shown } from '#ui/languages/wall.ts';

/**
 * Returns the language of the address, or else that of the site, and the units of the site: "de metric". The texts of the summary of a day are
 * wanted only for boards with such a tile: "de metric day".
 */
function wantedOf(snapshot: LiveSnapshot): string {
  const { language = 'en', units = 'metric' } = snapshot.project;
  const hasDay = snapshot.boards.some(({ widgets }) => widgets.some(({ data }) => data.type === 'day'));
  return `${new URLSearchParams(location.search).get('lang') ?? language} ${units}${hasDay ? ' day' : ''}`;
}

export class Speech {
  /** The language and the units that the page uses, and those that it loads. */
  private spoken = 'en metric';
  private loading = '';
  private worded: Shown = (boards) => boards;

  /**
   * Loads the language and the units of a snapshot, if the page does not use them yet, and then calls `changed`. Until then, the page keeps
   * those that it has.
   */
  async speak(snapshot: LiveSnapshot | null, changed: () => void): Promise<void> {
    const wanted = snapshot === null ? this.spoken : wantedOf(snapshot);
    if (this.spoken === wanted || this.loading === wanted) return;
    this.loading = wanted;
    try {
      this.worded = await (await import('#ui/languages/wall.ts')).speakWall(wanted);
      this.spoken = wanted;
      changed();
    } catch {
      // The gateway does not answer. The next message tries again.
    }
    this.loading = '';
  }

  /** True if there is a snapshot, and the page uses its language and units. */
  knows(snapshot: LiveSnapshot | null): boolean {
    return snapshot !== null && this.spoken === wantedOf(snapshot);
  }

  /** Returns boards in the language and the units of the page. */
  boards(snapshot: LiveSnapshot | null): readonly BoardView[] {
    return this.worded(snapshot?.boards ?? []);
  }
}
