import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A secret in the form of the Standard Webhooks specification: 32 bytes, base64 after `whsec_`. */
export const newSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

/** What one attempt to deliver signs. */
export type Signed = { id: string; at: Date; body: string };

/**
 * The headers of the Standard Webhooks specification.
 * @param secrets of which each gives a signature; the receiver accepts any of them
 */
export function signedHeaders({ id, at, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
