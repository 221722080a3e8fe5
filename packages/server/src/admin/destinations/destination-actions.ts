import {
  BUILT_IN_SOURCE_ID,
  CALL_EXAMPLES,
  type DeletionNotice,
  type Destination,
  type Event,
  formatTimestamp,
  LIMITS,
  PAYLOAD_TYPES,
  type PayloadType,
  type TestDelivery,
  type TestedWebhook,
  type Webhook,
  webhookPayload,
  type WebhooksSettings,
} from '@hookline/protocol'
import Type from 'typebox'
import { sampleAlert } from '../../alerts/alert-event.ts'
import type { AuditEntry } from '../../backend/audit.ts'
import { destinationsOf } from '../../backend/catalog.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import { withReadableTemplates } from '../../routing/url-template.ts'
import { fieldError } from '../../util/field-error.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { entityTag, lanesOf, requireDestination } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps } from '../audit.ts'
import { attemptFields, presentTimes, WebhookRequest } from '../deliveries/deliveries.ts'
import { respondWith, withResponse } from '../idempotency.ts'
import { Problem } from '../problems/problem.ts'
import {
  changeDestination,
  oneDestination,
  operations,
  presentDestination,
  respondWithDestination,
  unchangedEntry,
  withWarnings,
} from './destinations.ts'
import { transformErrors } from './routing-settings.ts'
import { secretErrors, secretWarnings } from './secrets.ts'
import { rotatedKeys } from './signing-keys.ts'
import { destinationWarnings, type WarningDeps, WarningsResponse } from './warnings.ts'

const HOUR_MS = 60 * 60 * 1000
const MAX_HOURS = LIMITS.maxSecretOverlapMs / HOUR_MS
/** The default lead and overlap of a new key or secret. Receivers may cache the public keys for an hour, so a day is ample. */
const DEFAULT_HOURS = 24

const { url: attemptUrl, id: _id, number: _n, replayId: _replayId, ...resultFields } = attemptFields

const TestedWebhookResponse = Type.Object({
  url: attemptUrl,
  /** `null` if there was nothing to send: `attempt` has the reason. */
  request: Schema.nullable(WebhookRequest),
  signature: Type.Object({
    xSignature: Schema.nullable(Schema.text('null if no secret signs the request.')),
    webhookSignature: Schema.nullable(
      Schema.text('null if neither a secret nor a key signs the request.'),
    ),
  }),
  attempt: Schema.nullable(
    Type.Object({
      ...resultFields,
      retryAfterMs: Type.Optional(Schema.integer('The delay from Retry-After.')),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      body: Type.Optional(Schema.text('The beginning of the response body.')),
    }),
  ),
})

const force = Type.Optional(
  Schema.boolean(
    'true: rotates even if the last rotation has not ended. The secret or key that it was replacing, or a new key that does not sign yet, is dropped immediately. Use it if a secret or key may have leaked.',
  ),
)

const ifMatch = { headers: Schema.IfMatchHeaders }
const action = { params: Schema.IdParams, body: Schema.EmptyBody, response: oneDestination(200) }

