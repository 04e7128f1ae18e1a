import pg from 'pg';
import { expect, it } from 'vitest';
import { withSystemRoots } from '../../../db/postgres/session/system-roots.ts';

it.each([
  'postgres://u:p@db/portal?sslrootcert=system',
  'postgres://u:p@db/portal?sslmode=require&sslrootcert=system&application_name=x',
])('the authorities of the system verify the server: %s', (url) => {
  const { ssl, host, database } = new pg.Client(withSystemRoots(url));
  // Neither a file of authorities nor an exception from the verification.
  expect([ssl, host, database]).toEqual([{}, 'db', 'portal']);
});

it.each([
  'postgres://u:p@db/portal?sslmode=verify-full&sslrootcert=/etc/system.pem',
  'postgres:///portal?host=/run/postgresql',
])('other URLs stay as they are: %s', (url) => {
  expect(withSystemRoots(url)).toBe(url);
});
