import { LIMITS } from '@hookline/protocol'
import { isIP } from 'node:net'
import { Redacted } from './util/redacted.ts'
import { SecretBox } from './util/secret-box.ts'

/** One setting: the only place that knows its name, default, form and meaning. */
export interface Setting<T = unknown> {
  /** As `--help` and docs/config.md give it. */
  readonly doc: string
  /** What applies where nothing is set, as a user would write it; absent where there is no value. */
  readonly default?: string
  /** Never shown. */
  readonly secret?: true
  /** Turns what the user wrote into the value, or throws an Error whose message completes "… must be". */
  readonly parse: (text: string) => T
}

/** The form a setting does not have. The message completes "… must be". */
class NotOfThisForm extends Error {}

const text = (raw: string): string => {
  if (raw === '') throw new NotOfThisForm('a text that is not empty')
  return raw
}

const secret = (raw: string): Redacted => new Redacted(text(raw))

const keys = (raw: string): Redacted => {
  if (SecretBox.keysIn(raw) === undefined) {
    throw new NotOfThisForm(
      '32 random bytes as base64 (openssl rand -base64 32), or several such keys',
    )
  }
  return new Redacted(raw)
}

const integer =
  (least: number, most: number) =>
  (raw: string): number => {
    const value = Number(raw)
    if (!/^\d+$/.test(raw) || value < least || value > most) {
      throw new NotOfThisForm(`a whole number from ${least} to ${most}`)
    }
    return value
  }

const oneOf =
  <T extends string>(...choices: readonly T[]) =>
  (raw: string): T => {
    const choice = choices.find((candidate) => candidate === raw)
    if (choice === undefined) throw new NotOfThisForm(`one of ${choices.join(', ')}`)
    return choice
  }

const list = (raw: string): string[] =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const networks = (raw: string): readonly string[] => {
  for (const network of list(raw)) {
    const [address = '', prefix = ''] = network.split('/')
    const bits = isIP(address) === 4 ? 32 : 128
    if (!isIP(address) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) {
      throw new NotOfThisForm('a list of networks like 10.0.0.0/8,::1/128, separated by commas')
    }
  }
  return list(raw)
}

const ports = (raw: string): ReadonlySet<number> => {
  const numbers = list(raw).map((port) => (/^\d{1,5}$/.test(port) ? Number(port) : 0))
  if (numbers.some((port) => port < 1 || port > 65_535)) {
    throw new NotOfThisForm('a list of ports like 8500,9200, separated by commas')
  }
  return new Set(numbers)
}

const delays = (raw: string): readonly number[] => {
  const values = list(raw).map(Number)
  if (values.length === 0 || values.some((ms) => !Number.isSafeInteger(ms) || ms < 0)) {
    throw new NotOfThisForm('a list of whole milliseconds like 100,200,400, separated by commas')
  }
  return values
}

const HOUR = 60 * 60 * 1000