const schemas = {
  pause: {
    ...operations.editor('pauseDestination', 'Pauses a destination: its deliveries are held'),
    ...action,
    ...ifMatch,
  },
  resume: {
    ...operations.editor('resumeDestination', 'Resumes a destination'),
    description:
      'Ends the pauses of the destination and its webhooks. Held deliveries become due immediately, and their retry window starts again. The next attempt is made now, even if the breaker is open or Retry-After applies.',
    ...action,
    ...ifMatch,
  },
  closeBreaker: {
    ...operations.editor('closeBreaker', 'Closes the breakers of a destination'),
    description:
      'Closes the breaker of each webhook and ends the delays requested with Retry-After. The next attempts are made now: at first one at a time, then more and more in parallel.',
    ...action,
  },
  test: {
    ...operations.editor('testDestination', 'Sends a test delivery and returns the result'),
    showsUsers: true,
    description:
      'Sends a sample or an archived event to each webhook, even if the destination is disabled or paused, or its filter or sample excludes the event. A test delivery is not recorded or retried, but closes the breaker of each webhook that accepts it. The sample track event for a destination of the built-in source is an alert. An archived event has the webhook-id of its delivery; a sample has a new one.',
    params: Schema.IdParams,
    body: Schema.strictObject({
      type: Type.Optional(
        Schema.oneOf(PAYLOAD_TYPES, `A sample of this type: ${PAYLOAD_TYPES.join(', ')}.`),
      ),
      eventId: Type.Optional(Schema.text("The id of an event from the destination's source.")),
      dryRun: Type.Optional(Schema.boolean('true: only shows the requests, and sends nothing.')),
      transform: Type.Optional(
        Schema.text('With dryRun, a transform to try instead of the one in the settings.'),
      ),
    }),
    response: Schema.ok(
      'The requests and their results.',
      Type.Object({
        dryRun: Type.Boolean(),
        deliveryId: Schema.text('The webhook-id.'),
        stored: Schema.text('The stored payload.'),
        formatted: Schema.text('The payload after fields and format, before the transform.'),
        precisionLost: Type.Optional(
          Type.Array(Type.String(), {
            description: `With a transform, the paths of up to ${LIMITS.precisionLostFields} numbers in the formatted payload that JavaScript cannot represent exactly: the transform gets them as text. Absent if there are none.`,
          }),
        ),
        webhooks: Type.Array(TestedWebhookResponse),
        warnings: Type.Optional(WarningsResponse),
      }),
    ),
  },
  rotateSecret: {
    ...operations.editor('rotateSecret', 'Replaces a secret, with an overlap'),
    description:
      'During the overlap, webhook-signature contains signatures from both secrets, separated by a space. X-Signature contains only the signature from the new secret.',
    ...action,
    ...ifMatch,
    body: Schema.strictObject({
      secret: Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'The new secret: a string of 1 to 1,024 characters.',
      }),
      url: Type.Optional(
        Schema.text(
          'The URL of a webhook: the secret becomes its webhook secret. If absent, it replaces the shared secret.',
        ),
      ),
      overlapHours: hours('How long requests are signed with both secrets'),
      force,
    }),
  },
  rotateSigningKey: {
    ...operations.editor('rotateSigningKey', 'Generates the next Ed25519 key pair'),
    description:
      'The new public key is published immediately. The new key pair begins to sign after leadHours. For overlapHours from then on, the current one signs as well. If a private key may have leaked, set both to 0, and force to true.',
    ...action,
    ...ifMatch,
    body: Schema.strictObject({
      leadHours: hours('How long the new public key is published before its key pair signs'),
      overlapHours: hours('How long both keys sign'),
      force,
    }),
  },
}

function hours(description: string) {
  return Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_HOURS,
      description: `${description}: 0 to ${MAX_HOURS} hours; ${DEFAULT_HOURS} if absent.`,
    }),
  )
}

/** The content of a test delivery: an archived event, or a sample without an id. */
export interface TestContent {
  readonly id: string | null
  readonly sourceId: string
  readonly body: Uint8Array
  /** Absent for a deletion notice. */
  readonly event?: Event
}

export interface TestDeliveries {
  /** Sends the content to all webhooks of the destination. With `dryRun`, only builds the requests. */
  run(
    destination: Destination,
    content: TestContent,
    options: { readonly dryRun: boolean },
  ): Promise<TestDelivery>
}

interface ActionDeps extends ChangeDeps, WarningDeps {
  readonly lanes: Pick<WebhookLanes, 'command'>
  readonly testDeliveries: TestDeliveries
  readonly events: Pick<Events, 'find'>
  /** Precedes the paths of links in a sample alert. */
  readonly consoleUrl: string
}

/** Pause, resume, close-breaker, rotate-secret, rotate-signing-key and test. The first four are idempotent. */
export function addDestinationActions(app: AdminApp, deps: ActionDeps): void {
  addChanges(app, deps)
  addTest(app, deps)
}

function addChanges(app: AdminApp, deps: ActionDeps): void {
  const { catalog, audit, clock, lanes, wake } = deps

  app.post('/destinations/:id/pause', { schema: schemas.pause }, async (request, reply) => {
    const paused = { since: clock.wall(), reason: 'operator' } as const
    const isPaused = (destination: Destination): boolean => destination.paused !== null
    const options = { catalog, audit, now: paused.since, isDone: isPaused }
    const changed = await changeDestination(request, options, (destination) => ({
      ...destination,
      paused,
    }))
    return respondWithDestination(changed, reply)
  })

  app.post('/destinations/:id/resume', { schema: schemas.resume }, async (request, reply) => {
    const options = { catalog, audit, now: clock.wall(), isDone: isRunning }
    const changed = await changeDestination(request, options, withoutPauses)
    await lanes.command({ command: 'retryNow', webhooks: lanesOf(changed) })
    wake()
    return respondWithDestination(changed, reply)
  })

  const closing = { schema: schemas.closeBreaker }
  app.post('/destinations/:id/close-breaker', closing, async (request, reply) => {
    const destination = requireDestination(catalog, request.params.id)
    // The audit entry comes first: the breaker is in memory, so one transaction cannot cover both.
    await audit.append(unchangedEntry(request, destination, clock.wall()))
    await lanes.command({ command: 'closeBreakers', webhooks: lanesOf(destination) })
    return respondWithDestination(destination, reply)
  })

  addRotations(app, deps)
}

