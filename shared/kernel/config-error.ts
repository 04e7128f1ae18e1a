/** Settings that the process cannot start with: one line for each variable, without its value. */
export class ConfigError extends Error {
  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join('\n'), options);
    this.name = 'ConfigError';
  }
}
