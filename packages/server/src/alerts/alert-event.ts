import {
  type AcceptedEvent,
  BUILT_IN_SOURCE_ID,
  type Event,
  formatTimestamp,
  type JsonObject,
  newId,
  type Source,
} from '@hookline/protocol'
import { acceptedEvent } from '../backend/accepted-event.ts'

/**
 * The built-in source. It has no write key, so no client can use it. It has its own space, so that alerts never change users'
 * profiles.
 */
export function builtInSource(now: number): Source {
  const name = 'hookline'
  const dates = { createdAt: now, updatedAt: now, version: 1 }
  return {
    id: BUILT_IN_SOURCE_ID,
    name,
    enabled: true,
    rateLimit: null,
    writeKeys: [],
    space: name,
    ...dates,
  }
}

/** An alert: a track call about the subject with the id `userId`. */
export interface Alert {
  readonly messageId: string
  readonly event: string
  readonly userId: string
  readonly properties: JsonObject
  /** Which channels get it; absent for all. */
  readonly integrations?: JsonObject
  /** When the state changed, in milliseconds since the epoch. */
  readonly at: number
}

/** The alert as an event from the built-in source, received at `now`. */
export function alertEvent(alert: Alert, now: number): AcceptedEvent {
  return acceptedEvent({
    id: newId('evt', now),
    sourceId: BUILT_IN_SOURCE_ID,
    event: trackCall(alert, now),
    warnings: [],
  })
}

function trackCall(alert: Alert, now: number): Event {
  const { messageId, event, userId, properties, integrations, at } = alert
  return {
    type: 'track',
    messageId,
    userId,
    event,
    properties,
    context: { library: { name: 'hookline' } },
    ...(integrations && { integrations }),
    timestamp: formatTimestamp(at),
    receivedAt: formatTimestamp(now),
  }
}

/** The event in a test delivery to a channel. Its link begins with `consoleUrl`. */
export function sampleAlert(now: number, consoleUrl: string): Event {
  const properties = {
    key: 'webhook_failing destination dst_sample',
    condition: 'webhook_failing',
    severity: 'failing',
    state: 'started',
    name: 'Sample',
    host: 'example.com',
    class: 'http_5xx',
    count: 3,
    since: formatTimestamp(now),
    title: 'Sample (example.com): This is a test alert. Nothing is wrong.',
    remedy: 'No action is needed.',
    link: `${consoleUrl}/alerts`,
    heldBack: 0,
  }
  const sample = { event: 'Webhook Failing', userId: 'dst_sample', properties, at: now }
  return trackCall({ messageId: 'sample-track', ...sample }, now)
}
