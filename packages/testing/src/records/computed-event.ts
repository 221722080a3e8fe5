import type { AcceptedEvent, Origin } from '@hookline/protocol'
import { acceptedEvent as acceptEvent } from '../../../server/src/backend/accepted-event.ts'
import { acceptedEvent } from './accepted-event.ts'

/** An identify that announces a change in the audience `aud_a` to these destinations, by default `dst_a`. */
export function computedEvent(
  destinationIds: Origin['destinationIds'] = ['dst_a'],
  overrides: Parameters<typeof acceptedEvent>[0] = {},
): AcceptedEvent {
  const { id, sourceId, warnings, event } = acceptedEvent({
    sourceId: 'aud_a',
    type: 'identify',
    ...overrides,
  })
  const { event: _name, properties: _properties, ...call } = event
  return acceptEvent({
    id,
    sourceId,
    warnings,
    event: { ...call, traits: { big_spenders: true } },
    origin: { computationId: 'aud_a', destinationIds },
  })
}
