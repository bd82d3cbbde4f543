/** The log function of the servers. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: object) => void;
