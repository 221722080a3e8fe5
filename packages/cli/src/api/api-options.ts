import { InvalidArgumentError, Option } from 'commander'

/** `--url`, the address of a service. */
export function urlOption(description: string): Option {
  return new Option('--url <url>', description).env('HOOKLINE_URL').argParser(serviceUrl)
}

export function httpUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must be a URL like http://127.0.0.1:4800.')
  }
  return url
}

/** Refuses credentials, which would appear in logs and messages. */
function serviceUrl(text: string): URL {
  const url = httpUrl(text)
  if (url.username === '' && url.password === '') return url
  throw new InvalidArgumentError('It must not contain a user name or a password.')
}
