export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

/** Where the product tells operators what happens; how lines look is the matter of the runtime. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;
