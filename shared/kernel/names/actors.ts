/** What can act, as audit events name it. Every kind of a principal is one of them. */
export const actors = [
  'user',
  'service_token',
  'peer',
  'operator',
  'agent',
  'gateway',
  'portal',
  'job',
  'anonymous',
] as const;
export type Actor = (typeof actors)[number];
