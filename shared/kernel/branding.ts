/** Default name of an installation without branding. */
export const defaultSiteName = 'Aggregator portal';
