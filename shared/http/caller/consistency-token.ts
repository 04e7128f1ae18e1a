import type { SealedField, Sealer } from '../../kernel/crypto/sealing.ts';

/** What a caller keeps of a write: a position in the log of the database, and when the write began. */
export type WrittenPosition = { position: string; at: Date };

const place: SealedField = { table: 'x-consistency-token', row: '', column: '' };

export const sealPosition = (sealer: Sealer, { position, at }: WrittenPosition): Promise<string> =>
  sealer.seal(JSON.stringify([position, at.getTime()]), place);

/** @returns undefined for a token that this installation has not made */
export async function openPosition(sealer: Sealer, token: string): Promise<WrittenPosition | undefined> {
  const opened = await sealer.open(token, place).catch(() => undefined);
  if (opened === undefined) return undefined;
  const [position, at] = JSON.parse(opened);
  return { position, at: new Date(at) };
}