function addRotations(app: AdminApp, deps: ActionDeps): void {
  const { catalog, audit, clock } = deps
  const secrets = { schema: schemas.rotateSecret }
  app.post('/destinations/:id/rotate-secret', secrets, async (request, reply) => {
    const { overlapHours = DEFAULT_HOURS, force: isForced = false, ...next } = request.body
    const errors = secretErrors(next.secret, '/secret')
    if (errors.length > 0) throw new Problem('invalid_body', { errors })
    const now = clock.wall()
    const until = now + overlapHours * HOUR_MS
    const isDone = ({ settings }: Destination): boolean => isCurrent(next, settings)
    const options = { catalog, audit, now, isDone }
    const changed = await changeDestination(request, options, (destination) => {
      const { settings } = destination
      if (!isForced) requireEnd(secretOverlapEnd(settings, next), now)
      return { ...destination, settings: withNewSecret(settings, next, until) }
    })
    reply.header('etag', entityTag(changed.version))
    return withWarnings(changed, secretWarnings(changed))
  })

  const keys = { schema: schemas.rotateSigningKey }
  app.post('/destinations/:id/rotate-signing-key', keys, async (request, reply) => {
    const {
      leadHours = DEFAULT_HOURS,
      overlapHours = DEFAULT_HOURS,
      force: isForced = false,
    } = request.body
    const now = clock.wall()
    const times = { now, leadMs: leadHours * HOUR_MS, overlapMs: overlapHours * HOUR_MS }
    const response = (destination: Destination) => ({
      status: 200 as const,
      headers: { etag: entityTag(destination.version) },
      body: presentDestination(destination),
    })
    const change = (destination: Destination): Destination => {
      const { settings } = destination
      if (settings.signingKeys === undefined)
        throw new Problem('invalid_state', { detail: NO_KEYS })
      if (!isForced) requireEnd(settings.signingKeys[0]?.until, now)
      return {
        ...destination,
        settings: { ...settings, signingKeys: rotatedKeys(settings, times) },
      }
    }
    const complete = (entry: AuditEntry, next: Destination): AuditEntry =>
      withResponse(entry, response(next), request)
    const changed = await changeDestination(request, { catalog, audit, now, complete }, change)
    return respondWith(response(changed), reply)
  })
}

const NO_KEYS =
  'The destination has no signing key to replace. Set its signature to ed25519 or both: Hookline then generates the first key pair.'

/** @throws {Problem} `rotation_in_progress` if the last rotation ends after `now` */
function requireEnd(until: number | undefined, now: number): void {
  if (until === undefined || until <= now) return
  const detail = `The last rotation ends at ${formatTimestamp(until)}. Rotate again after that, or force the rotation if the secret or key may have leaked.`
  throw new Problem('rotation_in_progress', { detail })
}

function isRunning({ paused, settings }: Destination): boolean {
  return paused === null && settings.webhooks.every((webhook) => webhook.paused === undefined)
}

function withoutPauses(destination: Destination): Destination {
  const { settings } = destination
  const webhooks = settings.webhooks.map(({ paused: _, ...webhook }) => webhook)
  return { ...destination, paused: null, settings: { ...settings, webhooks } }
}

interface NewSecret {
  readonly secret: string
  /** The webhook whose secret it becomes; absent for the shared secret. */
  readonly url?: string | undefined
}

function isCurrent({ secret, url }: NewSecret, settings: WebhooksSettings): boolean {
  const current = url === undefined ? settings.sharedSecret : webhookAt(url, settings).secret
  return current === secret
}

/** The end of the current overlap for the webhooks whose requests this secret signs. */
function secretOverlapEnd(settings: WebhooksSettings, { url }: NewSecret): number | undefined {
  const webhook = url === undefined ? undefined : webhookAt(url, settings)
  return (webhook?.secret === undefined ? settings : webhook).previousSecret?.until
}

/** The settings with the new secret; the secret it replaces becomes `previousSecret`. */
function withNewSecret(
  settings: WebhooksSettings,
  { secret, url }: NewSecret,
  until: number,
): WebhooksSettings {
  const { sharedSecret, webhooks } = settings
  const previous = (before: string | null) =>
    before === null ? {} : { previousSecret: { secret: before, until } }
  if (url === undefined) {
    const { previousSecret: _, ...others } = settings
    return { ...others, sharedSecret: secret, ...previous(sharedSecret) }
  }
  const webhook = webhookAt(url, settings)
  const { previousSecret: _, ...others } = webhook
  const changed = { ...others, secret, ...previous(webhook.secret ?? sharedSecret) }
  return { ...settings, webhooks: webhooks.map((each) => (each === webhook ? changed : each)) }
}

