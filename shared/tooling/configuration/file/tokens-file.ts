import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { parse, stringify } from 'yaml';
import { isObject } from '../../../kernel/json/json.ts';
import { fileReason } from '../../start/file-faults.ts';
import { ConfigurationFault } from './fault.ts';

export type TokensFile = {
  /** Stores a token; synced to disk before it returns. */
  add(section: string, name: string, token: string): void;
  /** Number of added tokens. */
  count(): number;
};

type Tokens = Record<string, Record<string, string>>;

/**
 * The file for new tokens, which are shown only once: YAML by section and name, mode 0600. Existing tokens are kept.
 * @throws ConfigurationFault if the file is not writable, before any token is created
 */
export function openTokensFile(path: string): TokensFile {
  const tokens = existsSync(path) ? readTokens(path) : {};
  let added = 0;
  write(path, tokens);
  return {
    count: () => added,
    add: (section, name, token) => {
      tokens[section] = { ...tokens[section], [name]: token };
      write(path, tokens);
      added++;
    },
  };
}

function readTokens(path: string): Tokens {
  try {
    const content: unknown = parse(readFileSync(path, 'utf8'));
    if (content === null) return {};
    if (isObject(content) && Object.values(content).every(isObject)) return content as Tokens;
  } catch (error) {
    if (fileReason(error)) throw unusable(path, error);
  }
  throw new ConfigurationFault(`${path}: this is not a tokens file; set another one with --tokens-file`);
}

function write(path: string, tokens: Tokens): void {
  const next = `${path}.${process.pid}`;
  try {
    const file = openSync(next, 'w', 0o600);
    fchmodSync(file, 0o600);
    writeSync(file, Object.keys(tokens).length > 0 ? stringify(tokens) : '');
    fsyncSync(file);
    closeSync(file);
    renameSync(next, path);
  } catch (error) {
    throw unusable(path, error);
  }
}

const unusable = (path: string, error: unknown): ConfigurationFault =>
  new ConfigurationFault(
    `${path}: the tokens file cannot be used (${fileReason(error) ?? String(error)}); set another one with --tokens-file`,
  );
