import type { Destination, WebhookState } from '@hookline/protocol'
import Type from 'typebox'
import type { RecentAttempts } from '../../activity/recent-attempts.ts'
import type { DeliveryReports, WaitingParts, WebhookLanes } from '../../backend/deliveries.ts'
import { SPANS, type Statistics } from '../../backend/statistics.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import { type Clock, jumpOf } from '../../util/time/clock.ts'
import * as Schema from '../api/schema.ts'
import { shownState } from '../deliveries/waiting.ts'
import { StatisticsPoint } from '../statistics.ts'

export const HealthResponse = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      url: Type.String(),
      breaker: Schema.oneOf(
        ['closed', 'open', 'half_open'],
        'closed: attempts are made. open: no attempt is made. half_open: single attempts probe whether the webhook has recovered.',
      ),
      brokenSince: Schema.nullable(Schema.time),
      openUntil: Schema.nullable(Schema.time),
      retryAfterUntil: Schema.nullable(
        Schema.timeOf(
          'The end of the delay that the receiver requested with Retry-After, or that follows a failed request for an access token.',
        ),
      ),
      pacePerSecond: Schema.nullable(
        Schema.number('The current limit on attempts per second, after 429, 502 or 503 responses.'),
      ),
      pending: Schema.integer('Pending deliveries: see GET /deliveries?waiting=true.'),
      held: Schema.integer('Deliveries held until the destination is resumed.'),
      oldestPendingAt: Schema.nullable(Schema.time),
    }),
  ),
  pending: Schema.integer('Deliveries in the state pending.'),
  held: Schema.integer('Deliveries held until the destination is resumed.'),
  oldestPendingAt: Schema.nullable(Schema.time),
  oldestPendingAgeMs: Schema.nullable(Type.Integer()),
  lastHour: Type.Object({
    attempts: Type.Integer(),
    delivered: Type.Integer(),
    successRate: Schema.nullable(Schema.number('0 to 1; null without attempts.')),
    lastFailedAt: Schema.nullable(Schema.timeOf('When the last failed attempt was made.')),
  }),
  p95LatencyMs: Schema.nullable(Schema.integer('From receipt to delivery, in the last hour.')),
})

export interface HealthDeps {
  readonly lanes: Pick<WebhookLanes, 'states'>
  readonly upkeep: Pick<Upkeep, 'backlog'>
  readonly reports: Pick<DeliveryReports, 'waitingIn'>
  readonly recentAttempts: Pick<RecentAttempts, 'of'>
  /** Includes unwritten counts. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly clock: Clock
}

export async function readDestinationHealth(
  destination: Destination,
  deps: HealthDeps,
): Promise<object> {
  const { id } = destination
  const { waiting } = await deps.upkeep.backlog()
  const count = (state: 'pending' | 'held'): number =>
    waiting.find((each) => each.destinationId === id && each.state === state)?.count ?? 0
  const states = (await deps.lanes.states([id])).get(id) ?? []
  const parts = await Promise.all(
    states.map(({ url }) => deps.reports.waitingIn({ destinationId: id, url })),
  )
  const oldestTimes = parts.flatMap(({ oldestAt }) => oldestAt ?? [])
  const oldest = oldestTimes.length === 0 ? null : Math.min(...oldestTimes)
  const jumpMs = jumpOf(deps.clock)
  const { attempts, delivered, lastFailedAt } = await deps.recentAttempts.of(id)
  return {
    webhooks: states.map((state, index) =>
      presentWebhook(shownState(state, jumpMs), parts[index]!),
    ),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: Schema.timeOrNull(oldest),
    oldestPendingAgeMs: oldest === null ? null : Math.max(0, deps.clock.wall() - oldest),
    lastHour: {
      attempts,
      delivered,
      successRate: attempts === 0 ? null : delivered / attempts,
      lastFailedAt: Schema.timeOrNull(lastFailedAt ?? null),
    },
    p95LatencyMs: await p95LatencyMs(destination, deps),
  }
}

async function p95LatencyMs(
  { id: destinationId, sourceId }: Destination,
  { statistics, clock }: HealthDeps,
): Promise<number | null> {
  const to = clock.wall() + 1
  const point = new StatisticsPoint(to)
  const range = { span: 'minute', from: to - SPANS.hour, to, sourceId, destinationId } as const
  for await (const rows of statistics.read(range)) for (const row of rows) point.add(row)
  return point.latencyMs()?.p95 ?? null
}

function presentWebhook(
  { url, breaker, pacePerSecond, ...times }: WebhookState,
  { pending, held, oldestAt }: WaitingParts,
): object {
  return {
    url,
    breaker,
    brokenSince: Schema.timeOrNull(times.brokenSince),
    openUntil: Schema.timeOrNull(times.openUntil),
    retryAfterUntil: Schema.timeOrNull(times.retryAfterUntil),
    // Two digits, because the pace changes with each response.
    pacePerSecond: pacePerSecond && Number(pacePerSecond.toPrecision(2)),
    pending,
    held,
    oldestPendingAt: Schema.timeOrNull(oldestAt ?? null),
  }
}
