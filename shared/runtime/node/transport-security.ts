import { isLoopbackHost } from '../config/values.ts';

/**
 * Headers of every response that enforce HTTPS in browsers (RFC 6797). Without `includeSubDomains`, because other
 * hosts of the domain may not support HTTPS.
 * @param baseUrl `BASE_URL`
 * @returns no headers for plain HTTP, for a loopback address, and if `isOn` is false
 */
export function transportSecurity(baseUrl: string, isOn: boolean): Readonly<Record<string, string>> {
  if (!isOn || !URL.canParse(baseUrl)) return {};
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLoopbackHost(hostname)) return {};
  return { 'strict-transport-security': 'max-age=31536000' };
}

/** The same from unvalidated variables, for responses before the configuration is parsed. */
export const transportSecurityIn = ({ BASE_URL, HSTS }: Readonly<Record<string, unknown>>) =>
  transportSecurity(typeof BASE_URL === 'string' ? BASE_URL : '', HSTS !== 'off');

/** Sets headers of a response. */
export function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
