import { type Call, sendOf } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import type { Provider } from '../exchange/memory.ts';
import { OidcError } from '../port.ts';
import { type Claims, claimAt, memberOf, textsOf } from './claims.ts';

const mostGroups = 5_000;
const longestGroup = 1_024;

/**
 * The groups of a person. A person without the claim has no groups.
 * @throws OidcError `groups_unavailable`, or `token_invalid` if the claim contains something else than groups
 */
export async function groupsOf(
  call: Call,
  provider: Provider,
  claims: Claims,
  accessToken: string,
): Promise<string[] | undefined> {
  const { groupsClaim } = call.client;
  if (groupsClaim === undefined) return undefined;
  if (isOverage(claims, groupsClaim)) return readFromGraph(call, provider, accessToken);
  return textsIn(claimAt(claims, groupsClaim), 'token_invalid', groupsClaim);
}

/** Whether Microsoft Entra ID left out the groups because there are more than 200 of them. */
export const isOverage = (claims: Claims, groupsClaim: string): boolean =>
  groupsClaim === 'groups' &&
  claims.groups === undefined &&
  (claims.hasgroups === true || memberOf(claims._claim_names, 'groups') !== undefined);

function textsIn(value: unknown, reason: 'token_invalid' | 'groups_unavailable', claim: string): string[] {
  const texts = textsOf(value);
  if (!texts || texts.length > mostGroups || texts.some(({ length }) => length > longestGroup))
    throw new OidcError(reason, { claim });
  return texts;
}

/** Microsoft Graph of the public cloud and of the national clouds. The token must not reach any other host. */
const graphHosts = [
  'graph.microsoft.com',
  'graph.microsoft.us',
  'dod-graph.microsoft.us',
  'microsoftgraph.chinacloudapi.cn',
];

/**
 * Reads the identifiers of all groups, including indirect memberships. The address in the token belongs to an interface
 * that Microsoft has shut down, so the request goes to the Graph that the configuration of the provider names.
 */
const readFromGraph = (call: Call, { metadata }: Provider, accessToken: string): Promise<string[]> =>
  converting('groups', 'groups_unavailable', async () => {
    const host = metadata.msgraph_host;
    if (typeof host !== 'string' || !graphHosts.includes(host)) throw new OidcError('groups_unavailable');
    const response = await sendOf(call)(`https://${host}/v1.0/me/getMemberObjects`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${accessToken}`,
      },
      body: JSON.stringify({ securityEnabledOnly: false }),
    });
    const body: unknown = response.status === 200 ? await response.json().catch(() => undefined) : undefined;
    const list = memberOf(body, 'value');
    if (!Array.isArray(list)) throw new OidcError('groups_unavailable');
    return textsIn(list, 'groups_unavailable', 'groups');
  });
