import { z } from 'zod';
import type { Child } from '../child-process.ts';

/** `delayMs` is the delay of each direction in milliseconds. */
export type ProxySettings = { url: string; delayMs: number };

const State = z.object({ trips: z.number(), sent: z.number(), received: z.number() });

/** Round trips and bytes so far, on all connections. */
export type ProxyState = z.infer<typeof State>;

export const readProxy = async (proxy: Child): Promise<ProxyState> => State.parse(await proxy.tell({}));
