import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import { createOidcProbe } from '../../../shared/remotes/oidc/probe.ts';
import { type Forger, startForger } from '../../support/oidc/forger.ts';
import { registrationAt } from '../../support/oidc/registration.ts';

let forger: Forger;
const transport = createNodeTransport({ allowedNetworks: ['127.0.0.0/8', '::1'], allowInsecure: false });
beforeAll(async () => {
  forger = await startForger();
});
afterEach(() => forger.reset());
afterAll(async () => {
  await transport.close();
  await forger.close();
});

describe('the test of the authentication of the portal', () => {
  it.each([
    [400, 'invalid_grant', 'accepted'],
    [400, 'unauthorized_client', 'no_refresh'],
    [400, 'unsupported_grant_type', 'no_refresh'],
  ] as const)('with the answer %i %s is %s', async (status, error, verdict) => {
    forger.answers.token = () => ({ status, json: { error } });
    const probe = createOidcProbe({ transport });
    expect(await probe.authenticate(registrationAt(forger))).toBe(verdict);
  });

  it.each([
    [401, 'unauthorized_client'],
    [401, 'invalid_client'],
    [400, 'invalid_client'],
  ])('fails with the answer %i %s', async (status, error) => {
    forger.answers.token = () => ({ status, json: { error } });
    const probe = createOidcProbe({ transport });
    await expect(probe.authenticate(registrationAt(forger))).rejects.toMatchObject({
      ...{ reason: 'refused', providerCode: error, endpoint: 'token' },
    });
  });
});
