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

/** The health of a destination as the API shows it. */
export const HealthResponse = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      url: Type.String(),
      breaker: Schema.oneOf(
        ['closed', 'open', 'half_open'],
        'closed: attempts are made. open: no attempt is made. half_open: one attempt checks whether the webhook works again.',
      ),
      brokenSince: Schema.nullable(Schema.time),
      restsUntil: Schema.nullable(Schema.time),
      retryAfterUntil: Schema.nullable(
        Schema.timeOf('Until when the receiver asked for no attempt with Retry-After.'),
      ),
      pacePerSecond: Schema.nullable(
        Type.Number({
          description:
            'How many attempts a second it gets, because its receiver responded 429, or 502 or 503 at once. Hookline learns the pace from the responses.',
        }),
      ),
      pending: Schema.integer(
        'Deliveries that wait for an attempt on it, also where another webhook has the event: GET /deliveries?waiting=true lists them.',
      ),
      held: Schema.integer('Deliveries that wait until it is resumed.'),
      oldestPendingAt: Schema.nullable(Schema.time),
    }),
  ),
  pending: Schema.integer('Deliveries that no webhook has yet.'),
  held: Schema.integer('Deliveries that wait until the destination is resumed.'),
  oldestPendingAt: Schema.nullable(Schema.time),
  oldestPendingAgeMs: Schema.nullable(Type.Integer()),
  lastHour: Type.Object({
    attempts: Type.Integer(),
    delivered: Type.Integer(),
    successRate: Schema.nullable(
      Type.Number({ description: '0 to 1; null if there was no attempt.' }),
    ),
    lastFailedAt: Schema.nullable(
      Schema.timeOf('When the last attempt failed; null if none did in the last hour.'),
    ),
  }),
  p95LatencyMs: Schema.nullable(
    Schema.integer('Of the last hour: from receipt to delivery; null if nothing was delivered.'),
  ),
})

/** The dependencies of the health of destinations. */
export interface HealthDeps {
  readonly lanes: Pick<WebhookLanes, 'states'>
  readonly upkeep: Pick<Upkeep, 'backlog'>
  readonly reports: Pick<DeliveryReports, 'waitingIn'>
  readonly recentAttempts: Pick<RecentAttempts, 'of'>
  /** Up to now, not only what is written. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly clock: Clock
}

/** The current health of the destination. */
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
  { url, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond }: WebhookState,
  { pending, held, oldestAt }: WaitingParts,
): object {
  return {
    url,
    breaker,
    brokenSince: Schema.timeOrNull(brokenSince),
    restsUntil: Schema.timeOrNull(restsUntil),
    retryAfterUntil: Schema.timeOrNull(retryAfterUntil),
    // To two digits: a pace changes with each response.
    pacePerSecond: pacePerSecond && Number(pacePerSecond.toPrecision(2)),
    pending,
    held,
    oldestPendingAt: Schema.timeOrNull(oldestAt ?? null),
  }
}
