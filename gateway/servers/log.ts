/** How the servers speak; the node's log is handed in. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