function webhookAt(url: string, { webhooks }: WebhooksSettings): Webhook {
  const stored = withReadableTemplates(URL.parse(url)?.href ?? url)
  const match = webhooks.find((webhook) => webhook.url === stored)
  if (match !== undefined) return match
  const hint = 'Use the URL of one of its webhooks, as returned by GET /destinations/:id.'
  throw invalidBody(
    '/url',
    'unknown_webhook',
    'The destination has no webhook with this URL.',
    hint,
  )
}

function addTest(app: AdminApp, deps: ActionDeps): void {
  const { catalog, testDeliveries, audit, clock } = deps
  app.post('/destinations/:id/test', { schema: schemas.test }, async (request) => {
    const { params, body } = request
    const destination = requireDestination(catalog, params.id)
    const { dryRun = false, transform } = body
    const testedDestination =
      transform === undefined ? destination : withTransform(transform, destination, dryRun)
    const content = await requestedContent(body, destination, deps)
    // The audit entry comes first: a request cannot be undone.
    if (!dryRun) await audit.append(unchangedEntry(request, destination, clock.wall()))
    const tested = await testDeliveries.run(testedDestination, content, { dryRun })
    const { webhooks, ...shown } = tested
    const working = webhooks.filter(({ result }) => result?.outcome === 'delivered')
    const recovered = working.map(({ url }) => ({ destinationId: destination.id, url }))
    await deps.lanes.command({ command: 'closeBreakers', webhooks: recovered })
    const warnings = await destinationWarnings([destination], deps)
    return {
      dryRun,
      ...shown,
      webhooks: webhooks.map(presentTestedWebhook),
      ...(warnings.length > 0 && { warnings }),
    }
  })
}

function withTransform(transform: string, destination: Destination, dryRun: boolean): Destination {
  if (!dryRun) {
    const hint = "Set dryRun to true to preview it, or change the destination's settings."
    throw invalidBody('/transform', 'exclusive', 'transform requires dryRun.', hint)
  }
  const errors = transformErrors(transform, '/transform')
  if (errors.length > 0) throw new Problem('invalid_body', { errors })
  return { ...destination, settings: { ...destination.settings, transform } }
}

async function requestedContent(
  { type, eventId }: { readonly type?: PayloadType; readonly eventId?: string },
  { id, sourceId }: Destination,
  { events, catalog, clock, consoleUrl }: ActionDeps,
): Promise<TestContent> {
  if ((type === undefined) === (eventId === undefined)) {
    const hint = 'Specify either type, for a sample, or eventId, for an archived event.'
    const code = type === undefined ? 'required' : 'exclusive'
    throw invalidBody('/type', code, 'Exactly one of type and eventId is required.', hint)
  }
  if (type !== undefined) {
    const isAlert = sourceId === BUILT_IN_SOURCE_ID && type === 'track'
    const now = clock.wall()
    const sample = isAlert ? sampleAlert(now, consoleUrl) : sampleOf(type, formatTimestamp(now))
    const content = { id: null, sourceId, body: Buffer.from(webhookPayload(sample)) }
    return sample.type === 'delete' ? content : { ...content, event: sample }
  }
  const event = await events.find(eventId!)
  const isReceived = event && destinationsOf(event, catalog.current).some((each) => each.id === id)
  if (isReceived) return event
  const hint = "Use the id of an event from the destination's source."
  throw invalidBody('/eventId', 'unknown_event', 'Event not found in this source.', hint)
}

function invalidBody(...args: Parameters<typeof fieldError>): Problem {
  return new Problem('invalid_body', { errors: [fieldError(...args)] })
}

function presentTestedWebhook({ url, request, result }: TestedWebhook): object {
  const attempt = result && { ...result, ...presentTimes(result) }
  const signature = {
    xSignature: request?.headers['X-Signature'] ?? null,
    webhookSignature: request?.headers['webhook-signature'] ?? null,
  }
  return { url, request, signature, attempt }
}

function sampleOf(type: PayloadType, timestamp: string): Event | DeletionNotice {
  const stamped = { userId: 'sample-user', timestamp, receivedAt: timestamp }
  if (type === 'delete') return { type, ...stamped }
  const ids = { messageId: `sample-${type}`, anonymousId: 'sample-visitor' }
  return { type, context: {}, ...CALL_EXAMPLES[type], ...ids, ...stamped }
}
