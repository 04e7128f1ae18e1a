/** A failure whose reason stands on the terminal already. */
export class AlreadyTold extends Error {}

/**
 * Runs a program whose failure to start ends it with one clear line a fault, for whoever reads the terminal; the
 * stack is shown with `LOG_LEVEL=debug` only.
 * @param undo takes back what was started before the failure
 */
export async function orEnd(
  program: () => Promise<void>,
  undo: () => Promise<void> = async () => undefined,
): Promise<void> {
  try {
    await program();
  } catch (error) {
    const isDebugging = process.env.LOG_LEVEL === 'debug';
    if (isDebugging || !(error instanceof AlreadyTold)) console.error(isDebugging ? error : messageOf(error));
    await undo().catch((fault) => console.error(messageOf(fault)));
    process.exit(1);
  }
}

/** Drizzle's own message is the whole statement; what the database said is its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && /^Failed query/.test(error.message)
    ? messageOf(error.cause)
    : error.message;
}
