import { processRevocationResponse, revocationRequest } from 'oauth4webapi';
import { authenticated } from '../exchange/authentication.ts';
import { type Call, requestOptions } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import { libraryClient } from '../exchange/library-client.ts';
import { providerOf } from '../provider/provider.ts';

/** RFC 7009, section 2. @throws OidcError */
export async function revokeToken(call: Call, refreshToken: string): Promise<void> {
  const provider = await providerOf(call);
  if (provider.metadata.revocation_endpoint === undefined) return;
  await converting('revocation', 'invalid_response', async () => {
    const client = libraryClient(call.client);
    const options = { ...requestOptions(call), additionalParameters: { token_type_hint: 'refresh_token' } };
    const response = await authenticated(call, provider, (authentication) =>
      revocationRequest(provider.metadata, client, authentication, refreshToken, options),
    );
    await processRevocationResponse(response);
  });
}
