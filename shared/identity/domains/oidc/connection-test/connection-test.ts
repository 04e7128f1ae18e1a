import { type Detail, joined, message, type Text, verbatim } from '../../../../messages/message.ts';
import {
  type ClientAuthentication,
  type OidcClient,
  OidcError,
  type OidcReason,
  type ProviderFacts,
} from '../../../../remotes/oidc/port.ts';
import { createOidcProbe, type OidcProbe } from '../../../../remotes/oidc/probe.ts';
import type { Check, TestCtx, TestSubject } from '../../domain-type.ts';
import { callbackPath, signedOutPath } from '../addresses.ts';
import { clientOf, keyOf, secretOf } from '../client.ts';
import { admissionOf } from '../settings/admission.ts';
import type { OidcParams } from '../settings/params.ts';
import { isSameDestination } from '../settings/secret-reuse.ts';

type Finding = [status: Check['status'], detail: Text];
type Step = { name: string; run(): Promise<Finding> | Finding };

/** Where the provider sends the browser back to. */

/**
 * Reads configuration and keys of the provider, and authenticates to it with a refresh token that does not exist. Nothing
 * is stored. Steps after a failed one are skipped.
 */
export async function testConnection(ctx: TestCtx, subject: TestSubject): Promise<Check[]> {
  const params = subject.params as OidcParams;
  const probe = createOidcProbe({ transport: ctx.deps.transport });
  const authentication = await authenticationOf(ctx, params, subject);
  const client = clientOf(params, authentication ?? withoutSecret(params));
  const steps: Step[] = [
    { name: 'connection', run: () => connect(probe, client, params) },
    { name: 'keys', run: () => findKeys(probe, client) },
    { name: 'endpoints', run: async () => endpointsOf(await probe.discover(client)) },
    {
      name: 'authentication',
      run: () => (authentication ? authenticate(probe, client) : missingOf(params)),
    },
    { name: 'redirect', run: () => addressOf(params) },
    { name: 'admission', run: () => ['pass', admissionOf(params)] },
  ];
  return runSteps(ctx, steps);
}

async function runSteps({ deps: { clock } }: TestCtx, steps: readonly Step[]): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { name, run } of steps) {
    const start = clock().getTime();
    const isPossible = checks.every(({ status }) => status !== 'fail');
    const [status, detail] = isPossible ? await outcomeOf(run) : skipped;
    checks.push({ name, status, detail, took_ms: clock().getTime() - start });
  }
  return checks;
}

const skipped: Finding = ['skipped', 'An earlier step failed'];

async function outcomeOf(run: Step['run']): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    return ['fail', sentenceOf(error)];
  }
}

/**
 * The sent secret, or the stored secret or key for its own provider: an assertion of the key for another destination would be valid at
 * the provider. Undefined if the domain has none yet.
 */
async function authenticationOf(
  { deps }: TestCtx,
  params: OidcParams,
  { stored, storedSecrets }: TestSubject,
): Promise<ClientAuthentication | undefined> {
  const { client_authentication, client_secret } = params;
  if (client_authentication === 'client_secret' && client_secret !== null)
    return { kind: 'secret', secret: client_secret };
  if (!stored || !isSameDestination(params, stored.params)) return undefined;
  const found =
    client_authentication === 'private_key'
      ? keyOf(deps, stored.id)
      : secretOf(deps, stored.id, storedSecrets.client_secret);
  return found.catch((error: unknown) => {
    if (error instanceof OidcError) return undefined;
    throw error;
  });
}

/** For the steps before the authentication. */
const withoutSecret = ({ client_authentication }: OidcParams): ClientAuthentication =>
  client_authentication === 'private_key'
    ? { kind: 'key', key: {}, kid: '' }
    : { kind: 'secret', secret: '' };

async function connect(probe: OidcProbe, client: OidcClient, params: OidcParams): Promise<Finding> {
  const start = Date.now();
  try {
    const { issuer } = await probe.discover(client);
    return ['pass', joined(['The provider responds', verbatim(issuer)], ': ')];
  } catch (error) {
    const isSilent =
      error instanceof OidcError && error.reason === 'unreachable' && !error.transport?.startsWith('tls');
    // The duration of a failed connection would reveal which ports of which machines are open.
    if (isSilent) await passed(start + params.timeout_s * 1000);
    throw error;
  }
}

