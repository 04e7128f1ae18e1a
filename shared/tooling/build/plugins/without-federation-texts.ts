import type { Plugin } from 'esbuild';

const texts = /[\\/]shared[\\/]messages[\\/]ru[\\/]federation[\\/](\w+)\.ts$/;

/**
 * Removes Russian texts of identity providers, programs and provisioning from a module that never returns them.
 * @param kept names of files whose texts the module returns
 */
export const withoutFederationTexts = (...kept: readonly string[]): Plugin => ({
  name: 'texts without those of the module federation',
  setup: ({ onLoad }) =>
    onLoad({ filter: texts }, ({ path }) => {
      const name = texts.exec(path)?.[1] ?? '';
      return kept.includes(name) ? null : { contents: `export const ${name} = {}`, loader: 'ts' };
    }),
});
