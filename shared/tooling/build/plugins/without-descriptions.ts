import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Removes calls of `describe` with a literal text from the sources of this project during bundling. Descriptions are
 * only used at build time, for the OpenAPI document and the JSON Schemas; they would increase bundle size and
 * start-up time.
 */
export const withoutDescriptions: Plugin = {
  name: 'schemas without descriptions',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](?:functions|shared|db)[\\/].*\.ts$/ }, async ({ path }) => {
      if (/[\\/]node_modules[\\/]/.test(path)) return null;
      const source = await readFile(path, 'utf8');
      return source.includes('.describe(') ? { contents: stripDescriptions(source), loader: 'ts' } : null;
    }),
};

const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/;
const description = new RegExp(
  `\\s*\\.describe\\(\\s*(?:${quoted.source})(?:\\s*\\+\\s*(?:${quoted.source}))*\\s*,?\\s*\\)`,
  'g',
);

/** Matches a description of one string or several joined with `+`; other calls are kept. */
export const stripDescriptions = (source: string): string => source.replace(description, '');
