import { describe, expect, it } from 'vitest';
import { someOf, storedTexts } from '../../contract/generated/texts.ts';
import { faultsIn } from '../../contract/support/unharmed.ts';
import { useStand } from '../../support/factories.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';

describe('a sign-in at an identity provider', () => {
  const stand = useStand(() => startFederationStand());

  const faultsOf = async (work: () => Promise<unknown>) => {
    const { log, settled } = stand.world.portal;
    const before = log.length;
    await work();
    await settled();
    return faultsIn(log.slice(before));
  };

  it.each([
    ['login name', (text: string) => ({ preferred_username: text })],
    ['name', (text: string) => ({ name: text })],
    ['address', (text: string) => ({ email: text, email_verified: true })],
    ['group', (text: string) => ({ groups: [staff, text] })],
    ['method', (text: string) => ({ acr: text, amr: [text] })],
  ])('has any text as %s in its ID token', async (kind, claimsOf) => {
    for (const text of ['a\0b', '\ud800', ...someOf(storedTexts)]) {
      stand.provider.people.set('anna', { preferred_username: 'anna', groups: [staff], ...claimsOf(text) });
      expect(await faultsOf(() => stand.signIn('anna')), `${kind} ${JSON.stringify(text)}`).toEqual([]);
    }
  });

  it('has any text as the identifier of the person', async () => {
    for (const text of ['a\0b', '\ud800', ...someOf(storedTexts)]) {
      stand.provider.people.set(text, { preferred_username: 'bella', groups: [staff] });
      expect(await faultsOf(() => stand.signIn(text)), JSON.stringify(text)).toEqual([]);
    }
  });

  it('comes back with any text', async () => {
    stand.provider.people.set('anna', { preferred_username: 'anna', groups: [staff] });
    for (const name of ['code', 'iss', 'error', 'error_description', 'session_state', 'state'])
      for (const text of ['a\0b', ...someOf(storedTexts)]) {
        const browser = stand.browser();
        stand.provider.atKeyboard = 'anna';
        const { url } = await browser.follow(stand.startOf(), (to) => to.includes('/oidc/callback'));
        const changed = new URL(url);
        changed.searchParams.set(name, text);
        const faults = await faultsOf(() => browser.open(changed.href));
        expect(faults, `${name} ${JSON.stringify(text)}`).toEqual([]);
      }
  });
});
