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
