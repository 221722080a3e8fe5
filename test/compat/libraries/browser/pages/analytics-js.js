// @segment/analytics.js-core with its Segment integration. It always uses https.

export async function load({ writeKey }) {
  const { analytics } = await import('/analytics-js.bundle.js')
  analytics.initialize({ 'Segment.io': { apiKey: writeKey, apiHost: `${location.host}/v1` } })
  await new Promise((resolve) => analytics.ready(resolve))
  return analytics
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
