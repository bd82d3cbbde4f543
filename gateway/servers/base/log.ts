/** How the servers speak; the node's log is handed in. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: object) => void;
