import { vi } from 'vitest';
import { newKeyVariables } from '../identity/signing-keys.ts';

/** Variables of functions on a database, with new keys. */
export const functionVariables = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  BASE_URL: 'https://portal.example',
  LOG_LEVEL: 'error',
  ...newKeyVariables(),
});

/** Sets the environment of functions in this process until `vi.unstubAllEnvs`. */
export function configure(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}
