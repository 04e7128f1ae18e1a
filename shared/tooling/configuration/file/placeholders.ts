import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileReason } from '../../start/file-faults.ts';

/** The value of a secret, or an error of its placeholder; an error never contains a value. */
export type ResolvedSecret = { value: string } | { fault: string };

const placeholder = /^\$\{(env|file):([^}]+)\}$/;

const longestSecret = 65_536;

/**
 * Resolves `${env:NAME}` or `${file:path}`; the final line end of a file is removed.
 * @param file the configuration file; relative paths start from its folder
 */
export function resolveSecret(text: unknown, file: string, env: Readonly<NodeJS.ProcessEnv>): ResolvedSecret {
  const [, source, name = ''] = (typeof text === 'string' && placeholder.exec(text)) || [];
  if (source === undefined)
    return {
      fault: `write a secret as \${env:NAME} or \${file:path}`,
    };
  return source === 'env' ? fromEnvironment(name, env) : fromFile(resolve(dirname(file), name));
}

function fromEnvironment(name: string, env: Readonly<NodeJS.ProcessEnv>): ResolvedSecret {
  const value = env[name];
  return value ? { value } : { fault: `the environment variable ${name} is not set` };
}

function fromFile(path: string): ResolvedSecret {
  try {
    if (statSync(path).size > longestSecret) return { fault: `${path} has more than 64 KiB` };
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value ? { value } : { fault: `${path} is empty` };
  } catch (error) {
    return { fault: `${path} cannot be read (${fileReason(error) ?? 'unknown reason'})` };
  }
}
