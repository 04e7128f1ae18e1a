import { isLoopbackHost } from '../config/values.ts';

/**
 * The headers of every answer that make browsers keep to HTTPS (RFC 6797). Without `includeSubDomains`: other hosts of the
 * domain are not ours.
 * @param baseUrl `BASE_URL`
 * @returns nothing for plain HTTP, for an address that only this machine reaches, and if `isOn` is false
 */
export function transportSecurity(baseUrl: string, isOn: boolean): Readonly<Record<string, string>> {
  if (!isOn || !URL.canParse(baseUrl)) return {};
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLoopbackHost(hostname)) return {};
  return { 'strict-transport-security': 'max-age=31536000' };
}

/** The same from variables that may be bad or missing: refusals before the configuration is read have it, too. */
export const transportSecurityIn = ({ BASE_URL, HSTS }: Readonly<Record<string, unknown>>) =>
  transportSecurity(typeof BASE_URL === 'string' ? BASE_URL : '', HSTS !== 'off');

/** Adds headers to an answer. */
export function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
