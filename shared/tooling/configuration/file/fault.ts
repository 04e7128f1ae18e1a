/** A path within a configuration file: `['sites', 0, 'uri']`. */
export type Path = readonly (string | number)[];

/** Errors of a configuration file or its application, one per line. */
export class ConfigurationFault extends Error {
  readonly lines: readonly string[];

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'ConfigurationFault';
    this.lines = lines;
  }
}

/** Runs all steps and collects their errors. @throws ConfigurationFault with all errors */
export function gathered<T, R>(items: readonly T[], step: (item: T) => R): R[] {
  const results: R[] = [];
  const lines: string[] = [];
  for (const item of items) {
    try {
      results.push(step(item));
    } catch (error) {
      if (!(error instanceof ConfigurationFault)) throw error;
      lines.push(...error.lines);
    }
  }
  if (lines.length > 0) throw new ConfigurationFault(...lines);
  return results;
}
