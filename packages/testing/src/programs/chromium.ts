/** Debian's Chromium. Tests that need it are skipped, or fail, where it is missing. */
export const CHROMIUM = '/usr/bin/chromium'

/** It runs as root, and asks for nothing outside of this machine. */
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
