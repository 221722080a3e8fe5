import { formatTimeSpan, parseTimeSpan } from '@hookline/protocol'
import { isIP } from 'node:net'
import { Redacted } from './util/secrets/redacted.ts'
import { SecretBox } from './util/secrets/secret-box.ts'

// Parsers of settings. Each throws an Error whose message completes "… must be".

class InvalidFormatError extends Error {}

const matching =
  (pattern: RegExp, format: string) =>
  (raw: string): string => {
    if (!pattern.test(raw)) throw new InvalidFormatError(format)
    return raw
  }

const redacted =
  (parse: (raw: string) => unknown) =>
  (raw: string): Redacted => {
    parse(raw)
    return new Redacted(raw)
  }

export const text = matching(/[^]/, 'a non-empty string')

/** More threads only cost memory: one thread writes for all of them. */
const MAX_THREADS = 32

export const secret = redacted(text)

export const keys = (raw: string): Redacted => {
  if (SecretBox.keysIn(raw) === undefined) {
    throw new InvalidFormatError(
      '32 random bytes as base64 (openssl rand -base64 32), or several such keys',
    )
  }
  return new Redacted(raw)
}

export const integer =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw)
    if (!/^\d+$/.test(raw) || value < min || value > max) {
      throw new InvalidFormatError(`a whole number from ${min} to ${max}`)
    }
    return value
  }

/** A number of threads; 0 for only the main thread. */
export const threads = (raw: string): number | 'auto' => {
  const value = raw === 'auto' ? raw : Number(raw)
  if (value === 'auto' || (/^\d+$/.test(raw) && value <= MAX_THREADS)) return value
  throw new InvalidFormatError(`auto, or a whole number from 0 to ${MAX_THREADS}`)
}

/** A duration in milliseconds, written with units or as a number of milliseconds. */
export const time =
  (min: number, max: number) =>
  (raw: string): number => {
    const ms = millisecondsIn(raw)
    if (ms === undefined || ms < min || ms > max) {
      const range = `${formatTimeSpan(min)} to ${formatTimeSpan(max)}`
      throw new InvalidFormatError(`a duration from ${range}, with units like 90s, 1h30m or 7d`)
    }
    return ms
  }

function millisecondsIn(raw: string): number | undefined {
  return /^\d{1,15}$/.test(raw) ? Number(raw) : parseTimeSpan(raw)
}

export const oneOf =
  <T extends string>(...choices: readonly T[]) =>
  (raw: string): T => {
    const choice = choices.find((candidate) => candidate === raw)
    if (choice === undefined) throw new InvalidFormatError(`one of ${choices.join(', ')}`)
    return choice
  }

const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const networks = (raw: string): readonly string[] => {
  for (const network of list(raw)) {
    const [address = '', prefix = ''] = network.split('/')
    const bits = isIP(address) === 4 ? 32 : 128
    if (!isIP(address) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) {
      throw new InvalidFormatError(
        'a list of networks like 10.0.0.0/8,::1/128, separated by commas',
      )
    }
  }
  return list(raw)
}

export const hostNames = (raw: string): readonly string[] => {
  if (list(raw).some((name) => !/^\.?[\w-]+(?:\.[\w-]+)*$/.test(name))) {
    throw new InvalidFormatError(
      'a list of host names like hookline.example.com,.internal, without ports',
    )
  }
  return list(raw)
}

export const texts = (raw: string): readonly string[] => list(raw)

export const ports = (raw: string): ReadonlySet<number> => {
  const numbers = list(raw).map((port) => (/^\d{1,5}$/.test(port) ? Number(port) : 0))
  if (numbers.some((port) => port < 1 || port > 65_535)) {
    throw new InvalidFormatError('a list of ports like 8500,9200, separated by commas')
  }
  return new Set(numbers)
}

export const proxyUrl = (raw: string): Redacted => {
  if (!isProxyUrl(raw)) {
    throw new InvalidFormatError('a URL like http://user:pass@proxy.example:3128, without a path')
  }
  return new Redacted(raw)
}

function isProxyUrl(raw: string): boolean {
  const url = URL.parse(raw)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return false
  try {
    decodeURIComponent(url.username + url.password)
    return true
  } catch {
    // A % in the password must be written as %25.
    return false
  }
}

/** URLs with one of these protocols, separated by commas. */
export const urlOf =
  (example: string, protocol: RegExp) =>
  (raw: string): Redacted => {
    const urls = list(raw).map((each) => URL.parse(each))
    if (urls.length === 0 || urls.some((url) => !url?.hostname || !protocol.test(url.protocol))) {
      throw new InvalidFormatError(`a URL like ${example}`)
    }
    return new Redacted(raw)
  }

/** The URL of a trace. It becomes a link, so only HTTP and HTTPS are accepted. */
export const traceUrl = (raw: string): string => {
  const url = URL.parse(raw.replaceAll('{traceId}', '0'.repeat(32)))
  if (!raw.includes('{traceId}') || !/^https?:$/.test(url?.protocol ?? ''))
    throw new InvalidFormatError('a URL like https://grafana.example/trace/{traceId}')
  return raw
}

/** The URL of the console, without a trailing slash. */
export const consoleUrl = (raw: string): string => {
  const url = URL.parse(raw)
  const { protocol = '', username = '', password = '' } = url ?? {}
  if (url === null || !/^https?:$/.test(protocol) || username + password !== '' || /[?#]/.test(raw))
    throw new InvalidFormatError(
      'a URL like https://hookline.example/console, without credentials or a query',
    )
  return url.href.replace(/\/+$/, '')
}

/** The text of a NATS .creds file. */
export const natsCredentials = redacted(
  matching(
    /BEGIN NATS USER JWT[^]+BEGIN USER NKEY SEED/,
    'the content of a .creds file, with a NATS USER JWT and a USER NKEY SEED',
  ),
)

export const nkeySeed = redacted(
  matching(/^SU[A-Z2-7]{56}$/, 'a user nkey seed: 58 characters, beginning with SU'),
)

export const subjectToken = matching(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - and _')

export const delays = (raw: string): readonly number[] => {
  const values = list(raw).map(millisecondsIn)
  if (values.length === 0 || values.includes(undefined)) {
    throw new InvalidFormatError('a list of durations like 500ms,10s,5m, separated by commas')
  }
  return values as number[]
}
