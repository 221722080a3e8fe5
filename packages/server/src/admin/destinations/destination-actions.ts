import { type Destination, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { parseSharedSecret } from '../../destination-settings/webhooks/shared-secret.ts'
import type { Fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { lanesOf, requireDestination, requireMatch } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps, RecordRequest } from '../audit.ts'
import { Problem } from '../problems/problem.ts'
import {
  changeDestination,
  oneDestination,
  operations,
  respondWithDestination,
  unchangedEntry,
} from './destination.ts'

const HOUR_MS = 60 * 60 * 1000
const MAX_HOURS = LIMITS.maxSecretOverlapMs / HOUR_MS

const schemas = {
  pause: {
    ...operations.editor('pauseDestination', 'Pauses a destination: its deliveries are held'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: Schema.EmptyBody,
    response: oneDestination(200),
  },
  resume: {
    ...operations.editor('resumeDestination', 'Resumes a destination'),
    description:
      'Ends the pause of the destination and of each of its webhooks. Held deliveries become due at once, and their retry window starts again. The next attempt is made now, whatever breaker and Retry-After say.',
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: Schema.EmptyBody,
    response: oneDestination(200),
  },
  closeBreaker: {
    ...operations.editor(
      'closeBreaker',
      'Closes the breakers of a destination: the next attempts are made now',
    ),
    description:
      'Closes the breaker of each webhook and ends the pauses that receivers asked for with Retry-After. What waits is delivered one by one at first, then faster.',
    params: Schema.IdParams,
    body: Schema.EmptyBody,
    response: oneDestination(200),
  },
  rotateSecret: {
    ...operations.editor('rotateSecret', 'Replaces the shared secret, with an overlap'),
    description:
      'During the overlap, webhook-signature contains the signatures of both secrets, separated by a space. X-Signature contains only the signature of the new secret.',
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: Type.Object(
      {
        secret: Type.String({
          minLength: 1,
          maxLength: 1024,
          description: 'The new shared secret: a text of 1 to 1,024 characters.',
        }),
        overlapHours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_HOURS,
            description: `For how long requests are also signed with the old secret: 0 to ${MAX_HOURS} hours; 24 if absent.`,
          }),
        ),
      },
      Schema.strict,
    ),
    response: oneDestination(200),
  },
}

interface ActionDeps extends ChangeDeps {
  readonly lanes: Pick<WebhookLanes, 'retryNow' | 'closeBreakers'>
}

/** `/destinations/:id/pause` and `/resume`. A second request changes nothing. */
export function addPauseRoutes(app: AdminApp, deps: ActionDeps): void {
  const { clock, lanes, wake } = deps

  app.post('/destinations/:id/pause', { schema: schemas.pause }, async (request, reply) => {
    const paused = { since: clock.wall(), reason: 'operator' } as const
    const isPaused = (destination: Destination): boolean => destination.paused !== null
    const changed = await changeUnless(isPaused, request, deps, (destination) => ({
      ...destination,
      paused: destination.paused ?? paused,
    }))
    return respondWithDestination(changed, reply)
  })

  app.post('/destinations/:id/resume', { schema: schemas.resume }, async (request, reply) => {
    const changed = await changeUnless(isRunning, request, deps, resumed)
    await lanes.retryNow(lanesOf(changed))
    wake()
    return respondWithDestination(changed, reply)
  })
}

/** `/destinations/:id/close-breaker`. */
export function addCloseBreakerRoute(
  app: AdminApp,
  { catalog, audit, clock, lanes }: ActionDeps,
): void {
  app.post(
    '/destinations/:id/close-breaker',
    { schema: schemas.closeBreaker },
    async (request, reply) => {
      const destination = requireDestination(catalog, request.params.id)
      // Before the change: the backend cannot keep the breaker, which is in memory, and the entry together.
      await audit.append(unchangedEntry(request, destination, clock.wall()))
      await lanes.closeBreakers(lanesOf(destination))
      return respondWithDestination(destination, reply)
    },
  )
}

/** `/destinations/:id/rotate-secret`. A second request with the same secret changes nothing. */
export function addSecretRotationRoute(app: AdminApp, { catalog, audit, clock }: ActionDeps): void {
  app.post(
    '/destinations/:id/rotate-secret',
    { schema: schemas.rotateSecret },
    async (request, reply) => {
      const { secret, overlapHours = 24 } = request.body
      const faults: Fault[] = []
      parseSharedSecret(secret, null, faults)
      if (faults.length > 0) {
        throw new Problem('invalid_body', {
          faults: faults.map((each) => ({ ...each, pointer: '/secret' })),
        })
      }
      const now = clock.wall()
      const current = requireDestination(catalog, request.params.id)
      if (current.settings.sharedSecret === secret) {
        // Whatever If-Match has: the request may be the repetition of one whose response was lost.
        await audit.append(unchangedEntry(request, current, now))
        return respondWithDestination(current, reply)
      }
      const changed = await changeDestination(request, catalog, now, (destination) =>
        rotated(destination, secret, now + overlapHours * HOUR_MS),
      )
      return respondWithDestination(changed, reply)
    },
  )
}

/** Changes a destination unless that `isDone`. Either way there is an audit entry. */
async function changeUnless(
  isDone: (destination: Destination) => boolean,
  request: RecordRequest,
  { catalog, audit, clock }: ActionDeps,
  change: (destination: Destination) => Destination,
): Promise<Destination> {
  const current = requireDestination(catalog, request.params.id)
  requireMatch(request.headers['if-match'], current.version)
  const now = clock.wall()
  if (!isDone(current)) return changeDestination(request, catalog, now, change)
  await audit.append(unchangedEntry(request, current, now))
  return current
}

function isRunning({ paused, settings }: Destination): boolean {
  return paused === null && settings.webhooks.every((webhook) => webhook.paused === undefined)
}

function resumed(destination: Destination): Destination {
  const { settings } = destination
  const webhooks = settings.webhooks.map(({ paused: _, ...webhook }) => webhook)
  return { ...destination, paused: null, settings: { ...settings, webhooks } }
}

function rotated(destination: Destination, secret: string, until: number): Destination {
  const { previousSecret: _, ...settings } = destination.settings
  const replaced = settings.sharedSecret
  const previous = replaced === null ? {} : { previousSecret: { secret: replaced, until } }
  return { ...destination, settings: { ...settings, sharedSecret: secret, ...previous } }
}
