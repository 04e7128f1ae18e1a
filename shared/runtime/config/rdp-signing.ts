/** PEM: a certificate with its intermediate certificates, and its key. */
export type RdpSigning = { certificates: string; key: string };

type RdpSigningVariables = { RDP_SIGNING_CERT?: string | undefined; RDP_SIGNING_KEY?: string | undefined };

export const rdpSigningFrom = ({
  RDP_SIGNING_CERT: certificates,
  RDP_SIGNING_KEY: key,
}: RdpSigningVariables): RdpSigning | undefined => (certificates && key ? { certificates, key } : undefined);

/** Both variables are required, or none. */
export function rdpSigningFaults({
  RDP_SIGNING_CERT: certificates,
  RDP_SIGNING_KEY: key,
}: RdpSigningVariables): string[] {
  if (certificates && !key) return ['RDP_SIGNING_KEY: required with RDP_SIGNING_CERT'];
  return key && !certificates ? ['RDP_SIGNING_CERT: required with RDP_SIGNING_KEY'] : [];
}
