import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The keys of the frozen installation, which were generated for it. */
export const frozenKeys = {
  SECRET_KEY: 'F+oyvCx/urT34Pn1h87x21cx8sAkRg5WWeMKgFA9g/k=',
  AGGREGATOR_JWT_SSL_KEY: [
    '-----BEGIN PRIVATE KEY-----',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCKJ7dvy6vAE0Mxil',
    '4j6dnVJj6VgppUSu24eUtv/vep6hRANCAAS72JLVZ/ukD+bS2xqPM55kSLjaX4+t',
    'PRJlndZpoE7YhRluq8sxX55PEdfdxuhh5b/u1TyX7uwd7H8YVL82donZ',
    '-----END PRIVATE KEY-----',
  ].join('\n'),
};

/** A user with the role "Help desk" at the site North. */
export const frozenUser = { name: 'carol', password: 'seven purple lanterns drift', domain: 'demo' };

const path = fileURLToPath(new URL('../../services/database/upgrade/frozen-20261127.sql', import.meta.url));

/** Restores the frozen installation. @param url an empty database, as its owner */
export async function restoreFrozen(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(readFileSync(path, 'utf8'));
  } finally {
    await client.end();
  }
}
