import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createNodeTransport, type NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { OidcClient, OidcRemote, ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { type Glewlwyd, hasGlewlwyd, startGlewlwyd } from '../../support/federation/foreign/glewlwyd.ts';
import { ada } from '../../support/federation/foreign/process.ts';
import { callback } from '../../support/oidc/provider.ts';
import { newRequest, registrationAt } from '../../support/oidc/registration.ts';
import { requireService } from '../../support/services.ts';

requireService('glewlwyd', hasGlewlwyd)('a refresh at Glewlwyd', () => {
  let provider: Glewlwyd;
  let transport: NodeTransport;
  let remote: OidcRemote;
  let client: OidcClient;
  beforeAll(async () => {
    provider = await startGlewlwyd(callback.replace(/\/callback$/, ''));
    await provider.addPerson(ada);
    transport = createNodeTransport({ allowedNetworks: ['127.0.0.0/8', '::1'], allowInsecure: false });
    remote = createOidcRemote({ transport });
    client = registrationAt(
      { issuer: provider.issuer, ca: provider.caPem },
      {
        clientId: provider.client.id,
        authentication: { kind: 'secret', secret: provider.client.secret },
      },
    );
  });
  beforeEach(() => provider.setPerson(ada));
  afterAll(async () => {
    await transport?.close();
    await provider?.stop();
  });

  async function signIn(): Promise<ProviderLogin> {
    const request = { ...newRequest(), redirectUri: callback };
    const visitor = await provider.logIn(ada);
    const answer = await visitor.authorize(await remote.authorizationUrl(client, request));
    return remote.exchange(client, { ...request, callback: new URL(answer).searchParams });
  }
  const refresh = (login: ProviderLogin, refreshToken = login.refreshToken ?? '') =>
    remote.refresh(client, { refreshToken, login });

  it('returns the groups that the person has now, and leaves the refresh token valid', async () => {
    const login = await signIn();
    expect(await refresh(login)).toMatchObject({ sub: login.sub, groups: ada.groups });
    await provider.setPerson({ ...ada, groups: ['authors'] });
    expect(await refresh(login)).toMatchObject({ sub: login.sub, groups: ['authors'] });
  });

  it('succeeds for a disabled person as well, who cannot sign in', async () => {
    const login = await signIn();
    await provider.setPerson(ada, false);
    expect(await refresh(login)).toMatchObject({ sub: login.sub });
    await expect(signIn()).rejects.toThrow('401');
  });

  it('with a revoked token is refused, but not reported as revoked', async () => {
    const login = await signIn();
    await provider.revoke(login.refreshToken ?? '');
    await expect(refresh(login)).rejects.toMatchObject({ reason: 'token_invalid' });
  });
});
