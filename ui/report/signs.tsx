/** The shapes of the page. Each stands beside a word. */

/** A square with a cross: something is wrong. */
export function Cross() {
  return (
    <svg class="sign cross" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="1" y="1" width="22" height="22" rx="3" />
      <path d="M7 7l10 10m0-10-10 10" />
    </svg>
  );
}

/** A circle with a tick: fine, or done. */
export function Tick() {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="10.5" />
      <path d="M7 12.5l3.5 3.5 6.5-7.5" />
    </svg>
  );
}

/** A dashed clock: waits. */
export function Clock() {
  return (
    <svg class="sign waits" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="10" />
      <path d="M12 7v5.5l3.5 2" />
    </svg>
  );
}

export function Person() {
  return (
    <svg class="sign filled" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="7.5" r="4.8" />
      <path d="M2.5 22.5c0-6 4-8.5 9.5-8.5s9.5 2.5 9.5 8.5z" />
    </svg>
  );
}

export function Camera() {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M3 7h4l2-3h6l2 3h4v13H3z" />
      <circle cx="12" cy="13" r="4" />
    </svg>
  );
}