async function findKeys(probe: OidcProbe, client: OidcClient): Promise<Finding> {
  const [keys, { signingAlgorithms }] = await Promise.all([probe.listKeys(client), probe.discover(client)]);
  const usable = keys.filter(({ isForSignatures }) => isForSignatures);
  if (usable.length === 0) return ['fail', 'The provider publishes no keys for signatures'];
  return [
    'pass',
    message('{count} keys, algorithms {algorithms}', {
      count: usable.length,
      algorithms: signingAlgorithms.join(', '),
    }),
  ];
}

/** What the provider offers. Nothing of it is required. */
function endpointsOf(facts: ProviderFacts): Finding {
  const offers: readonly [unknown, Detail, Detail][] = [
    [facts.pushedRequestEndpoint, 'requests are pushed', 'requests are not pushed'],
    [facts.sendsIssuer, 'answers name the issuer', 'answers do not name the issuer'],
    [facts.userinfoEndpoint, 'has a userinfo endpoint', 'has no userinfo endpoint'],
    [facts.endSessionEndpoint, 'supports the log-out', 'does not support the log-out'],
    [facts.supportsBackchannelLogout, 'reports log-outs', 'does not report log-outs'],
  ];
  return [
    'pass',
    joined(
      offers.map(([has, yes, no]) => (has ? yes : no)),
      '; ',
    ),
  ];
}

async function authenticate(probe: OidcProbe, client: OidcClient): Promise<Finding> {
  const { authenticationMethod } = await probe.discover(client);
  const verdict = await probe.authenticate(client);
  if (verdict === 'unknown')
    return ['skipped', 'The provider does not say whether it accepts the portal; try a sign-in'];
  if (verdict === 'no_refresh' && client.isOffline)
    return ['fail', 'The provider does not let the portal refresh, which the regular check needs'];
  return ['pass', verbatim(authenticationMethod)];
}

const missingOf = ({ client_authentication }: OidcParams): Finding =>
  client_authentication === 'private_key'
    ? ['skipped', 'The portal authenticates with its key after the domain is saved']
    : ['fail', 'Sign-ins require the secret of the portal at the provider'];

const addressOf = ({ provider_logout }: OidcParams): Finding => [
  'pass',
  message('Register at the provider: {path}', {
    path: [callbackPath, ...(provider_logout ? [signedOutPath] : [])]
      .map((path) => `https://<portal>${path}`)
      .join(', '),
  }),
];

const sentences: Readonly<Record<OidcReason, Detail>> = {
  unreachable: 'No identity provider responds at this address',
  address_not_allowed:
    'The address is private or special, and is not in the networks of ALLOWED_PRIVATE_NETWORKS',
  discovery: 'The configuration of the provider is not usable',
  invalid_response: 'The response of the provider is not valid',
  issuer_mismatch: 'The provider names another issuer',
  state_mismatch: 'The response of the provider is not valid',
  nonce_mismatch: 'The response of the provider is not valid',
  token_invalid: 'The token of the provider is not valid',
  refused: 'The provider rejects the portal',
  tenant_not_allowed: 'The tenant is not allowed',
  claim_not_allowed: 'A required claim has no accepted value',
  email_unverified: 'The e-mail address is not verified',
  claim_missing: 'The provider does not send a required claim',
  subject_mismatch: 'The provider describes another person',
  groups_unavailable: 'The groups cannot be read from Microsoft Graph',
  not_configured: 'Sign-ins require the secret of the portal at the provider',
};

/** The sentence, and what the provider or the transport reports. */
function sentenceOf({ reason, claim, providerCode, transport, expected, found }: OidcError): Text {
  const shown = reason === 'unreachable' && !transport?.startsWith('tls') ? undefined : transport;
  if (expected !== undefined && found !== undefined)
    return message('The provider names the issuer {found}; the settings have {expected}', {
      found,
      expected,
    });
  const further = claim ?? providerCode ?? shown;
  return further === undefined ? sentences[reason] : joined([sentences[reason], verbatim(further)], ': ');
}

const passed = (at: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));
