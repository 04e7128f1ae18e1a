export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

/** The operator log. The runtime decides the format of the lines. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;
