/** Shapes that show a state to people who do not see colours. A text is always beside a shape, so screen readers skip the shape. */
import type { ComponentChildren } from 'preact';
import type { LiveStatus } from '#contract/fleet/equipment.ts';

/** A shape with a style class `mark-` and its name. */
export const Svg = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <svg class={`mark mark-${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {children}
  </svg>
);

const Running = () => (
  <Svg name="running">
    <circle class="fill" cx="12" cy="12" r="10" />
    <path class="ink" d="M9.5 7.5 17 12l-7.5 4.5z" />
  </Svg>
);
const Idle = () => (
  <Svg name="idle">
    <circle class="line" cx="12" cy="12" r="9" stroke-width="3" />
    <path class="line" d="M9.5 8v8m5-8v8" stroke-width="2.6" />
  </Svg>
);
const Off = () => (
  <Svg name="off">
    <rect class="line" x="4" y="4" width="16" height="16" stroke-width="3" />
  </Svg>
);
/** A dashed ring with a question mark: the live status is unknown. */
export const Unknown = () => (
  <Svg name="unknown">
    <circle class="line" cx="12" cy="12" r="9.5" stroke-width="2.6" stroke-dasharray="4.2 3.25" />
    <path class="line" d="M9.3 9.800a2.8 2.8 0 1 1 4 2.500c-.8.4-1.3 1-1.3 2" stroke-width="2.2" />
    <circle class="dot" cx="12" cy="17.3" r="1.3" />
  </Svg>
);
/** A dashed ring: the screen receives nothing from the gateway. */
export const Lost = () => (
  <Svg name="lost">
    <circle class="line" cx="12" cy="12" r="8.5" stroke-width="3" stroke-dasharray="4 2.7" />
  </Svg>
);
/** A filled dot: the screen receives data from the gateway. */
export const Live = () => (
  <Svg name="live">
    <circle class="fill" cx="12" cy="12" r="8" />
  </Svg>
);
/** A tick: nothing needs attention. */
export const Tick = () => (
  <Svg name="tick">
    <path class="line" d="M4 13l5.500 5.500L20.500 6" stroke-width="3" />
  </Svg>
);
const Warning = () => (
  <Svg name="warning">
    <path class="fill" d="M12 2 23 21.500H1z" />
    <path class="inkline" d="M12 9v6m0 2.200v2.2" stroke-width="2.5" />
  </Svg>
);
const Critical = () => (
  <Svg name="critical">
    <rect class="fill" x="2.5" y="2.5" width="19" height="19" />
    <path class="inkline" d="M8 8l8 8m0-8-8 8" stroke-width="2.7" />
  </Svg>
);
/** A diamond: the status that people set and the live data contradict each other. */
const Conflict = () => (
  <Svg name="conflict">
    <path class="fill" d="M12 1 23 12 12 23 1 12z" />
    <path class="inkline" d="M7.500 10h9m-9 4h9m-2.500-6.500-4 9" stroke-width="1.900" />
  </Svg>
);

/** A ring with an i: an alert of severity `info`. */
export const Info = () => (
  <Svg name="info">
    <circle class="line" cx="12" cy="12" r="9.5" stroke-width="2.6" />
    <path class="line" d="M12 10.500v7m0-11v2.4" stroke-width="2.6" />
  </Svg>
);

/** A spanner: the machine is in planned service. */
export const Service = () => (
  <Svg name="service">
    <path
      class="line"
      d="M4.500 19.500 13 11m-1.500-4.500a4.700 4.700 0 0 1 6-3.300l-2.800 2.800 3.300 3.300 2.800-2.800a4.700 4.700 0 0 1-6.300 5.300"
      stroke-width="3"
    />
  </Svg>
);

const LIVE = { running: Running, idle: Idle, off: Off, unknown: Unknown } as const;

/** Draws the shape that shows a live status. */
export function LiveMark({ live }: { live: LiveStatus }) {
  const Mark = LIVE[live];
  return <Mark />;
}

const ALERTS = { warning: Warning, critical: Critical, conflict: Conflict, nodata: Unknown, info: Info } as const;

/** Draws the shape that shows the kind of an alert. */
export function AlertMark({ mark }: { mark: keyof typeof ALERTS }) {
  const Mark = ALERTS[mark];
  return <Mark />;
}

/** Two bars, as on a pause button: a person has taken the machine out of use. */
export const Held = () => (
  <Svg name="held">
    <path class="line" d="M8 5v14m8-14v14" stroke-width="4" />
  </Svg>
);
