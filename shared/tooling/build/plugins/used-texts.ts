import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/** The catalogue of refusals and reports: Russian texts by the English ones. Other texts are imported where they are shown. */
const catalogue =
  /[\\/]shared[\\/]messages[\\/]ru[\\/](?:federation[\\/]\w+|connection-tests|domain-tests|fleet|identity|objects|pages|provider-tests|requests|schemas|titles)\.ts$/;

const quotes = /["'`]/;
const plain = (text: string): string => text.replaceAll('\\', '');

/**
 * Keeps the texts of the catalogue that the code of a bundle uses. A text is used where its English form stands in the code,
 * because the type of texts admits literals only.
 * @param code of the bundle without the catalogue, in UTF-8
 */
export function usedTexts(code: string): Plugin {
  const parts = new Set(plain(code).split(quotes));
  // A text that has quotes consists of several parts.
  const isUsed = (english: string): boolean =>
    plain(english)
      .split(quotes)
      .every((part) => parts.has(part));
  return {
    name: 'texts that are used',
    setup: ({ onLoad }) =>
      onLoad({ filter: catalogue }, async ({ path }) => {
        const dictionaries: Record<string, Record<string, string>> = await import(pathToFileURL(path).href);
        const exported = Object.entries(dictionaries).map(([name, texts]) => {
          const kept = Object.entries(texts).filter(([english]) => isUsed(english));
          return `export const ${name} = ${JSON.stringify(Object.fromEntries(kept))};`;
        });
        return { contents: exported.join('\n'), loader: 'js' };
      }),
  };
}

/** Empties the catalogue, so that the code of the bundle contains a text only where it uses it. */
export const withoutTexts: Plugin = usedTexts('');
