import {
  effectiveLimits,
  formatTimeSpan,
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseTimeSpan,
  type PresentedLimits,
  type Webhook,
  type WebhookLimits,
} from '@hookline/protocol'
import Type from 'typebox'
import { type FieldError, fieldError, unknownFields } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'

export interface LimitsContext {
  /** Retry windows must be shorter. */
  readonly retentionMs: number
  /** The parser appends to them. */
  readonly errors: FieldError[]
}

const span = (description: string) => Type.Optional(Schema.text(description))

export const LimitsResponse = Type.Object(
  {
    perSecond: Type.Optional(
      Type.Number({
        minimum: LIMITS.minAttemptsPerSecond,
        maximum: LIMITS.maxAttemptsPerSecond,
        description:
          'The maximum number of attempts per second, including retries, across all nodes.',
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.maxWebhookConcurrency,
        description:
          'The maximum number of attempts in flight, across all nodes. It can lower maxConcurrencyPerWebhook, but not raise it.',
      }),
    ),
    timeout: span('Overrides attemptTimeout: from 100ms to 30s.'),
    retryWindow: span(
      'Overrides retryWindow: at most 7d, and shorter than retention. 0s: no retries.',
    ),
    retrySchedule: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: LIMITS.retryDelaysPerWebhook,
        description:
          'Overrides retrySchedule: the delays after the first, second, … attempt, from 1s to 24h. The last one repeats.',
      }),
    ),
    retryOn: Type.Optional(
      Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
        maxItems: LIMITS.statusesToRetry,
        description:
          'Statuses that are retried, although they usually end the delivery, such as 409. 410 is not allowed.',
      }),
    ),
  },
  {
    description: "Limits of this webhook. An absent limit defaults to the service's setting.",
  },
)

const FIELDS = Object.keys(LimitsResponse.properties)

const limitValue = Type.Unsafe({
  type: ['number', 'string', 'array', 'null'],
  items: {},
  description:
    'The value, in the same format as in limits. null: no limit; for retrySchedule: exponential backoff.',
})

const EffectiveLimitResponse = Type.Object({
  value: limitValue,
  origin: Schema.oneOf(
    ['webhook', 'service'],
    'webhook: limits of the webhook. service: settings of the service.',
  ),
  setting: Schema.nullable(
    Schema.text(
      "The name of the setting; null for the webhook's own limit, or if no setting exists.",
    ),
  ),
})

export const EffectiveLimitsResponse = Type.Array(
  Type.Object({
    url: Type.String(),
    ...Object.fromEntries(FIELDS.map((name) => [name, EffectiveLimitResponse])),
  }),
  { description: 'The limits that apply to each webhook.' },
)

/**
 * Parses the limits of a webhook. `null` and `{}` mean no limits. A stored retry window remains valid: `retention` may have
 * been lowered.
 */
export function parseLimits(
  input: unknown,
  pointer: string,
  stored: WebhookLimits | undefined,
  { retentionMs, errors }: LimitsContext,
): WebhookLimits | undefined {
  if (input === undefined || input === null) return undefined
  if (!isJsonObject(input)) {
    const hint = 'Use an object: {"perSecond": 20, "timeout": "10s"}. Use null for no limits.'
    errors.push(fieldError(pointer, 'invalid_type', 'limits must be an object.', hint))
    return undefined
  }
  errors.push(...unknownFields(input, FIELDS, pointer))
  const parser = new LimitsParser(input, pointer, errors)
  const retryOn = parser.list('retryOn', LIMITS.statusesToRetry, statusIn)
  const parsed = {
    perSecond: parser.number('perSecond', ATTEMPTS_PER_SECOND),
    concurrency: parser.number('concurrency', CONCURRENCY),
    timeoutMs: parser.span('timeout', TIMEOUT),
    retryWindowMs: parser.span('retryWindow', RETRY_WINDOW),
    retryScheduleMs: parser.list('retrySchedule', LIMITS.retryDelaysPerWebhook, delayIn),
    retryOn: retryOn && [...new Set(retryOn)],
  }
  if (parsed.retryWindowMs !== stored?.retryWindowMs)
    errors.push(
      ...retryWindowErrors(
        parsed.retryWindowMs,
        `${pointer}/retryWindow`,
        retentionMs,
        'out_of_range',
      ),
    )
  const set = Object.entries(parsed).filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as WebhookLimits)
}

/** An error unless the retry window is shorter than retention. */
function retryWindowErrors(
  retryWindowMs: number | undefined,
  pointer: string,
  retentionMs: number,
  code: string,
): FieldError[] {
  if (retryWindowMs === undefined || retryWindowMs < retentionMs) return []
  const retention = formatTimeSpan(retentionMs)
  const message = `retryWindow must be shorter than retention, which is ${retention}.`
  const hint = `Use less than ${retention}, or ask the operator to increase the retention setting.`
  return [fieldError(pointer, code, message, hint)]
}

/** The warning about a retry window that became too long because retention was lowered. */
export function retryWindowWarning(
  { limits }: Webhook,
  pointer: string,
  retentionMs: number,
): FieldError[] {
  return retryWindowErrors(
    limits?.retryWindowMs,
    `${pointer}/limits/retryWindow`,
    retentionMs,
    'retry_window_too_long',
  )
}

/** The limits in the form that `parseLimits` accepts. */
export function presentLimits(limits: WebhookLimits): PresentedLimits {
  const { timeoutMs, retryWindowMs, retryScheduleMs, retryOn, ...others } = limits
  return {
    ...others,
    ...(timeoutMs !== undefined && { timeout: formatTimeSpan(timeoutMs) }),
    ...(retryWindowMs !== undefined && { retryWindow: formatTimeSpan(retryWindowMs) }),
    ...(retryScheduleMs !== undefined && { retrySchedule: retryScheduleMs.map(formatTimeSpan) }),
    ...(retryOn !== undefined && { retryOn }),
  }
}

