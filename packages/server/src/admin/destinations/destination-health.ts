import type { Destination, WebhookState } from '@hookline/protocol'
import Type from 'typebox'
import type { AdminDeps } from '../api/admin-deps.ts'
import { nullable, time, timeOrNull } from '../api/schema-parts.ts'

/** How a destination fares, as the API shows it. */
export const HealthResponse = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      url: Type.String(),
      breaker: Type.Enum(['closed', 'open', 'half_open'], {
        description:
          'open: nothing is tried; half_open: one attempt tries whether it is well again.',
      }),
      brokenSince: nullable(time),
      restsUntil: nullable(time),
    }),
  ),
  pending: Type.Integer({ description: 'Deliveries that wait for another round.' }),
  held: Type.Integer({ description: 'Deliveries that wait for the end of a pause.' }),
  oldestPendingAt: nullable(time),
  oldestPendingAgeMs: nullable(Type.Integer()),
  lastHour: Type.Object({
    attempts: Type.Integer(),
    delivered: Type.Integer(),
    successRate: nullable(Type.Number({ description: '0 to 1; null without an attempt.' })),
  }),
})

/** How the destination fares now. */
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
