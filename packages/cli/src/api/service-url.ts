import { SETTINGS } from '@hookline/server/settings'
import { InvalidArgumentError, Option } from 'commander'

const DEFAULT = new URL(`http://${SETTINGS.host.default}:${SETTINGS.port.default}`)

/** `--url`, where the service is. */
export function urlOption(): Option {
  return new Option('--url <url>', 'where the service is')
    .env('HOOKLINE_URL')
    .default(DEFAULT, DEFAULT.origin)
    .argParser(serviceUrl)
}

/** What a URL says before its @ would end in logs and messages; the token and the write key have options. */
function serviceUrl(text: string): URL {
  const url = httpUrl(text)
  if (url.username === '' && url.password === '') return url
  throw new InvalidArgumentError('It must not hold a user name or a password.')
}

/** Parses an option that is an http or https URL. */
export function httpUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must be a URL like http://127.0.0.1:4800.')
  }
  return url
}
