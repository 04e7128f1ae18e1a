import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../../db/client.ts';
import { authenticators } from '../../../../db/repositories/identity/authenticators.ts';
import { dispatchers } from '../../../../db/repositories/sites/dispatchers.ts';
import type { SealedField, Sealer } from '../../../kernel/crypto/sealing.ts';
import type { PortalRecord } from './state.ts';

type SealedSecret = { text: string; place: SealedField };

/** Compares a secret with the stored one. @returns undefined if no configured key opens the stored one */
export async function isSameSecret(
  db: Db,
  sealer: Sealer,
  stored: PortalRecord,
  path: readonly string[],
  value: string,
): Promise<boolean | undefined> {
  const sealed = await sealedOf(db, stored, path.at(-1) ?? '');
  const opened = sealed && (await sealer.open(sealed.text, sealed.place).catch(() => undefined));
  if (opened === undefined) return undefined;
  const [left, right] = [Buffer.from(opened), Buffer.from(value)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function sealedOf(db: Db, { kind, id }: PortalRecord, name: string): Promise<SealedSecret | undefined> {
  const everywhere = { scope: '*' } as const;
  if (kind.section === 'dispatchers') {
    const column = name === 'account_password' ? 'account_password' : 'health_key';
    const text = (await dispatchers.find(db, id, everywhere))?.[column];
    return text ? { text, place: { table: 'dispatchers', row: id, column } } : undefined;
  }
  const text = (await authenticators.find(db, id, everywhere))?.secrets[name];
  const place = { table: 'authenticators', row: id, column: `params.${name}` };
  return typeof text === 'string' ? { text, place } : undefined;
}
