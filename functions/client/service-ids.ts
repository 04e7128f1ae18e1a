import { z } from 'zod';
import type { RoutingTarget } from '../../db/repositories/routing/routing-rows.ts';
import { notFound } from '../../shared/kernel/errors.ts';
import { isId } from '../../shared/kernel/ids.ts';

/** A rule, or a pool of a farm. */
export type RuleOrPool = Exclude<RoutingTarget['rules'], 'all'>;

/** @throws AppError `not_found` for a text that is neither the identifier of a rule nor `<farm id>.<pool uuid>` */
export function parseServiceId(text: string): RuleOrPool {
  const id = text.toLowerCase();
  if (isId(id)) return { rule: id };
  const [farm = '', pool = '', ...rest] = id.split('.');
  if (!isId(farm) || !isId(pool) || rest.length > 0) throw notFound();
  return { farm, pool };
}

/** The identifier as text in lower case. */
export const serviceIdText = (service: RuleOrPool): string =>
  'rule' in service ? service.rule : `${service.farm}.${service.pool}`;

/** The identifier of a service in a path. */
export const ServiceIdParam = z
  .string()
  .max(128)
  .describe('Identifier of the service: the identifier of a rule, or `<farm id>.<pool uuid>`.');
