import type { Change } from '../../db/repositories/changes/changes.ts';
import { announcedTypes, type SnapshotList, snapshotLists } from '../changes/visibility.ts';
import type { ResourceType } from '../resources.ts';

/** Severities of monitoring records. Each is an event of its own. */
const monitoringLevels = ['info', 'warning', 'error', 'critical'] as const;
export type MonitoringLevel = (typeof monitoringLevels)[number];

/** Objects of nodes are read from dispatchers, so their creation is not observed. */
const ofNodes: readonly ResourceType[] = Object.values(snapshotLists);

const actionsOf = (type: ResourceType): readonly string[] => {
  if (type === 'monitoring_record') return [];
  return ofNodes.includes(type) ? ['updated', 'deleted', 'synchronized'] : ['created', 'updated', 'deleted'];
};

/** The types of events that a webhook can receive: `<kind>.<action>`, and `monitoring.<severity>`. */
export const eventTypes: readonly string[] = [
  ...announcedTypes.flatMap((type) => actionsOf(type).map((action) => `${type}.${action}`)),
  ...monitoringLevels.map((level) => `monitoring.${level}`),
];

/** Sent on request of an administrator, to one webhook. */
export const testEvent = 'webhook.test';

/** The type of objects of an event of a change. */
function kindOfEvent(event: string): ResourceType | undefined {
  const [kind] = event.split('.');
  return announcedTypes.find((type) => type === kind);
}

/** An event of a change. `isOfMany`: the change names no object, so every event of its kind matches. */
export type ChangeEvent = { event: string; kind: ResourceType; isOfMany: boolean };

/**
 * The event of a change.
 * @param level of a monitoring record
 * @returns undefined if no webhook can receive it
 */
export function eventOf(
  { kind, list, id, action }: Pick<Change, 'kind' | 'list' | 'id' | 'action'>,
  level: MonitoringLevel | undefined,
): ChangeEvent | undefined {
  if (kind === 'snapshot') {
    const type = isList(list) ? snapshotLists[list] : undefined;
    return type && { event: `${type}.synchronized`, kind: type, isOfMany: false };
  }
  const type = announcedTypes.find((one) => one === kind);
  if (!type) return undefined;
  if (type !== 'monitoring_record') return { event: `${type}.${action}`, kind: type, isOfMany: id === null };
  if (action !== 'created' || level === undefined) return undefined;
  return { event: `monitoring.${level}`, kind: type, isOfMany: false };
}

const isList = (list: string | undefined): list is SnapshotList =>
  list !== undefined && Object.hasOwn(snapshotLists, list);

/** True if a webhook with these events and sites (none: all) receives the event of a change at `at`. */
export function isSelected(
  { events, sites }: { events: readonly string[]; sites: readonly string[] },
  { event, kind, isOfMany }: ChangeEvent,
  at: readonly string[] | null,
): boolean {
  const isOfType = isOfMany ? events.some((one) => kindOfEvent(one) === kind) : events.includes(event);
  return isOfType && (at === null || sites.length === 0 || at.some((site) => sites.includes(site)));
}
