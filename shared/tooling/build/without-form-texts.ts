import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Removes the Russian words of the forms of domains from a module that shows no forms. Each domain type brings its words, so
 * that every module with logins would carry them.
 */
export const withoutFormTexts: Plugin = {
  name: 'domain types without the words of their forms',
  setup: ({ onLoad }) =>
    onLoad(
      { filter: /[\\/]shared[\\/]identity[\\/]domains[\\/](?:[^\\/]+[\\/])*words\.ts$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(/dictionary\(\{.*\}\)/s, 'dictionary({})'),
        loader: 'ts',
      }),
    ),
};
