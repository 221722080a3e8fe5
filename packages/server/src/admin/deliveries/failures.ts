import { DELIVERY_CLASSES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { DeliveryReports, FailureGroup } from '../../backend/deliveries.ts'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'

const FailureResponse = Type.Object({
  destinationId: Type.String(),
  class: Schema.text(
    'The class of the last attempt; not_attempted or quarantined if the delivery ended without one. docs/reference/errors.md explains each.',
  ),
  status: Schema.nullable(Schema.integer('null if there was no response.')),
  count: Schema.integer('The number of undelivered deliveries that failed in this way.'),
  firstSeenAt: Schema.timeOf('When the event of the oldest of these deliveries was received.'),
  lastSeenAt: Schema.timeOf(
    'When the last attempt was made, or the last of them came into quarantine. For not_attempted: when the last of them became due.',
  ),
  sampleDeliveryId: Schema.text(
    'The newest of these deliveries whose response is kept; the newest one where none is.',
  ),
  lastError: Schema.nullable(
    Schema.text(
      'What went wrong in its last attempt, or why it is in quarantine, as text; null if none was kept.',
    ),
  ),
  meaning: Schema.text('What the class means.'),
  remedy: Schema.text('What to do about it.'),
})

const schema = {
  ...Schema.operationsTagged('Deliveries').viewer(
    'listFailures',
    'Groups failed deliveries by destination, class and status',
  ),
  isLongRead: true,
  description:
    'Counts deliveries that are not delivered, by the last attempt on each webhook. A webhook whose retry window ended before its first attempt counts as not_attempted, and a delivery in quarantine as quarantined. The largest group comes first.',
  querystring: Type.Object(
    {
      destinationId: Type.Optional(Schema.text('Only failures of this destination.')),
    },
    Schema.strict,
  ),
  response: Schema.ok(
    'The groups.',
    Type.Object({
      data: Type.Array(FailureResponse),
      isComplete: Schema.boolean(
        'false if a destination has so many that only its newest 2,000 were counted.',
      ),
    }),
  ),
}

interface FailureDeps {
  readonly reports: Pick<DeliveryReports, 'failures'>
}

/** `/deliveries/failures`: why deliveries fail, and what to do about it. */
export function addFailureRoute(app: AdminApp, { reports }: FailureDeps): void {
  app.get('/deliveries/failures', { schema }, async ({ query }) => {
    const { groups, isComplete } = await reports.failures(query)
    return { data: groups.map(presentFailure), isComplete }
  })
}

function presentFailure(group: FailureGroup): object {
  const { meaning, help } = DELIVERY_CLASSES[group.class]
  return {
    ...group,
    firstSeenAt: formatTimestamp(group.firstSeenAt),
    lastSeenAt: formatTimestamp(group.lastSeenAt),
    meaning,
    remedy: help,
  }
}
