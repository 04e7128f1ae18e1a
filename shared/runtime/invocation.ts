export type { Invocation } from '../http/invocation.ts';
