import type { KeptService } from '../../db/schema/service-lists.ts';
import { AppError, conflict } from '../kernel/errors.ts';
import type { SeenList } from './kept-lists.ts';
import type { RoutedSite } from './routed-site.ts';
import type { Route } from './routing.ts';
import type { UserFarm } from './user-site.ts';

/** What users are told of a maintenance that concerns the pool: of its site, its farm, or its own. */
export function noticeOf(
  { maintenance, maintenance_message, routing, farms }: RoutedSite,
  farmId: string,
  pool: string,
): string | undefined {
  const farm = farms.find(({ id }) => id === farmId);
  if (maintenance) return maintenance_message ?? undefined;
  if (farm?.maintenance) return farm.maintenance_message ?? undefined;
  const uuid = pool.toLowerCase();
  return routing.notices.find((one) => one.farm_id === farmId && one.servicepool_uuid === uuid)?.message;
}

/** What users are told when a maintenance leaves a rule no farm to lead to. */
export function noticeOfRoute(site: RoutedSite, { explain }: Pick<Route, 'explain'>): string | undefined {
  const member = explain.find(({ reason }) => reason.endsWith('_maintenance'));
  return member && noticeOf(site, member.farm_id, member.servicepool_uuid);
}

/** Services of a farm that its dispatcher says are in maintenance, with what we have to say of it. */
export const withNotices = (
  site: RoutedSite,
  { id }: UserFarm,
  services: readonly KeptService[],
): KeptService[] =>
  services.map((service) => {
    const message = service.maintenance ? noticeOf(site, id, service.uuid) : undefined;
    return message === undefined ? service : { ...service, maintenance_message: message };
  });

/**
 * What somebody had at a farm that is in maintenance, for as long as that lasts: the farm is not asked, and no rights
 * follow from it. What sessions there are now nobody can tell.
 */
export function servicesInMaintenance(site: RoutedSite, farm: UserFarm): SeenList | undefined {
  const last = site.routing.lists.find(
    ({ farm_id, subject }) => farm_id === farm.id && subject === site.speaker.subject,
  );
  if (!last) return undefined;
  const services = last.services.map(({ maintenance_message: _, ...service }): KeptService => {
    const message = noticeOf(site, farm.id, service.uuid);
    return {
      ...service,
      maintenance: true,
      ...(message !== undefined && { maintenance_message: message }),
      state: 'maintenance',
      in_use: false,
      sessions: [],
    };
  });
  return { services, fetchedAt: new Date(last.fetched_at), fresh: false };
}

/** The refusal of what is in maintenance; its sentence is what users are told. */
export const maintenanceRefusal = (message: string | undefined): AppError =>
  conflict('maintenance', message ?? 'The service is in maintenance');

/** A dispatcher says that it prepares a service that it keeps in maintenance; nobody needs to wait for that. */
export const isMaintenance = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'service_in_preparation' &&
  error.members.reason_code === 'maintenance';
