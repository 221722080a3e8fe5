import {
  BUILT_IN_SOURCE_ID,
  type Destination,
  isMailUrl,
  type JsonObject,
} from '@hookline/protocol'
import Type from 'typebox'
import {
  CHANNEL_FORMAT_NAMES,
  CHANNEL_FORMATS,
  type ChannelFormat,
  type ChannelFormatName,
  formatOf,
} from '../alerts/channels.ts'
import { heldBackIn } from '../alerts/alert-states.ts'
import { CONDITIONS, SEVERITIES } from '../alerts/conditions.ts'
import type { AlertStates } from '../backend/alert-states.ts'
import type { Deliveries } from '../backend/deliveries.ts'
import { type FieldError, fieldError } from '../util/field-error.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import type { ChangeDeps } from './audit.ts'
import { createDestination, oneDestination } from './destinations/destinations.ts'
import { parseWebhooksSettings, type SettingsRules } from './destinations/settings.ts'
import type { WarningDeps } from './destinations/warnings.ts'
import { respondWith } from './idempotency.ts'
import { Problem } from './problems/problem.ts'

const format = Schema.oneOf(CHANNEL_FORMAT_NAMES, `One of ${CHANNEL_FORMAT_NAMES.join(', ')}.`)

const AlertsResponse = Type.Object({
  sourceId: Schema.text('The id of the built-in source, which is created with the first channel.'),
  conditions: Type.Array(
    Type.Object({
      condition: Type.String(),
      events: Schema.orNull(
        Type.Object({
          start: Type.String(),
          end: Type.Optional(Schema.text('Absent if no alert is sent when the condition ends.')),
        }),
        'The names of the events; null if no alert is sent.',
      ),
      severity: Schema.oneOf([...SEVERITIES], 'See GET /problems.'),
      threshold: Schema.text('When the condition applies.'),
      meaning: Type.String(),
      remedy: Type.String(),
    }),
    { description: 'Worst first.' },
  ),
  channels: Type.Array(
    Type.Object({
      destinationId: Type.String(),
      name: Type.String(),
      format,
      host: Schema.text('The host of its first webhook.'),
      enabled: Type.Boolean(),
      lastDeliveredAt: Schema.nullable(Schema.time),
    }),
    { description: 'The destinations of the built-in source.' },
  ),
  heldBack: Schema.integer('The number of alerts held back by the hourly limits.'),
})

const { viewer, editor } = Schema.operationsTagged('Alerts')

const schemas = {
  get: {
    ...viewer('getAlerts', 'Shows alert conditions and channels'),
    response: Schema.ok('The conditions, worst first, and the channels.', AlertsResponse),
  },
  add: {
    ...editor('addAlertChannel', 'Creates a destination that receives alerts'),
    description:
      'Creates and enables an ordinary destination for the built-in source, with the transform for the format. Change, test and delete it like any other destination.',
    body: Schema.strictObject({
      url: Schema.text(
        'The webhook URL of the service that receives the alerts. For email, the mail server and the recipients: smtps://user:password@mail.example.com/?to=ops@example.com. The password is stored as a secret, and removed from the URL.',
      ),
      format,
      name: Type.Optional(Schema.name),
      headers: Type.Optional(
        Type.Unsafe<JsonObject>({ ...Schema.anyObject, description: 'Static headers.' }),
      ),
      key: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The key for pagerduty (X-Routing-Key), opsgenie (GenieKey) or webhook (Bearer), which becomes a static header; or the password for email.',
        }),
      ),
    }),
    response: oneDestination(201),
  },
}

interface AlertDeps extends WarningDeps, SettingsRules, Pick<ChangeDeps, 'catalog' | 'clock'> {
  readonly alertStates: Pick<AlertStates, 'all'>
  readonly deliveries: Pick<Deliveries, 'list'>
}

/** `/alerts`: the conditions, and the destinations that receive alert events. */
export function addAlertRoutes(app: AdminApp, deps: AlertDeps): void {
  const { catalog, alertStates, deliveries, clock } = deps
  const conditions = Object.entries(CONDITIONS).map(([condition, each]) => ({ condition, ...each }))

  app.get('/alerts', { schema: schemas.get }, async () => {
    const destinations = catalog.current.destinationsBySource.get(BUILT_IN_SOURCE_ID) ?? []
    return {
      sourceId: BUILT_IN_SOURCE_ID,
      conditions,
      channels: await Promise.all(destinations.map((each) => presentChannel(each, deliveries))),
      heldBack: heldBackIn(await alertStates.all(), clock.wall()),
    }
  })

  app.post('/alerts/channels', { schema: schemas.add }, async (request, reply) => {
    const fields = {
      sourceId: BUILT_IN_SOURCE_ID,
      type: 'Webhooks',
      name: request.body.name ?? `Alerts (${request.body.format})`,
      enabled: true,
      settings: channelSettings(request.body, deps),
    } as const
    const created = await createDestination(request, fields, { ...deps, prefix: app.prefix })
    return respondWith(created, reply)
  })
}

