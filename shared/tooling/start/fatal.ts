import type { Shutdown } from '../../runtime/node/shutdown.ts';

/** An error that is already printed. */
export class AlreadyReported extends Error {}

/**
 * Runs a program. If it fails, prints one line per error and exits; the stack is only printed with `LOG_LEVEL=debug`.
 */
export async function orEnd(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    report(error);
    process.exit(1);
  }
}

/** The same for a program that must be shut down in order. */
export async function orShutDown({ signal, exit }: Shutdown, program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    // Errors caused by the interruption of a start are not reported.
    if (!signal.aborted) report(error);
    await exit(1);
  }
}

function report(error: unknown): void {
  const isDebugging = process.env.LOG_LEVEL === 'debug';
  if (isDebugging || !(error instanceof AlreadyReported))
    console.error(isDebugging ? error : messageOf(error));
}

/** Drizzle's message is the whole statement; the message of the database is in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'object' ? JSON.stringify(error) : String(error);
  return error.cause instanceof Error && /^Failed query/.test(error.message)
    ? messageOf(error.cause)
    : error.message;
}
