/** The twelve digits of a MAC address in lower case, in any notation; undefined if the text is not a MAC address. */
export function bareMac(text: string): string | undefined {
  const digits = text.replace(/[:.-]/g, '').toLowerCase();
  return /^[0-9a-f]{12}$/.test(digits) ? digits : undefined;
}