interface ChannelRequest {
  readonly url: string
  readonly format: ChannelFormatName
  readonly headers?: JsonObject
  readonly key?: string
}

/** The settings of a channel's destination. @throws {Problem} `invalid_body` */
function channelSettings(
  { url, format: name, headers = {}, key }: ChannelRequest,
  rules: SettingsRules,
): Destination['settings'] {
  const chosen: ChannelFormat = CHANNEL_FORMATS[name]
  const errors = [...keyErrors(chosen, key), ...schemeErrors(chosen, url)]
  const own =
    key === undefined || chosen.isMail
      ? {}
      : { [chosen.key?.header ?? '']: `${chosen.key?.prefix}${key}` }
  const target = chosen.isMail ? mailTarget(url, key) : { url }
  const webhooks = [target, ...secondTargets(chosen, url)]
  const input = {
    webhooks: webhooks.map((each) => ({ ...each, headers: { ...headers, ...own } })),
    successPolicy: 'each',
    ...(chosen.transform !== undefined && { transform: chosen.transform }),
  }
  const parsed = errors.length > 0 ? { errors } : parseWebhooksSettings(input, undefined, rules)
  if ('settings' in parsed) return parsed.settings
  // The second webhook has nearly the same URL, so most errors would be reported twice.
  const errorsByText = parsed.errors.map((each): [string, FieldError] => {
    const pointer = each.pointer.replace(/^\/webhooks\/[01]/, '')
    return [`${pointer} ${each.code}`, { ...each, pointer }]
  })
  throw new Problem('invalid_body', { errors: [...new Map(errorsByText).values()] })
}

/** The webhook that closes alerts, if the format has one. */
function secondTargets({ endUrl }: ChannelFormat, text: string): { readonly url: string }[] {
  const url = URL.parse(text)
  return endUrl === undefined || url === null ? [] : [{ url: endUrl(url) }]
}

function keyErrors(
  { key: header, isMail }: ChannelFormat,
  key: string | undefined,
): readonly FieldError[] {
  if (key === undefined || header !== undefined || isMail) return []
  const hint = 'Omit it: the URL of this service contains the credential.'
  return [fieldError('/key', 'not_allowed', 'This format does not use a key.', hint)]
}

function schemeErrors({ isMail }: ChannelFormat, url: string): readonly FieldError[] {
  if ((isMail ?? false) === isMailUrl(url)) return []
  const hint = isMail
    ? 'Use a URL like smtps://user:password@mail.example.com/?to=ops@example.com.'
    : 'Start the URL with https:// or http://, or use the format email.'
  return [fieldError('/url', 'scheme_not_allowed', 'Wrong URL scheme for this format.', hint)]
}

/** Mail servers often respond more slowly than webhooks. */
const MAIL_LIMITS = { timeout: '30s' }

/** The URL without its user and password, which become secrets of the webhook. */
function mailTarget(text: string, key: string | undefined): object {
  const limits = MAIL_LIMITS
  const url = URL.parse(text)
  if (url === null) return { url: text, limits }
  const user = decodePassword(url.username)
  const password = key ?? decodePassword(url.password)
  url.username = ''
  url.password = ''
  const hasLogin = user !== '' || password !== ''
  return { url: url.href, limits, ...(hasLogin && { auth: { basic: { user, password } } }) }
}

/** A password may contain a % that is not encoded. */
function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function presentChannel(
  { id: destinationId, name, enabled, settings }: Destination,
  deliveries: AlertDeps['deliveries'],
): Promise<object> {
  const filter = { destinationId, state: 'delivered' } as const
  const [last] = (await deliveries.list(filter, { limit: 1 })).data
  const at = last?.attempts.at(-1)?.startedAt ?? null
  return {
    destinationId,
    name,
    format: formatOf(settings.transform),
    host: new URL(settings.webhooks[0]!.url).host,
    enabled,
    lastDeliveredAt: Schema.timeOrNull(at),
  }
}
