/**
 * The navigation of the office. On a wide page it stands beside the page, with all pages in groups. On a narrower page it is a bar with
 * the pages of the first groups, and a button opens all of them.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';

export interface NavigationPage {
  /** Name in the URL. */
  readonly id: string;
  readonly title: string;
  /** What stands beside the title, such as a count. */
  readonly mark?: ComponentChildren;
}

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly NavigationPage[];
}

export function Navigation({ groups, at }: { groups: readonly NavigationGroup[]; at: string }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [at]);
  return (
    <nav
      class={isOpen ? 'pages open' : 'pages'}
      aria-label={t('Pages')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      {groups.map(({ title, pages }) => (
        <div key={title} class="group">
          <span class="title">{title}</span>
          {pages.map((page) => (
            <a
              key={page.id}
              href={`#${page.id}`}
              aria-current={at === page.id ? 'page' : undefined}
              onClick={() => setOpen(false)}
            >
              {page.title}
              {page.mark}
            </a>
          ))}
        </div>
      ))}
      <button
        ref={button}
        type="button"
        class="quiet more"
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        {isOpen ? t('Less') : t('More')}
      </button>
    </nav>
  );
}
