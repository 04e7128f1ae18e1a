import type { Transport } from './transport.ts';

/** Tells how many seconds each exchange took, its failure included, to whoever said whom it concerns. */
export const measured = (
  transport: Transport,
  note: (concerns: string, seconds: number) => void,
): Transport => ({
  ...transport,
  send: async (request) => {
    const startedAt = performance.now();
    try {
      return await transport.send(request);
    } finally {
      if (request.concerns !== undefined) note(request.concerns, (performance.now() - startedAt) / 1000);
    }
  },
});
