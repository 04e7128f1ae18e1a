import type { Shutdown } from '../../runtime/node/shutdown.ts';

/** A failure whose reason stands on the terminal already. */
export class AlreadyTold extends Error {}

/**
 * Runs a program whose failure to start ends it with one clear line a fault, for whoever reads the terminal; the
 * stack is shown with `LOG_LEVEL=debug` only.
 */
export async function orEnd(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    report(error);
    process.exit(1);
  }
}

/** The same for a program that leaves something behind when it is not ended in order. */
export async function orShutDown({ signal, exit }: Shutdown, program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    // What ends beneath a start that was interrupted makes it fail, which is no fault.
    if (!signal.aborted) report(error);
    await exit(1);
  }
}

function report(error: unknown): void {
  const isDebugging = process.env.LOG_LEVEL === 'debug';
  if (isDebugging || !(error instanceof AlreadyTold)) console.error(isDebugging ? error : messageOf(error));
}

/** Drizzle's own message is the whole statement; what the database said is its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'object' ? JSON.stringify(error) : String(error);
  return error.cause instanceof Error && /^Failed query/.test(error.message)
    ? messageOf(error.cause)
    : error.message;
}
