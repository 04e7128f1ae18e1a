import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { AppError, conflict } from '../kernel/errors.ts';
import { verbatim } from '../messages/message.ts';
import { sessionStates } from '../remotes/dispatcher/rows.ts';
import type { UserFarm } from '../sites/user-site.ts';
import { type Key, keyText } from './facts.ts';
import { isMaintenanceReason, stateOf, unknownReason } from './readiness.ts';
import type { ListedSite } from './routed-site.ts';
import type { Route } from './routing.ts';
import { poolFacts } from './rule-facts.ts';
import type { SeenList } from './service-list-cache.ts';

/** The message for users about a maintenance of the pool, or of its site or farm. */
export function noticeOf(
  { maintenance, maintenance_message, routing, farms }: ListedSite,
  farmId: string,
  pool: string,
): string | undefined {
  const farm = farms.find(({ id }) => id === farmId);
  if (maintenance) return maintenance_message ?? undefined;
  if (farm?.maintenance) return farm.maintenance_message ?? undefined;
  const uuid = pool.toLowerCase();
  const found = routing.blocked.filter((one) => one.farm_id === farmId && one.servicepool_uuid === uuid);
  return found.find(({ message }) => message !== null)?.message ?? undefined;
}

/** The message for users when a rule has no candidate because of a maintenance. */
export function noticeOfRoute(site: ListedSite, { explain }: Pick<Route, 'explain'>): string | undefined {
  const member = explain.find(isMaintenanceReason);
  return member && noticeOf(site, member.farm_id, member.servicepool_uuid);
}

/**
 * The service list of a farm with the state of each service and the message of its maintenance. The state is that of
 * `readiness.ts`.
 */
export function withStates(site: ListedSite, { id }: UserFarm, list: SeenList): SeenList {
  const factsAt = poolFacts(site, new Map([[id, list]]));
  const services = list.services.map((service): CachedService => {
    const state = stateOf(
      factsAt({ farm_id: id, servicepool_uuid: service.uuid.toLowerCase() }),
      service.state,
    );
    const { maintenance_message: dispatcherMessage, ...rest } = service;
    if (state !== 'maintenance') return { ...rest, maintenance: false, state };
    const message = noticeOf(site, id, service.uuid) ?? dispatcherMessage;
    return {
      ...rest,
      maintenance: true,
      state,
      ...(message !== undefined && { maintenance_message: message }),
    };
  });
  return { ...list, services };
}

/**
 * The last known services of the viewer at a farm that is in maintenance. The farm is not called during the
 * maintenance. The list grants no rights. The sessions are those of the snapshot.
 */
export function servicesInMaintenance(site: ListedSite, farm: UserFarm, last: SeenList): SeenList {
  const services = last.services.map(({ maintenance_message: _, ...service }): CachedService => {
    const message = noticeOf(site, farm.id, service.uuid);
    const sessions = sessionsIn(site, { farm_id: farm.id, servicepool_uuid: service.uuid.toLowerCase() });
    return {
      ...service,
      maintenance: true,
      ...(message !== undefined && { maintenance_message: message }),
      state: 'maintenance',
      in_use: sessions.length > 0,
      sessions,
    };
  });
  return { ...last, services, fresh: false };
}

const sessionsIn = ({ routing }: ListedSite, at: Key): CachedService['sessions'] =>
  routing.sessions
    .filter((session) => keyText(session) === keyText(at))
    .map(({ session_uuid, state }) => ({
      session_uuid,
      state: sessionStates.find((known) => known === state) ?? 'unknown',
    }));

/** The error for a service in an unknown state. */
export const unknownRefusal = (): AppError =>
  conflict(unknownReason, 'The dispatcher does not report whether the service is ready');

/** The error for a service in maintenance. Its detail is the message for users. */
export const maintenanceRefusal = (notice: string | undefined): AppError =>
  conflict('maintenance', notice === undefined ? 'The service is in maintenance' : verbatim(notice));

/**
 * True if a dispatcher reports `service_in_preparation` for a service in maintenance. Waiting is then useless, so the
 * caller handles it as a refusal.
 */
const isMaintenance = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'service_in_preparation' &&
  error.members.reason_code === 'maintenance';

/** The error of a call, or the refusal of a maintenance with the message for users. */
export const refusedBy = (error: unknown, notice: string | undefined): unknown =>
  isMaintenance(error) ? maintenanceRefusal(notice) : error;
