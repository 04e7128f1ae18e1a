import type { Operations } from '../../../../shared/client/portal-client.ts';

export type Dashboard = Operations['dashboard.admin']['answer'];

/** A part of the dashboard that could not be read. */
export type Missing = { error: string };
type Present<Part extends keyof Dashboard> = Exclude<Dashboard[Part], Missing>;

export type Counters = Present<'counters'>;
export type Site = Present<'sites'>[number];
export type Farm = Present<'farms'>[number];
export type FleetNode = Present<'nodes'>[number];
export type Gateway = Present<'gateways'>[number];
export type Failure = Present<'recent_failures'>[number];
export type Maintenance = Present<'maintenance'>[number];
export type Certificate = Present<'certificates_expiring'>[number];
export type FullPool = Present<'pools_near_full'>[number];
export type State = Site['state'];

export const isMissing = (part: unknown): part is Missing =>
  typeof part === 'object' && part !== null && 'error' in part;

/** The items of a part; none if it could not be read. */
export const itemsOf = <T>(part: T[] | Missing): T[] => (Array.isArray(part) ? part : []);

/** Values since the page was opened, the latest last. */
export type Curves = { in_use: number[]; sessions: number[]; failed_logins: number[] };

/** Half an hour. */
const mostPoints = 120;

const noCurves: Curves = { in_use: [], sessions: [], failed_logins: [] };

/** The curves with the values of a new dashboard. A part that could not be read leaves its curves as they were. */
export function continued(curves: Curves = noCurves, { counters, failed_logins_24h }: Dashboard): Curves {
  const add = (values: number[], value: number | undefined) =>
    value === undefined ? values : [...values, value].slice(-mostPoints);
  const known = isMissing(counters) ? undefined : counters;
  return {
    in_use: add(curves.in_use, known?.workplaces_in_use),
    sessions: add(curves.sessions, known?.sessions),
    failed_logins: add(
      curves.failed_logins,
      typeof failed_logins_24h === 'number' ? failed_logins_24h : undefined,
    ),
  };
}
