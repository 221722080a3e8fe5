import {
  ATTEMPT_CLASSES,
  type AttemptClass,
  formatTimeSpan,
  LIMIT_SETTINGS,
  type LimitName,
  LIMITS,
} from '@hookline/protocol'
import { readFileSync } from 'node:fs'
import { nextAttemptAt } from '../../packages/server/src/delivery/parts/parts.ts'
import { classifyResponse, retryAfter } from '../../packages/server/src/delivery/sending/outcome.ts'
import { code, formatCount, plain, table } from './markdown.ts'
import { receiverPrograms } from './receiver-programs.ts'

/** docs/guides/receivers.md with up-to-date tables of programs, responses, attempts and numbers. */
export function receiversPage(): string {
  return guideWith('receivers.md', {
    programs: receiverPrograms(),
    responses: responses(),
    schedule: schedule(),
    numbers: numbers(),
  })
}

/** docs/guides/webhook-limits.md with an up-to-date table. */
export function webhookLimitsPage(): string {
  return guideWith('webhook-limits.md', { limits: limits() })
}

function guideWith(file: string, regions: Readonly<Record<string, string>>): string {
  const page = readFileSync(new URL(`../guides/${file}`, import.meta.url), 'utf8')
  return Object.entries(regions).reduce(withRegion, page)
}

function withRegion(page: string, [name, content]: [string, string]): string {
  const region = new RegExp(`(<!-- ${name}: .* -->\n)[^]*?(<!-- end of ${name} -->)`)
  if (!region.test(page)) throw new Error(`The page has no markers around its ${name}.`)
  return page.replace(region, (_, begin: string, end: string) => `${begin}\n${content}\n\n${end}`)
}

const STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index)
/** Classes without a response that the receiver causes. */
const SILENT = ['timeout', 'connection_failed', 'certificate_invalid'] as const

function responses(): string {
  const classes = [...new Set(STATUSES.map((status) => classifyResponse(status).class))]
  const rows = [...classes, ...SILENT].map((name) => [
    statusesOf(name),
    code(name),
    plain(ATTEMPT_CLASSES[name].meaning),
    pausesOf(name),
  ])
  return table(['status', 'class', 'meaning', '`Retry-After` applies to'], rows)
}

function statusesOf(name: AttemptClass): string {
  const own = STATUSES.filter((status) => classifyResponse(status).class === name)
  if (own.length === 0) return 'none'
  if (own.length < 10) return own.join(', ')
  const all = own.length === 100 ? '' : 'other '
  return `${all}${Math.floor(own[0]! / 100)}xx`
}

function pausesOf(name: AttemptClass): string {
  const own = STATUSES.filter((status) => classifyResponse(status).class === name)
  return own.filter((status) => retryAfter(status, '60', 0) !== undefined).join(', ')
}

/** The attempts of a delivery to a receiver that is down, without jitter. */
function schedule(): string {
  const rows: string[][] = []
  for (let now: number | undefined = 0, number = 1; now !== undefined; number++) {
    rows.push([String(number), now === 0 ? 'immediately' : after(now)])
    now = nextAttemptAt(
      { windowMs: LIMITS.retryWindowMs },
      { number, firstDueAt: 0, now, random: 0.5 },
    )
  }
  return table(['attempt', 'after'], rows)
}

function after(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return `${minutes} min ${seconds % 60} s`
}

const HOUR_MS = 3_600_000

function limits(): string {
  const {
    minAttemptsPerSecond,
    maxAttemptsPerSecond,
    maxWebhookConcurrency,
    minWebhookTimeoutMs,
    maxWebhookTimeoutMs,
    maxWebhookRetryWindowMs,
    retryDelaysPerWebhook,
    repeatsOfLastDelay,
    minRetryDelayMs,
    maxRetryDelayMs,
    statusesToRetry,
  } = LIMITS
  const number = (value: number): string => value.toLocaleString('en')
  const delays = `${formatTimeSpan(minRetryDelayMs)} to ${formatTimeSpan(maxRetryDelayMs)}`
  return table(
    ['limit', 'meaning', 'values', 'default'],
    [
      [
        'perSecond',
        'attempts per second, including retries',
        `${minAttemptsPerSecond} to ${number(maxAttemptsPerSecond)}`,
      ],
      [
        'concurrency',
        'attempts in flight; a value above the setting has no effect',
        `1 to ${number(maxWebhookConcurrency)}`,
      ],
      [
        'timeout',
        'how long one attempt may take',
        `${formatTimeSpan(minWebhookTimeoutMs)} to ${formatTimeSpan(maxWebhookTimeoutMs)}`,
      ],
      [
        'retryWindow',
        'how long a delivery is retried; 0s: no retries',
        `0s to ${formatTimeSpan(maxWebhookRetryWindowMs)}, shorter than \`retention\``,
      ],
      [
        'retrySchedule',
        `delays after the first, second, … attempt; the last one repeats, at most ${repeatsOfLastDelay} times`,
        `1 to ${retryDelaysPerWebhook} delays, each from ${delays}`,
      ],
      [
        'retryOn',
        'statuses that are retried, although they usually end the delivery',
        `up to ${statusesToRetry} statuses from 400 to 499, except 408, 410, 425 and 429`,
      ],
    ].map(([name = '', ...cells]) => [code(name), ...cells, defaultOf(name as LimitName)]),
  )
}

/** The setting of the service that applies without the limit. */
function defaultOf(name: LimitName): string {
  const setting = LIMIT_SETTINGS[name]
  return setting === null ? 'none' : code(setting)
}

function numbers(): string {
  return table(
    ['limit', 'value'],
    [
      ['maximum size of a call, by default', `${LIMITS.messageBytes / 1024} KiB`],
      [
        'maximum body size of a delivery (a computed trait can be a long list)',
        `less than ${LIMITS.payloadBytes / 1024 ** 2} MiB`,
      ],
      ['webhooks in a destination', String(LIMITS.webhooksPerDestination)],
      ['URL with values from an event', `${formatCount(LIMITS.filledUrlCharacters)} characters`],
      ['static headers for a webhook', String(LIMITS.headersPerWebhook)],
      [
        'maximum overlap of two secrets or keys, and maximum lead of a new key',
        `${LIMITS.maxSecretOverlapMs / HOUR_MS} hours`,
      ],
    ],
  )
}
