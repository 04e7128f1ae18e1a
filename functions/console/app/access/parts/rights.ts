import { type ConsoleText, say } from '../../texts.ts';

const resourceTexts = new Map<string, ConsoleText>(
  [
    ...(['audit', 'authenticators', 'dashboard', 'dispatchers', 'farms', 'gateways', 'groups'] as const),
    ...(['maintenance', 'monitoring', 'peers', 'pictures', 'portals', 'priority_groups'] as const),
    ...(['roles', 'rules', 'scim', 'servicespools', 'sites', 'spsessions', 'system_parameters'] as const),
    ...(['tags', 'themes', 'users', 'webhooks', 'workplaces'] as const),
  ].map((name) => [name, `access_resource_${name}`]),
);

const actionTexts = new Map<string, ConsoleText>(
  [
    ...(['read', 'create', 'update', 'delete', 'export', 'test', 'explain', 'maintenance'] as const),
    ...(['disconnect', 'logoff', 'assist', 'assign', 'power', 'message', 'refresh', 'tag'] as const),
    ...(['force', 'provision'] as const),
  ].map((name) => [name, `access_action_${name}`]),
);

export const resourceOf = (permission: string): string => permission.split('.')[0] ?? '';
export const actionOf = (permission: string): string => permission.split('.')[1] ?? '';

/** The name of a resource. One without a text is that of a later version. */
export const resourceText = (resource: string): string => textIn(resourceTexts, resource);
export const actionText = (action: string): string => textIn(actionTexts, action);

function textIn(texts: ReadonlyMap<string, ConsoleText>, name: string): string {
  const key = texts.get(name);
  return key ? say(key) : name.replaceAll('_', ' ');
}

/** Permissions by their resource, sorted by its name. */
export function byResource(permissions: readonly string[]): [string, string[]][] {
  const groups = Map.groupBy(permissions, resourceOf);
  return [...groups].sort(([a], [b]) => resourceText(a).localeCompare(resourceText(b)));
}

/** True if the resource or the action contains the text. */
export function matches(permission: string, text: string): boolean {
  const words = `${resourceText(resourceOf(permission))} ${actionText(actionOf(permission))} ${permission}`;
  return words.toLowerCase().includes(text.trim().toLowerCase());
}
