import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../kernel/config-error.ts';
import { names } from '../../runtime/config/variables.ts';
import { replaceFile } from './data-folder.ts';
import { fileFault, makeFolder } from './file-faults.ts';
import { nearestName } from './misspelt-names.ts';

/**
 * Reads `KEY=value` lines, optionally with CRLF; `#` starts a comment line, quotes around a value are optional. A
 * missing file counts as empty.
 * @param named the variable or option that contains the path
 * @throws ConfigError for other lines and for unknown names
 */
export function readConfigFile(path: string, named = 'CONFIG_FILE'): Record<string, string> {
  if (!existsSync(path)) return {};
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const [index, line] of readText(path).split(/\r?\n/).entries()) {
    const [, name, value = ''] = /^\s*([A-Z][A-Z0-9_]*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined && !/^\s*(#|$)/.test(line))
      faults.push(`${named}: line ${index + 1} of ${path} is not KEY=value`);
    else if (name !== undefined && !known.has(name))
      faults.push(`${name}: not a setting${suggestion(name)} (${named}, line ${index + 1})`);
    else if (name !== undefined) values[name] = unquoted(value.trim());
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

/** Appends lines without changing others; sets the mode so that only the owner can read the file. */
export function appendToConfigFile(path: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  if (lines.length === 0) return;
  const before = existsSync(path)
    ? readText(path)
    : '# Settings of the portal; environment variables override them.\n';
  const start = existsSync(path) ? (before === '' || before.endsWith('\n') ? '' : '\n') : before;
  try {
    makeFolder(dirname(path));
    appendFileSync(path, start + lines.join(''), { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    throw fileFault('CONFIG_FILE', path, error);
  }
}

/** Replaces values in place or appends them, atomically and without changing other lines. */
export function replaceInConfigFile(path: string, values: Readonly<Record<string, string>>): void {
  const left = new Map(Object.entries(values));
  const present = readText(path)
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
  replaceFile(path, `${[...present, ...added].join('\n')}\n`, 0o600);
}

const known: ReadonlySet<string> = new Set(names);

function suggestion(name: string): string {
  const nearest = nearestName(name);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function readText(path: string): string {
  try {
    // Editors on Windows may add a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw fileFault('CONFIG_FILE', path, error);
  }
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
