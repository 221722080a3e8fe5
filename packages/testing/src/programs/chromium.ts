/** Debian's Chromium. If it is missing, tests that need it are skipped or fail. */
export const CHROMIUM = '/usr/bin/chromium'

/** Flags that allow Chromium to run as root, and keep it from connecting to other machines. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-proxy-server',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
