import { AppError, type ErrorCode, problemProperties } from '../../kernel/errors.ts';
import type { Language } from '../../messages/languages.ts';
import { inLanguage, joined, type Text, verbatim } from '../../messages/message.ts';
import { inItsLanguage, problemResponse, refuseWith } from '../problem.ts';
import type { Refuse } from './app.ts';

/** An error of SCIM (RFC 7644, 3.12). The status is a text. */
export type ScimError = { schemas: [string]; status: string; scimType?: string; detail: string };

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The keywords of RFC 7644 (3.12) and RFC 9865 by problem code. `scim_type` of an error has precedence. */
const keywords: Partial<Record<ErrorCode, string>> = {
  already_exists: 'uniqueness',
  invalid_request: 'invalidValue',
  malformed_cursor: 'invalidCursor',
  malformed_json: 'invalidSyntax',
};

/** SCIM has no 422: an invalid request is 400 with a keyword. */
export const scimStatusOf = (code: ErrorCode): number =>
  code === 'invalid_request' ? 400 : problemProperties(code).status;

export const isScimPath = (path: string): boolean => path === '/scim' || path.startsWith('/scim/');

export function scimErrorOf(error: AppError, language: Language = 'en'): ScimError {
  const { scim_type, errors = [] } = error.members;
  const keyword = typeof scim_type === 'string' ? scim_type : keywords[error.code];
  const detail = errors.length === 0 ? error.detail : joined(errors.map(placed), '; ');
  return {
    schemas: [errorSchema],
    status: String(scimStatusOf(error.code)),
    ...(keyword && { scimType: keyword }),
    detail: inLanguage(detail, language),
  };
}

const placed = ({ pointer, detail }: { pointer: string; detail: Text }): Text =>
  pointer === '' ? detail : joined([verbatim(pointer), detail], ' ');

/** Renders rejections of SCIM in its form, and those of other paths as problem documents. */
export const refuseByPath: Refuse = (error, requestId, headers, language, path) => {
  if (!isScimPath(path)) return problemResponse(error, requestId, headers, language);
  return isOwnAlias(path)
    ? refuseInScimForm(new AppError(error.code, 'The address Me is not supported'), headers, language, '501')
    : refuseInScimForm(error, headers, language);
};

/** The alias for the resource of the caller (RFC 7644, 3.11). The owner of a token for provisioning is no such resource. */
const isOwnAlias = (path: string): boolean => /^\/scim\/v2\/[^/]+\/Me$/i.test(path);

function refuseInScimForm(
  error: AppError,
  headers: Record<string, string>,
  language: Language,
  otherStatus?: string,
): Response {
  const body = { ...scimErrorOf(error, language), ...(otherStatus && { status: otherStatus }) };
  const { status } = problemProperties(error.code);
  const response = refuseWith(body, 'application/scim+json', error, {
    ...headers,
    ...inItsLanguage(language),
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="scim"' }),
  });
  return new Response(response.body, { status: Number(body.status), headers: response.headers });
}
