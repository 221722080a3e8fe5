import type { Destination, WebhookState } from '@hookline/protocol'
import Type from 'typebox'
import type { AdminDeps } from '../api/admin-deps.ts'
import { nullable, time, timeOrNull } from '../api/schema-parts.ts'

/** The health of a destination as the API shows it. */
export const HealthResponse = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      url: Type.String(),
      breaker: Type.Enum(['closed', 'open', 'half_open'], {
        description:
          'closed: attempts are made. open: no attempt is made. half_open: one attempt checks whether the webhook works again.',
      }),
      brokenSince: nullable(time),
      restsUntil: nullable(time),
    }),
  ),
  pending: Type.Integer({ description: 'Deliveries that wait for their next round.' }),
  held: Type.Integer({ description: 'Deliveries that wait until the destination is resumed.' }),
  oldestPendingAt: nullable(time),
  oldestPendingAgeMs: nullable(Type.Integer()),
  lastHour: Type.Object({
    attempts: Type.Integer(),
    delivered: Type.Integer(),
    successRate: nullable(Type.Number({ description: '0 to 1; null if there was no attempt.' })),
  }),
})

/** The current health of the destination. */
export async function readDestinationHealth(
  destination: Destination,
  deps: AdminDeps,
): Promise<object> {
  const { id } = destination
  const { waiting } = await deps.upkeep.backlog()
  const count = (state: 'pending' | 'held'): number =>
    waiting.find((each) => each.destinationId === id && each.state === state)?.count ?? 0
  const oldest = (await deps.reports.oldestPendingAt(id)) ?? null
  const { attempts, delivered } = deps.destinationHealth.lastHour(id)
  return {
    webhooks: deps.destinationHealth.webhooks(destination).map(presentWebhook),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: timeOrNull(oldest),
    oldestPendingAgeMs: oldest === null ? null : Math.max(0, deps.clock.now() - oldest),
    lastHour: { attempts, delivered, successRate: attempts === 0 ? null : delivered / attempts },
  }
}

function presentWebhook({ brokenSince, restsUntil, ...rest }: WebhookState): object {
  return { ...rest, brokenSince: timeOrNull(brokenSince), restsUntil: timeOrNull(restsUntil) }
}
