/** Services that operations on the configuration files of a logger need. */
import type { HandlerContext } from '#contract/context.ts';

export const LOGGER_SERVICES = ['bucket', 'logger', 'putArtifact', 'readArtifact'] as const;

export type LoggerContext = HandlerContext<(typeof LOGGER_SERVICES)[number]>;