/** Every setting of the service. The key is its name in code; flag and environment variable follow from it. */
export const SETTINGS = {
  host: {
    doc: 'Address to listen on. Only this machine can reach the default.',
    default: '127.0.0.1',
    parse: text,
  },
  port: {
    doc: 'Port to listen on; 0 takes a free one.',
    default: '4800',
    parse: integer(0, 65_535),
  },
  adminHost: {
    doc: 'Address that adminPort listens on.',
    default: '127.0.0.1',
    parse: text,
  },
  adminPort: {
    doc: 'Port for management API, health and metrics alone, so that port takes calls and nothing else; 0 takes a free one. Without it all share port.',
    parse: integer(0, 65_535),
  },
  dataDir: {
    doc: 'Folder that holds the database and the tokens.',
    default: './data',
    parse: text,
  },
  adminToken: {
    doc: 'Token of the management API. Without it one is made and kept in <dataDir>/admin-token.',
    secret: true,
    parse: secret,
  },
  adminRateLimit: {
    doc: 'Most requests per second that one token may make of the management API; 0 for no limit.',
    default: '1000',
    parse: integer(0, 1_000_000),
  },
  encryptionKey: {
    doc: 'Encrypts shared secrets and header values in the database: 32 bytes as base64; several keys, separated by commas, to change it: the first one encrypts. Without it one is made and kept in <dataDir>/encryption-key.',
    secret: true,
    parse: keys,
  },
  allowedNetworks: {
    doc: 'Networks webhooks may reach although they are private, loopback or reserved, separated by commas.',
    default: '',
    parse: networks,
  },
  allowedPorts: {
    doc: 'Ports webhooks may be at although they are not for web servers but for mail, databases and the like, separated by commas.',
    default: '',
    parse: ports,
  },
  trustedProxies: {
    doc: 'Networks of proxies whose X-Forwarded-For is believed, separated by commas.',
    default: '',
    parse: networks,
  },
  tlsCaFile: {
    doc: 'PEM file with certificate authorities that webhooks may use, besides the usual ones.',
    parse: text,
  },
  attemptTimeoutMs: {
    doc: 'Deadline of one attempt, from the name look-up to the last response header.',
    default: String(LIMITS.attemptTimeoutMs),
    parse: integer(100, 60_000),
  },
  retryScheduleMs: {
    doc: 'Waits between the attempts, separated by commas, in place of the exponential ones; the last one repeats. No breaker rests longer than the longest. For tests.',
    parse: delays,
  },
  retryWindowMs: {
    doc: 'How long a delivery is retried, from when it first became due.',
    default: String(LIMITS.retryWindowMs),
    parse: integer(0, LIMITS.maxRetryWindowMs),
  },
  retentionMs: {
    doc: 'How long events are kept, with their deliveries and attempts. What waits for delivery is kept longer.',
    default: String(7 * 24 * HOUR),
    parse: integer(60_000, 10 * 365 * 24 * HOUR),
  },
  retentionMaxBytes: {
    doc: 'How large the database may grow before the oldest events go, whatever their age; 0 for no limit.',
    default: '0',
    parse: integer(0, Number.MAX_SAFE_INTEGER),
  },
  auditRetentionMs: {
    doc: 'How long entries of the audit log are kept.',
    default: String(400 * 24 * HOUR),
    parse: integer(60_000, 10 * 365 * 24 * HOUR),
  },
  maxInFlight: {
    doc: 'Attempt rounds in flight on this node.',
    default: '512',
    parse: integer(1, 65_536),
  },
  laneConcurrency: {
    doc: 'Attempt rounds in flight to one destination; never more than a quarter of maxInFlight.',
    default: '64',
    parse: integer(1, 16_384),
  },
  laneWindow: {
    doc: 'Deliveries of one destination held in memory; what exceeds it is parked in the database.',
    default: '256',
    parse: integer(1, 65_536),
  },
  maxMessageBytes: {
    doc: 'Largest call, in bytes of its JSON.',
    default: String(LIMITS.messageBytes),
    parse: integer(1024, 1024 * 1024),
  },
  maxBatchBytes: {
    doc: 'Largest request, in bytes after decompression.',
    default: String(LIMITS.batchBytes),
    parse: integer(1024, 16 * 1024 * 1024),
  },
  maxBatchMessages: {
    doc: 'Most calls in one request.',
    default: String(LIMITS.batchMessages),
    parse: integer(1, 100_000),
  },
  maxNestingLevels: {
    doc: 'Most levels of objects and arrays in one call.',
    default: String(LIMITS.nestingLevels),
    parse: integer(4, 512),
  },
  maxWaitingBytes: {
    doc: 'Most bytes of accepted calls that may wait for the disk; beyond it calls are answered 503.',
    default: String(64 * 1024 * 1024),
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  },
  requestTimeoutMs: {
    doc: 'How long a request may take to arrive.',
    default: '30000',
    parse: integer(100, 600_000),
  },
  dedupeWindowMs: {
    doc: 'How long a second call with the same source and messageId is recognised. Takes 4 bytes of memory for each event of that time.',
    default: String(24 * HOUR),
    parse: integer(0, 30 * 24 * HOUR),
  },
  clockSkewToleranceMs: {
    doc: "How wrong a client's clock may be before its timestamps are corrected.",
    default: String(10 * 60 * 1000),
    parse: integer(0, 24 * HOUR),
  },
  shutdownTimeoutMs: {
    doc: 'How long a stop waits for requests and attempts in flight.',
    default: '10000',
    parse: integer(0, 600_000),
  },
  logLevel: {
    doc: 'Least severe log lines to write: trace, debug, info, warn, error, silent.',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
