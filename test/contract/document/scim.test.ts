import { describe, expect, it } from 'vitest';
import type { Shape } from '../../../shared/http/declare/operation.ts';
import { ScimRefusal } from '../../../shared/http/document/problems.ts';
import type { Json } from '../../support/portal.ts';
import { describedAs, everyOperation, resolve, shownIn } from '../generated/described.ts';

const operations = everyOperation.filter(({ protocol }) => protocol === 'scim');
const media = 'application/scim+json';

const faultsOf = (shape: Shape | undefined, content: Json) =>
  shape?.safeParse(shownIn(content)).error?.issues ?? [];

describe.each(operations)('$id', (operation) => {
  const own: Json = describedAs(operation);

  it('requires a token for provisioning', () => {
    expect(own.security).toEqual([{ ScimToken: ['scim.provision'] }]);
    expect(operation.access).toBe('scim.provision');
  });

  it('has bodies of the media type of SCIM, with valid examples', () => {
    const { body } = operation;
    const shape = body && ('required' in body ? body.required : body.optional);
    for (const type of shape ? [media, 'application/json'] : [])
      expect(faultsOf(shape, own.requestBody.content[type])).toEqual([]);
  });

  it('has responses of the media type of SCIM, with valid examples', () => {
    const { returns, orReturns } = operation;
    for (const [status, shape] of orReturns ? [returns, orReturns] : [returns]) {
      const { content = {} } = resolve(own.responses[status]);
      expect(Object.keys(content)).toEqual(shape ? [media] : []);
      if (shape) expect(faultsOf(shape, content[media])).toEqual([]);
    }
  });

  it('has errors in the form of SCIM', () => {
    const refusals = Object.entries<Json>(own.responses).filter(([status]) => Number(status) >= 400);
    expect(refusals.map(([status]) => status)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '429']),
    );
    expect(refusals.map(([status]) => status)).not.toContain('422');
    for (const [status, response] of refusals)
      for (const { value } of Object.values<Json>(resolve(response).content[media].examples))
        expect(ScimRefusal.parse(value).status).toBe(status);
  });
});
