import { describe, expect, it } from 'vitest';
import { audited, base, useStand } from '../../support/factories.ts';
import { clientSecret } from '../../support/federation/openid-provider.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import type { Json } from '../../support/portal.ts';

describe('a sign-in that the provider or its settings refuse', () => {
  const stand = useStand(() => startFederationStand());
  const journal = async (): Promise<Json[]> =>
    (await stand.world.admin(`GET ${base}/monitoring?object_id=${stand.domain.id}&sort=at`)).body.items;
  const refusal = async (): Promise<Json> => {
    const { events } = await audited(stand.world.portal, () => stand.signIn('anna'));
    return events.find(({ event }: Json) => event === 'portal.LoginFailed')?.details;
  };

  it('is audited when it cannot begin, and the state of the provider is in the journal until it answers', async () => {
    stand.provider.people.set('anna', { preferred_username: 'anna', groups: [staff] });
    const { issuer } = stand.provider;
    await stand.set({ issuer: `${issuer}/absent`, client_secret: clientSecret });
    expect(await refusal()).toMatchObject({
      factor: 'provider',
      reason: 'discovery',
      endpoint: 'discovery',
    });
    await refusal();
    expect(await journal()).toMatchObject([{ code: 'provider_failing', details: { reason: 'discovery' } }]);
    await stand.set({ issuer, client_secret: 'an expired secret' });
    expect(await refusal()).toMatchObject({ endpoint: 'pushed_request', provider_code: 'invalid_client' });
    await stand.set({ client_secret: clientSecret });
    await stand.signIn('anna');
    expect((await journal()).map(({ code }) => code)).toEqual(['provider_failing', 'provider_answers']);
  });

  it('is audited with what was required and what was sent, and says nothing about the provider', async () => {
    const before = await journal();
    await stand.set({ required_claims: ['preferred_username=bella', 'preferred_username=carl'] });
    expect(await refusal()).toMatchObject({
      reason: 'claim_not_allowed',
      claim: 'preferred_username',
      expected: 'bella, carl',
      found: 'anna',
    });
    stand.provider.atKeyboard = null;
    const { events } = await audited(stand.world.portal, () => stand.browser().follow(stand.startOf()));
    expect(events).toMatchObject([
      { details: { endpoint: 'authorization', provider_code: 'access_denied' } },
    ]);
    expect(await journal()).toEqual(before);
  });
});
