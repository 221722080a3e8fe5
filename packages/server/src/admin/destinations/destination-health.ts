import type { Destination, WebhookState } from '@hookline/protocol'
import Type from 'typebox'
import type { WaitingParts } from '../../backend/deliveries.ts'
import { jumpOf } from '../../util/time/clock.ts'
import { shownState } from '../deliveries/waiting.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { StatisticsPoint } from '../statistics/statistics-point.ts'
import { SPANS } from '../../backend/statistics.ts'
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
      retryAfterUntil: nullable({
        ...time,
        description: 'Until when the receiver asked for no attempt with Retry-After.',
      }),
      pacePerSecond: nullable(
        Type.Number({
          description:
            'How many attempts a second it gets, because its receiver responded 429, or 502 or 503 at once. Hookline learns the pace from the responses.',
        }),
      ),
      pending: Type.Integer({
        description:
          'Deliveries that wait for an attempt on it, also where another webhook has the event: GET /deliveries?waiting=true lists them.',
      }),
      held: Type.Integer({ description: 'Deliveries that wait until it is resumed.' }),
      oldestPendingAt: nullable(time),
    }),
  ),
  pending: Type.Integer({ description: 'Deliveries that no webhook has yet.' }),
  held: Type.Integer({ description: 'Deliveries that wait until the destination is resumed.' }),
  oldestPendingAt: nullable(time),
  oldestPendingAgeMs: nullable(Type.Integer()),
  lastHour: Type.Object({
    attempts: Type.Integer(),
    delivered: Type.Integer(),
    successRate: nullable(Type.Number({ description: '0 to 1; null if there was no attempt.' })),
    lastFailedAt: nullable({
      ...time,
      description: 'When the last attempt failed; null if none did in the last hour.',
    }),
  }),
  p95LatencyMs: nullable(
    Type.Integer({
      description: 'Of the last hour: from receipt to delivery; null if nothing was delivered.',
    }),
  ),
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
  const states = (await deps.lanes.states([id])).get(id) ?? []
  const parts = await Promise.all(
    states.map(({ url }) => deps.reports.waitingIn({ destinationId: id, url })),
  )
  const oldestAts = parts.flatMap(({ oldestAt }) => oldestAt ?? [])
  const oldest = oldestAts.length === 0 ? null : Math.min(...oldestAts)
  const jumpMs = jumpOf(deps.clock)
  const { attempts, delivered, lastFailedAt } = await deps.recentAttempts.of(id)
  return {
    webhooks: states.map((state, index) =>
      presentWebhook(shownState(state, jumpMs), parts[index]!),
    ),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: timeOrNull(oldest),
    oldestPendingAgeMs: oldest === null ? null : Math.max(0, deps.clock.wall() - oldest),
    lastHour: {
      attempts,
      delivered,
      successRate: attempts === 0 ? null : delivered / attempts,
      lastFailedAt: timeOrNull(lastFailedAt ?? null),
    },
    p95LatencyMs: await p95LatencyMs(destination, deps),
  }
}

async function p95LatencyMs(
  { id: destinationId, sourceId }: Destination,
  { statistics, clock }: AdminDeps,
): Promise<number | null> {
  const to = clock.wall() + 1
  const point = new StatisticsPoint(to)
  const range = { span: 'minute', from: to - SPANS.hour, to, sourceId, destinationId } as const
  for await (const rows of statistics.read(range)) for (const row of rows) point.add(row)
  return point.latencyMs()?.p95 ?? null
}

function presentWebhook(
  { url, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond }: WebhookState,
  { pending, held, oldestAt }: WaitingParts,
): object {
  return {
    url,
    breaker,
    brokenSince: timeOrNull(brokenSince),
    restsUntil: timeOrNull(restsUntil),
    retryAfterUntil: timeOrNull(retryAfterUntil),
    pacePerSecond: pacePerSecond === null ? null : rounded(pacePerSecond),
    pending,
    held,
    oldestPendingAt: timeOrNull(oldestAt ?? null),
  }
}

/** To two digits: a pace changes with each response. */
function rounded(perSecond: number): number {
  return Number(perSecond.toPrecision(2))
}
