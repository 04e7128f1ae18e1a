import { z } from 'zod';
import { MachineAction } from './data/rows.ts';

const count = z.number().int().min(0).max(2_147_483_647);
const tags = z.array(z.string().min(1).max(64)).max(50);

export const PoolUpdate = z.object({
  name: z.string().min(1).max(256),
  short_name: z.string().max(256).optional(),
  comments: z.string().max(4_096).optional(),
  visible: z.boolean().optional(),
  initial_srvs: count.optional(),
  cache_l1_srvs: count.optional(),
  cache_l2_srvs: count.optional(),
  max_srvs: count.optional(),
  tags: tags.optional(),
});
export type PoolUpdate = z.infer<typeof PoolUpdate>;

export const Maintenance = z.object({ maintenance: z.boolean(), message: z.string().max(1_024).nullish() });

export const Assignment = z.object({ domain: z.string().nullish(), user: z.string().min(1).nullable() });
export type Assignment = z.infer<typeof Assignment>;

export const MachineOrder = z.object({ action: MachineAction });

export const Refresh = z.object({ force: z.boolean().default(false) });

export const Tags = z.object({ tags });

export const Message = z
  .object({
    workplaces: z.array(z.string()).max(1_000).optional(),
    all: z.literal(true).optional(),
    title: z.string().nullish(),
    message: z.string().min(1).max(1_024),
    level: z.string().default('info'),
  })
  .refine(({ workplaces, all }) => (workplaces === undefined) !== (all === undefined), 'workplaces or all');
export type Message = z.infer<typeof Message>;

export const Reconnect = z.object({ session_uuid: z.string() });
