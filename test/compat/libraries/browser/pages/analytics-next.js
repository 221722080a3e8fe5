// @segment/analytics-next from its package.

/** The settings and the service's address both come from `cdnURL`. */
export async function load({ writeKey, endpoint, batch }) {
  await import('/node_modules/@segment/analytics-next/dist/umd/index.js')
  const [client] = await window.AnalyticsNext.AnalyticsBrowser.load(
    { writeKey, cdnURL: endpoint },
    { integrations: { 'Segment.io': { deliveryStrategy: deliveryStrategy(batch) } } },
  )
  return client
}

function deliveryStrategy(batch) {
  return batch === 1 ? undefined : { strategy: 'batching', config: { size: batch, timeout: 500 } }
}

export async function visit(client) {
  await client.reset()
}

export function optionsOf({ userId, anonymousId, context, integrations, timestamp }) {
  return {
    ...(userId !== undefined && { userId }),
    ...(anonymousId !== undefined && { anonymousId }),
    ...(context !== undefined && { context }),
    // Without this, `All: false` would also disable the request to the service.
    ...(integrations !== undefined && { integrations: { 'Segment.io': true, ...integrations } }),
    ...(timestamp !== undefined && { timestamp: new Date(timestamp) }),
  }
}
