import { expect, it } from 'vitest';
import { parseConfig } from '../../../shared/runtime/config/config.ts';
import { announcement } from '../../../shared/tooling/start/announcement.ts';

it('the announcement has the sign-in address, since the base address of the portal has no page', () => {
  const started = { healthUrl: 'https://localhost:8100', caFile: '/ca.pem', adminPassword: undefined };
  const text = announcement(parseConfig({ PORT: '9443' }), started, false);
  expect(text).toMatch(/^ {2}In a browser {2}https:\/\/localhost:9443\/signin$/m);
  expect(text).not.toContain('Administrator');
});

it('names the domain of the administrator, and the reason of a browser warning', () => {
  const started = {
    healthUrl: 'https://localhost:8100',
    caFile: '/ca.pem',
    adminPassword: 'seven small ladders',
  };
  const text = announcement(parseConfig({ PORT: '9443' }), started, false);
  expect(text).toMatch(/^ {2}Administrator +admin, domain builtin\n {2}Password +seven small ladders \(/m);
  expect(text).toContain('curl needs --cacert /ca.pem');
  expect(announcement(parseConfig({}), { ...started, caFile: undefined }, false)).not.toContain('--cacert');
});
