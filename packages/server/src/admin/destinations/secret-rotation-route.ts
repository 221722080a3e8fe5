import { type Destination, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { parseSharedSecret } from '../../destinations/webhooks/shared-secret.ts'
import type { Fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { destinationOf } from '../api/catalog-record.ts'
import { presentDestination } from './destination-schema.ts'
import { entityTag } from '../api/entity-tag.ts'
import { Problem } from '../problems/problem.ts'
import { shared, versioned } from '../problems/responses.ts'
import { revise } from '../api/revise.ts'
import { IdInPath, IfMatch } from '../api/schema.ts'

const HOUR_MS = 60 * 60 * 1000
const MOST_HOURS = LIMITS.maxSecretOverlapMs / HOUR_MS

const SCHEMA = {
  tags: ['Destinations'],
  operationId: 'rotateSecret',
  summary: 'Replaces the shared secret, with a time of change',
  description:
    'During the overlap webhook-signature carries the signatures of both secrets, separated by a space; X-Signature has room for the new one alone.',
  params: IdInPath,
  headers: IfMatch,
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
          maximum: MOST_HOURS,
          description: `How long the old one signs as well: 0 to ${MOST_HOURS} hours; 24 if absent.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: versioned(200, 'The destination, without its secrets.', shared('Destination')),
}

/** `/destinations/:id/rotate-secret`. Sent twice with the same secret, it changes nothing the second time. */
export function addSecretRotationRoute(app: AdminApp, { catalog, clock }: AdminDeps): void {
  app.post('/destinations/:id/rotate-secret', { schema: SCHEMA }, async (request, reply) => {
    const { secret, overlapHours = 24 } = request.body
    const faults: Fault[] = []
    parseSharedSecret(secret, null, faults)
    if (faults.length > 0) {
      throw new Problem('invalid_body', {
        faults: faults.map((each) => ({ ...each, pointer: '/secret' })),
      })
    }
    const read = (): Destination => destinationOf(catalog, request.params.id)
    const now = clock.now()
    const changed =
      read().settings.sharedSecret === secret
        ? read()
        : await revise<Destination>({
            read,
            change: (destination) => rotated(destination, secret, now + overlapHours * HOUR_MS),
            put: (destination) => catalog.putDestination(destination),
            now,
            ifMatch: request.headers['if-match'],
          })
    reply.header('etag', entityTag(changed.version))
    return presentDestination(changed)
  })
}

function rotated(destination: Destination, secret: string, until: number): Destination {
  const { previousSecret: _, ...settings } = destination.settings
  const replaced = settings.sharedSecret
  const previous = replaced === null ? {} : { previousSecret: { secret: replaced, until } }
  return { ...destination, settings: { ...settings, sharedSecret: secret, ...previous } }
}
