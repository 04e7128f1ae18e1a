import { z } from 'zod';
import { stepNames } from '../../../shared/sites/connection-test/steps.ts';
import { DispatcherWrite } from './schema.ts';

const { name, kind, url, verify_tls, ca_certificate, health_key, timeout_ms } = DispatcherWrite.shape;
const { account_domain, account_name, account_password } = DispatcherWrite.shape;

/** The settings of a node that a connection depends on. */
export const TestSettings = z.strictObject({
  ...{ name, kind, url, verify_tls, ca_certificate, timeout_ms, account_domain, account_name },
  health_key: health_key.describe(
    'Access key of the health check of the node. Null: the health check is skipped.',
  ),
  account_password: account_password.describe(
    'Password of the account of the portal on the node. Required for nodes with the capability `service_account`.',
  ),
});

const PresentedCertificate = z.strictObject({
  subject: z.string().describe('Subject of the certificate.'),
  issuer: z.string().describe('Issuer of the certificate.'),
  names: z.array(z.string()).describe('Host names and addresses that the certificate is valid for.'),
  not_before: z.string().describe('Beginning of the validity.'),
  not_after: z.string().describe('End of the validity.'),
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal pairs with colons.'),
  is_authority: z.boolean().describe('True for the certificate of an authority.'),
  is_self_signed: z.boolean().describe('True if the certificate is issued by itself.'),
  pem: z.string().describe('The certificate in PEM, for `ca_certificate`.'),
});

const TestedTls = z.strictObject({
  protocol: z.string().meta({ example: 'TLSv1.3' }).describe('Version of TLS.'),
  faults: z
    .array(
      z.enum([
        'expired',
        'not_yet_valid',
        'wrong_name',
        'self_signed',
        'unknown_ca',
        'unsupported_on_this_runtime',
        'unknown',
      ]),
    )
    .describe(
      'Reasons why the certificate is not accepted: `expired`, `not_yet_valid`, `wrong_name` (of another host), `self_signed`, `unknown_ca` (issued by an authority that is not trusted), `unsupported_on_this_runtime` or `unknown`. Empty if it is accepted.',
    ),
  chain: z
    .array(PresentedCertificate)
    .describe(
      'Certificate of the node, then those of its issuers that the node sends or that are trusted. At most 8.',
    ),
});

export const ConnectionTestResult = z.strictObject({
  success: z.boolean().describe('True if no step failed.'),
  message: z.string().describe('Result of the test in one sentence.'),
  steps: z
    .array(
      z.strictObject({
        name: z
          .enum(stepNames)
          .describe(
            'Step: `lookup` (of the name), `address` (policy), `connection`, `certificate`, `answer`, `authorization` (token or account), `trusted_address`, `administrator`, `tickets` (rights of the account: from this address, its role, sign-in of users), `health` or `lists`.',
          ),
        status: z
          .enum(['pass', 'fail', 'skipped'])
          .describe('`pass`, `fail`, or `skipped` if an earlier step failed or there was nothing to test.'),
        code: z.string().nullable().describe('Stable word for the cause. Null for a step that passes.'),
        detail: z.string().describe('Result of the step in the language of the caller.'),
        took_ms: z.int().describe('Duration of the step in milliseconds.'),
      }),
    )
    .describe('Steps in the order in which they are run.'),
  tls: TestedTls.nullable().describe(
    'What the node presents in the TLS handshake. Null without a handshake, and on platforms without access to connections.',
  ),
  version: z
    .string()
    .nullable()
    .describe('Version that the health check reports. Null if it is not reported.'),
  domains: z
    .array(z.string())
    .nullable()
    .describe('Labels of the user domains of the node. Null if not read.'),
  pools: z
    .int()
    .nullable()
    .describe('Number of pools on the first page of the list, at most 100. Null if not read.'),
  portal: z
    .strictObject({
      issuer: z.string().describe('Issuer of the tokens of the portal (claim `iss`).'),
      audience: z
        .string()
        .describe('Audience of the tokens for the node (claim `aud`): the name of the node.'),
      jwks_url: z.string().describe('URL from which the node reads the public keys of the portal.'),
    })
    .nullable()
    .describe(
      'What the node must be configured with to accept the portal. Null for nodes on which the portal has an account.',
    ),
});
