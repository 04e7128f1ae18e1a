import { type Call, sendOf } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import type { Provider } from '../exchange/memory.ts';
import { OidcError } from '../port.ts';

type Claims = Readonly<Record<string, unknown>>;

const mostGroups = 5_000;
const longestGroup = 1_024;

/** The value of a claim. The name may contain dots, or be a path into nested claims. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, name) => memberOf(value, name), claims);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/**
 * The groups of a person. A person without the claim has no groups.
 * @throws OidcError `groups_unavailable`, or `token_invalid` if the claim does not contain texts
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
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const texts = list.filter((one): one is string => typeof one === 'string' && one !== '');
  const isUsable = texts.length === list.length && texts.length <= mostGroups;
  if (!isUsable || texts.some(({ length }) => length > longestGroup)) throw new OidcError(reason, { claim });
  return [...new Set(texts)];
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
  converting('groups_unavailable', async () => {
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
