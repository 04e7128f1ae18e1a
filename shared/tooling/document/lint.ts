import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { owasp, owaspSeverities } from './owasp-rules.ts';
import { portal, portalSeverities } from './rules.ts';

const file = fileURLToPath(new URL('../../openapi/openapi.json', import.meta.url));

/**
 * Redocly's strictest public ruleset, except two rules that the product specification overrides; the OWASP ruleset
 * for APIs; and own rules. The type is `object`, because the compiler needs four seconds to compare it with the type
 * of the library; the tests of the rules show that each of them is in force.
 */
const ruleset: object = {
  extends: ['recommended-strict'],
  rules: {
    // `…/reconnect/` and `/api/discover/` are specified with a trailing slash.
    'no-path-trailing-slash': 'off',
    // Literal segments have precedence over parameters: `authenticators/gui/{data_type}` is not a domain named `gui`.
    'no-ambiguous-paths': 'off',
    'operation-description': 'error',
    'operation-operationId-unique': 'error',
    'operation-singular-tag': 'error',
    'no-unused-components': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'component-name-unique': 'error',
    ...owaspSeverities,
    ...portalSeverities,
  },
  plugins: [owasp, portal],
};

/** Lints an OpenAPI document with a third-party linter; returns one line per error. */
export async function lintDocument(source: string): Promise<string[]> {
  const problems = await lintFromString({
    source,
    absoluteRef: file,
    config: await createConfig(ruleset),
  });
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${ruleId} at ${place?.pointer ?? '#'}: ${message}`,
  );
}

/** Part of `npm run check`: lints the committed document. */
async function main(): Promise<void> {
  const faults = await lintDocument(await readFile(file, 'utf8'));
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.main) await main();
