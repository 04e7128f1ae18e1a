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

/** Removes the Russian results of connection tests, which all modules would contain with the texts of refusals. */
export const withoutConnectionTests: Plugin = {
  name: 'texts without results of connection tests',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]shared[\\/]messages[\\/]ru[\\/]connection-tests\.ts$/ }, () => ({
      contents: 'export const connectionTests = {}',
      loader: 'ts',
    })),
};
