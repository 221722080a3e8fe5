/** Where the console is served, for example `/console/`. The service writes it into the page. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname

/** The address that has the management API below it, with a slash at its end. */
export const SERVICE_URL = new URL('..', document.baseURI).href
