/** Page descriptions for the palette, by address. Not in `pages.ts`, so that the first page loads without them. */
export const PAGE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  '/get-started': 'From an empty service to a verified delivery',
  '/': 'Health, volume, and what needs attention',
  '/live': 'Events and deliveries in real time',
  '/events': 'Find an event and its deliveries',
  '/catalog': 'Names of received events, with their properties',
  '/failures': 'Failed deliveries, causes and retries',
  '/alerts': 'Alert channels, conditions and recent alerts',
  '/sources': 'Incoming events and write keys',
  '/destinations': 'Outgoing events: webhooks, secrets, pauses',
  '/inspector': 'Built-in webhook receiver',
  '/audiences': 'Groups of users, and computed traits',
  '/users': 'Find a user by ID or email address',
  '/privacy': 'Delete users, with receipts',
  '/system': 'Storage, settings, tokens, sessions, audit, backup',
}
