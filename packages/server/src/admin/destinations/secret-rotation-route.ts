import { type Destination, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { parseSharedSecret } from '../../destination-settings/webhooks/shared-secret.ts'
import type { Fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { requireDestination } from '../api/catalog-records.ts'
import { presentDestination } from './destination-schema.ts'
import { entityTag } from '../api/catalog-records.ts'
import { Problem } from '../problems/problem.ts'
import { componentSchema, versionedResponses } from '../problems/responses.ts'
import { changeRecord } from '../api/catalog-records.ts'
import { IdParams, IfMatchHeaders } from '../api/schema-parts.ts'

const HOUR_MS = 60 * 60 * 1000
const MAX_HOURS = LIMITS.maxSecretOverlapMs / HOUR_MS

const secretRotationSchema = {
  tags: ['Destinations'],
  operationId: 'rotateSecret',
  summary: 'Replaces the shared secret, with an overlap',
  description:
    'During the overlap, webhook-signature contains the signatures of both secrets, separated by a space. X-Signature contains only the signature of the new secret.',
  params: IdParams,
  headers: IfMatchHeaders,
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
    { additionalProperties: false },
  ),
  response: versionedResponses(
    200,
    'The destination, without its secrets.',
    componentSchema('Destination'),
  ),
}

/** `/destinations/:id/rotate-secret`. A second request with the same secret changes nothing. */
export function addSecretRotationRoute(app: AdminApp, { catalog, audit, clock }: AdminDeps): void {
  app.post(
    '/destinations/:id/rotate-secret',
    { schema: secretRotationSchema },
    async (request, reply) => {
      const { secret, overlapHours = 24 } = request.body
      const faults: Fault[] = []
      parseSharedSecret(secret, null, faults)
      if (faults.length > 0) {
        throw new Problem('invalid_body', {
          faults: faults.map((each) => ({ ...each, pointer: '/secret' })),
        })
      }
      const read = (): Destination => requireDestination(catalog, request.params.id)
      const now = clock.wall()
      const current = read()
      if (current.settings.sharedSecret === secret) {
        await audit.append(recordEntry(request, now, [current, current], presentDestination))
        reply.header('etag', entityTag(current.version))
        return presentDestination(current)
      }
      const changed = await changeRecord<Destination>({
        read,
        change: (destination) => rotated(destination, secret, now + overlapHours * HOUR_MS),
        put: (next, previous) =>
          catalog.putDestination(
            next,
            recordEntry(request, next.updatedAt, [previous, next], presentDestination),
          ),
        now,
        ifMatch: request.headers['if-match'],
      })
      reply.header('etag', entityTag(changed.version))
      return presentDestination(changed)
    },
  )
}

function rotated(destination: Destination, secret: string, until: number): Destination {
  const { previousSecret: _, ...settings } = destination.settings
  const replaced = settings.sharedSecret
  const previous = replaced === null ? {} : { previousSecret: { secret: replaced, until } }
  return { ...destination, settings: { ...settings, sharedSecret: secret, ...previous } }
}
