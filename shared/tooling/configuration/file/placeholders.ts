import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileReason } from '../../start/file-faults.ts';

/** The value of a secret, or an error of its placeholder; an error never contains a value. */
export type ResolvedSecret = { value: string } | { fault: string };

/**
 * Start of the names of all variables that a file can name. A file, or the name of an object in an export, then cannot select a variable
 * that exists for another purpose, and send it to the server of a domain.
 */
export const secretPrefix = 'PORTAL_SECRET_';

const placeholder = /^\$\{(env|file):([^}]+)\}$/;

const longestSecret = 65_536;

/**
 * Resolves `${env:PORTAL_SECRET_NAME}` or `${file:path}`; the final line end of a file is removed.
 * @param file the configuration file; relative paths start from its folder
 */
export function resolveSecret(text: unknown, file: string, env: Readonly<NodeJS.ProcessEnv>): ResolvedSecret {
  const [, source, name = ''] = (typeof text === 'string' && placeholder.exec(text)) || [];
  if (source === undefined)
    return {
      fault: `write a secret as \${env:${secretPrefix}NAME} or \${file:path}`,
    };
  return source === 'env' ? fromEnvironment(name, env) : fromFile(resolve(dirname(file), name));
}

function fromEnvironment(name: string, env: Readonly<NodeJS.ProcessEnv>): ResolvedSecret {
  if (!name.startsWith(secretPrefix))
    return {
      fault: `the name of the environment variable ${name} does not start with ${secretPrefix}: rename it to ${secretPrefix}${name}`,
    };
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
