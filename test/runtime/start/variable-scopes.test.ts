import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../shared/runtime/config/declaration.ts';
import { declarations } from '../../../shared/runtime/config/variables.ts';
import { membersOf, variablesRead } from '../../support/config-reads.ts';

const scopes: readonly Scope[] = ['portal', 'sidecar', 'workers', 'lambda', 'tooling'];

const declaredFor = (scope: Scope): string[] =>
  Object.entries(declarations)
    .filter(([, declaration]) => declaration.scope.some((one: Scope) => one === scope))
    .map(([name]) => name);

describe('the declared scopes of environment variables', () => {
  it.each(scopes)('%s: the programs read exactly these variables', async (scope) => {
    expect(await variablesRead(scope)).toEqual(declaredFor(scope));
  }, 60_000);

  it('are compared by the members of the configuration', () => {
    expect(membersOf('DATABASE_OWNER_URL')).toEqual(['databaseOwnerUrl']);
    expect(membersOf('S3_BUCKET')).toEqual(['s3']);
    expect(() => membersOf('NO_SUCH_VARIABLE')).toThrow('NO_SUCH_VARIABLE');
  });
});
