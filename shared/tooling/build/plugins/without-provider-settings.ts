import type { Plugin } from 'esbuild';

const folder = '[\\\\/]shared[\\\\/]identity[\\\\/]domains[\\\\/]oidc[\\\\/]settings[\\\\/]';
const rules = new RegExp(`${folder}(checks|secret-reuse)\\.ts$`);
const shapes = new RegExp(`${folder}(fields|params)\\.ts$`);

const contents: Readonly<Record<string, string>> = {
  checks: 'export const oidcChecks = []',
  'secret-reuse': 'export const reusesSecret = () => false',
  fields: 'export const oidcFields = {}',
  params: 'export const oidcShape = undefined, oidcView = undefined, storedParams = undefined',
};

const emptied =
  (paths: RegExp): Plugin['setup'] =>
  ({ onLoad }) =>
    onLoad({ filter: paths }, ({ path }) => ({
      contents: contents[paths.exec(path)?.[1] ?? ''] ?? '',
      loader: 'ts',
    }));

/** Removes the rules for settings of identity providers from a module that stores none. */
export const withoutProviderRules: Plugin = {
  name: 'identity providers without rules for settings',
  setup: emptied(rules),
};

/** Removes the shapes of these settings from a module that reads none. */
export const withoutProviderShapes: Plugin = {
  name: 'identity providers without shapes of settings',
  setup: emptied(shapes),
};
