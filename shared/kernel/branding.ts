/** The name of an installation whose branding was never written. */
export const defaultSiteName = 'Aggregator portal';
