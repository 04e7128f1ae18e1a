/** The twelve digits of a MAC address in lower case, however it is written; undefined for what is none. */
export function bareMac(text: string): string | undefined {
  const digits = text.replace(/[:.-]/g, '').toLowerCase();
  return /^[0-9a-f]{12}$/.test(digits) ? digits : undefined;
}
