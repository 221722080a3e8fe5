/**
 * What each page answers, by its address: the palette shows it. It is beside `pages.ts`, so that the first page does not wait
 * for these texts.
 */
export const PAGE_ANSWERS: Readonly<Record<string, string>> = {
  '/get-started': 'From an empty service to a verified delivery',
  '/': 'How the service is, and what is wrong now',
  '/live': 'Events and deliveries as they happen',
  '/events': 'Find an event, and see what became of it',
  '/failures': 'What failed, why, and how to mend it',
  '/sources': 'Where events come from, and write keys',
  '/destinations': 'Where events go: webhooks, secrets, pauses',
  '/inspector': 'The receiver that is built in',
  '/audiences': 'Groups of users, and computed traits',
  '/users': 'Find a user by id or e-mail address',
  '/privacy': 'Delete users, with receipts',
  '/system': 'Storage, settings, tokens, sessions, audit, backup',
}
