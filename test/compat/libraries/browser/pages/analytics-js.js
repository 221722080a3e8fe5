// @segment/analytics.js-core with its integration of Segment. It always uses https.

import { analytics } from '/analytics-js.bundle.js'

export function load({ writeKey }) {
  analytics.initialize({ 'Segment.io': { apiKey: writeKey, apiHost: `${location.host}/v1` } })
  return new Promise((resolve) => analytics.ready(() => resolve(analytics)))
}

export function visit(client, { userId, type }) {
  client.reset()
  if (userId !== undefined && type !== 'identify' && type !== 'alias') client.user().id(userId)
}

export function optionsOf({ anonymousId, context, integrations, timestamp }) {
  return {
    ...(anonymousId !== undefined && { anonymousId }),
    ...(context !== undefined && { context }),
    ...(integrations !== undefined && { integrations: { 'Segment.io': true, ...integrations } }),
    ...(timestamp !== undefined && { timestamp: new Date(timestamp) }),
  }
}
