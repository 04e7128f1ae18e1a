import type { Env } from '../../runtime/config/config.ts';
import { edgeModules } from '../build/bundles.ts';
import { replaceFile } from '../start/data-folder.ts';
import { fileReason } from '../start/file-faults.ts';
import { completeSecrets, readSecretsFile, secretsFor } from './secrets.ts';

/**
 * Writes the secrets of all Lambda functions as one JSON object for Secrets Manager, which
 * `functions/deploy/lambda.yaml` reads. The file is replaced atomically, with mode 0600.
 * @returns lines for the terminal
 * @throws ConfigError as `completeSecrets` and `secretsFor`; Error if the output cannot be written
 */
export async function writeLambdaSecret(secretsFile: string, output: string, env: Env): Promise<string> {
  const file = readSecretsFile(secretsFile, env);
  const { settings, generated } = await completeSecrets(secretsFile, env, file);
  const values = Object.assign({}, ...edgeModules.map((module) => secretsFor(module, settings))) as Record<
    string,
    string
  >;
  const text = Object.fromEntries(
    // CloudFormation copies values unchanged, so PEM needs real line ends.
    Object.entries(values).map(([name, value]) => [
      name,
      value.includes('-----BEGIN') ? value.replaceAll('\\n', '\n') : value,
    ]),
  );
  try {
    replaceFile(output, `${JSON.stringify(text, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new Error(`--output: ${output} cannot be written (${fileReason(error) ?? String(error)})`);
  }
  const made = generated.length > 0 ? `generated ${generated.join(', ')} in ${secretsFile}\n` : '';
  return `${made}wrote ${Object.keys(text).join(', ')} to ${output}\n`;
}
