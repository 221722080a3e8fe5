/** For example `/console/`. The service writes it into the page. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname

/** The base URL of the management API, with a final slash. */
export const SERVICE_URL = new URL('..', document.baseURI).href
