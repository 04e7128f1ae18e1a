import { processUserInfoResponse, userInfoRequest } from 'oauth4webapi';
import { type Call, requestOptions } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import { libraryClient } from '../exchange/library-client.ts';
import type { Provider } from '../exchange/memory.ts';
import { assertSignature } from './tokens.ts';

/**
 * The claims of the userinfo endpoint for the person of an ID token.
 * @throws OidcError `subject_mismatch`, `invalid_response`, `refused`, `unreachable`
 */
export const readUserinfo = (
  call: Call,
  provider: Provider,
  accessToken: string,
  sub: string,
): Promise<Record<string, unknown>> =>
  converting('userinfo', 'invalid_response', async () => {
    const client = libraryClient(call.client);
    const { metadata } = provider;
    const response = await userInfoRequest(metadata, client, accessToken, requestOptions(call));
    const signed = isSigned(response) ? await response.clone().text() : undefined;
    const announced = metadata.id_token_signing_alg_values_supported ?? [];
    const limited = { ...metadata, userinfo_signing_alg_values_supported: announced };
    const claims = await processUserInfoResponse(limited, client, sub, response);
    if (signed !== undefined) await assertSignature(call, provider, response, signed);
    return { ...claims };
  });

const isSigned = (response: Response): boolean =>
  /^application\/jwt(?:;|$)/i.test(response.headers.get('content-type') ?? '');