/** Settings of the service for webhooks without a limit. */
interface ServiceLimits {
  readonly maxConcurrencyPerWebhook: number
  readonly attemptTimeoutMs: number
  readonly retryWindowMs: number
  readonly retryScheduleMs?: readonly number[] | undefined
}

/** The settings in the form of limits. */
export function serviceLimits(config: ServiceLimits): PresentedLimits {
  return presentLimits({
    concurrency: config.maxConcurrencyPerWebhook,
    timeoutMs: config.attemptTimeoutMs,
    retryWindowMs: config.retryWindowMs,
    ...(config.retryScheduleMs && { retryScheduleMs: config.retryScheduleMs }),
  })
}

/** The limits that apply to each webhook, with their origin. */
export function presentEffectiveLimits(
  webhooks: readonly Webhook[],
  service: PresentedLimits,
): object[] {
  return webhooks.map(({ url, limits }) => ({
    url,
    ...effectiveLimits(limits && presentLimits(limits), service),
  }))
}

interface Range {
  readonly min: number
  readonly max: number
  readonly isInteger?: boolean
}

const ATTEMPTS_PER_SECOND: Range = {
  min: LIMITS.minAttemptsPerSecond,
  max: LIMITS.maxAttemptsPerSecond,
}
const CONCURRENCY: Range = { min: 1, max: LIMITS.maxWebhookConcurrency, isInteger: true }
const TIMEOUT: Range = { min: LIMITS.minWebhookTimeoutMs, max: LIMITS.maxWebhookTimeoutMs }
const RETRY_WINDOW: Range = { min: 0, max: LIMITS.maxWebhookRetryWindowMs }
const DELAY: Range = { min: LIMITS.minRetryDelayMs, max: LIMITS.maxRetryDelayMs }

/** Reads fields, with an error for each invalid one. A field that is absent or `null` is `undefined`. */
class LimitsParser {
  readonly #input: JsonObject
  readonly #pointer: string
  readonly #errors: FieldError[]

  constructor(input: JsonObject, pointer: string, errors: FieldError[]) {
    this.#input = input
    this.#pointer = pointer
    this.#errors = errors
  }

  number(name: string, { min, max, isInteger = false }: Range): number | undefined {
    const value = this.#input[name] ?? undefined
    if (value === undefined) return undefined
    const kind = isInteger ? 'an integer' : 'a number'
    const hint = `Use ${kind} from ${min} to ${max}, or omit it.`
    if (typeof value !== 'number' || (isInteger && !Number.isInteger(value)))
      return this.#fail(name, 'invalid_type', `${name} must be ${kind}.`, hint)
    if (value >= min && value <= max) return value
    return this.#fail(name, 'out_of_range', `${name} must be from ${min} to ${max}.`, hint)
  }

  span(name: string, range: Range): number | undefined {
    const value = this.#input[name] ?? undefined
    if (value === undefined) return undefined
    const hint = `Use a duration from ${rangeText(range)}, such as "10s" or "1h30m", or omit it.`
    const parsed = parseSpan(value, range)
    if (typeof parsed === 'number') return parsed
    const expected = parsed === 'out_of_range' ? `from ${rangeText(range)}` : 'a duration'
    return this.#fail(name, parsed, `${name} must be ${expected}.`, hint)
  }

  list(name: string, max: number, { parse, hint }: ItemRule): readonly number[] | undefined {
    const value = this.#input[name] ?? undefined
    if (value === undefined) return undefined
    if (!Array.isArray(value))
      return this.#fail(name, 'invalid_type', `${name} must be a list.`, hint)
    if (value.length === 0) return this.#fail(name, 'too_few', `${name} must not be empty.`, hint)
    if (value.length > max)
      return this.#fail(name, 'too_many', `${name} must have at most ${max} items.`, hint)
    return value.flatMap((item, index) => {
      const parsed = parse(item)
      if (typeof parsed === 'number') return parsed
      this.#fail(`${name}/${index}`, parsed, `${name} does not allow this value.`, hint)
      return []
    })
  }

  #fail(name: string, code: string, message: string, hint: string): undefined {
    this.#errors.push(fieldError(`${this.#pointer}/${name}`, code, message, hint))
  }
}

interface ItemRule {
  /** Returns the code of the error for an invalid item. */
  readonly parse: (item: unknown) => number | string
  readonly hint: string
}

/** The time span in milliseconds, or the code of its error. */
function parseSpan(value: unknown, { min, max }: Range): number | string {
  if (typeof value !== 'string') return 'invalid_type'
  const ms = parseTimeSpan(value)
  if (ms === undefined) return 'invalid_format'
  return ms >= min && ms <= max ? ms : 'out_of_range'
}

const delayIn: ItemRule = {
  parse: (item) => parseSpan(item, DELAY),
  hint: `Use a list of delays from ${rangeText(DELAY)}: ["5s", "5m", "2h"].`,
}

/** 408, 425 and 429 are always retried. Three 410 responses pause the webhook. */
const NOT_IN_RETRY_ON = new Set([408, 410, 425, 429])

const statusIn: ItemRule = {
  parse: (item) =>
    typeof item === 'number' &&
    Number.isInteger(item) &&
    item >= 400 &&
    item <= 499 &&
    !NOT_IN_RETRY_ON.has(item)
      ? item
      : 'not_allowed',
  hint: 'Use statuses from 400 to 499, such as [409, 423], except 410, which can pause the webhook, and 408, 425 and 429, which are always retried.',
}

function rangeText({ min, max }: Range): string {
  return `${formatTimeSpan(min)} to ${formatTimeSpan(max)}`
}
