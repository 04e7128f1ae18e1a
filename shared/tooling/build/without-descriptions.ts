import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Removes calls of `describe` with a literal text from the sources of this project while they are bundled. Descriptions serve the OpenAPI document
 * and the JSON Schemas, which are made at build time; in a bundle they would only cost size and time at the start.
 */
export const withoutDescriptions: Plugin = {
  name: 'schemas without their descriptions',
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

/** A description is one text, or several joined with `+`. A call with any other argument stays. */
export const stripDescriptions = (source: string): string => source.replace(description, '');
