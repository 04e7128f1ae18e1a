import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Removes the Russian texts of domain forms from a module without forms. Each domain type imports its texts, so
 * otherwise every module with logins would contain them.
 */
export const withoutFormTexts: Plugin = {
  name: 'domain types without form texts',
  setup: ({ onLoad }) =>
    onLoad(
      { filter: /[\\/]shared[\\/]identity[\\/]domains[\\/](?:[^\\/]+[\\/])*form-texts\.ts$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(/dictionary\(\{.*\}\)/s, 'dictionary({})'),
        loader: 'ts',
      }),
    ),
};

const testCode = /[\\/]shared[\\/]identity[\\/]domains[\\/]\w+[\\/]connection-test[\\/]connection-test\.ts$/;

/**
 * Removes the connection tests of domain types from a module without them. Each domain type imports its test, so otherwise
 * every module with logins would contain the client of identity providers.
 */
export const withoutConnectionTests: Plugin = {
  name: 'domain types without connection tests',
  setup: ({ onLoad }) =>
    onLoad({ filter: testCode }, () => ({
      contents: 'export const testConnection = async () => []',
      loader: 'ts',
    })),
};
