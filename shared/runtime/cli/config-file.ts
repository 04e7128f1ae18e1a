import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, names } from '../config.ts';
import { replaceFile } from './data-folder.ts';

/**
 * `KEY=value` lines; `#` starts a comment line, quotes around a value are optional. An absent file is an empty one.
 * @throws ConfigError for a line that is something else, and for names that are not ours
 */
export function readConfigFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const [index, line] of readText(path).split('\n').entries()) {
    const [, name, value = ''] = /^\s*([A-Z][A-Z0-9_]*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined && !/^\s*(#|$)/.test(line))
      faults.push(`CONFIG_FILE: line ${index + 1} is not KEY=value`);
    else if (name !== undefined && !known.has(name))
      faults.push(`${name}: not a setting (CONFIG_FILE, line ${index + 1})`);
    else if (name !== undefined) values[name] = unquoted(value.trim());
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

/** Adds lines at the end, whatever else is there stays; only the owner may read the file from now on. */
export function appendToConfigFile(path: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  if (lines.length === 0) return;
  const before = existsSync(path)
    ? readText(path)
    : '# Settings of the portal; the environment wins over them.\n';
  const start = existsSync(path) ? (before === '' || before.endsWith('\n') ? '' : '\n') : before;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, start + lines.join(''), { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Gives variables other values, where they stand or at the end; all of it at once, and whatever else is there stays. */
export function replaceInConfigFile(path: string, values: Readonly<Record<string, string>>): void {
  const left = new Map(Object.entries(values));
  const kept = readText(path)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, name = ''] = /^\s*([A-Z][A-Z0-9_]*)\s*=/.exec(line) ?? [];
      if (!Object.hasOwn(values, name)) return [line];
      const value = left.get(name);
      left.delete(name);
      return value === undefined ? [] : [`${name}=${value}`];
    });
  const added = [...left].map(([name, value]) => `${name}=${value}`);
  replaceFile(path, `${[...kept, ...added].join('\n')}\n`, 0o600);
}

const known: ReadonlySet<string> = new Set(names);

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(['CONFIG_FILE: a file that can be read'], { cause });
  }
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
