import { z } from 'zod';
import { Uuid } from './list-shapes.ts';
import { word } from './members.ts';

/* What a node is told for a maintenance, and what it answers to a message. */

export type MaintenanceOrder = { maintenance: boolean; message?: string | undefined };

export type MessageOrder = {
  message: string;
  title?: string | undefined;
  level?: string | undefined;
} & ({ workplaces: string[] } | { all: true });

export const Delivery = z.object({
  delivered: z.array(Uuid).max(100_000),
  failed: z.array(z.object({ workplace_uuid: Uuid, code: word })).max(100_000),
});
export type Delivery = z.output<typeof Delivery>;
