import { isLoopbackHost } from '../config/values.ts';

/** Values of `HSTS`. By default other hosts of the domain are left out, because they may not support HTTPS. */
export const hstsChoices = ['on', 'subdomains', 'off'] as const;
export type Hsts = (typeof hstsChoices)[number];

/**
 * Headers of every response that enforce HTTPS in browsers (RFC 6797).
 * @param baseUrl `BASE_URL`
 * @returns no headers for plain HTTP, for a loopback address, and if `hsts` is `off`
 */
export function transportSecurity(baseUrl: string, hsts: Hsts): Readonly<Record<string, string>> {
  if (hsts === 'off' || !URL.canParse(baseUrl)) return {};
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLoopbackHost(hostname)) return {};
  const others = hsts === 'subdomains' ? '; includeSubDomains' : '';
  return { 'strict-transport-security': `max-age=31536000${others}` };
}

/** The same from unvalidated variables, for responses before the configuration is parsed. An unknown value counts as the default. */
export const transportSecurityIn = ({ BASE_URL, HSTS }: Readonly<Record<string, unknown>>) =>
  transportSecurity(
    typeof BASE_URL === 'string' ? BASE_URL : '',
    hstsChoices.find((choice) => choice === HSTS) ?? 'on',
  );

/** Sets headers of a response. */
export function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
