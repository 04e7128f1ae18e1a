import type { Context } from 'hono';
import type { z } from 'zod';
import { Refusal } from './refusal.ts';

/**
 * The validated JSON body; no body counts as `{}`. Unknown members are ignored.
 * @throws Refusal 400 or 422
 */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text();
  let body: unknown = {};
  try {
    if (text !== '') body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'malformed_json', 'The body is not JSON');
  }
  return check(schema, body);
}

/** @throws Refusal 422 */
export const readQuery = <T>(c: Context, schema: z.ZodType<T>): T => check(schema, c.req.query());

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    pointer: `/${path.join('/')}`,
    detail: message,
  }));
  throw new Refusal(422, 'invalid_request', 'The request is not valid', { errors });
}
