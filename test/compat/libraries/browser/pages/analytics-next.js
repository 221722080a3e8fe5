// @segment/analytics-next as an application bundles it.

/** Settings and address of the service come from `cdnURL` alone. */
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
    // A call that leaves out all destinations leaves out its own request, too.
    ...(integrations !== undefined && { integrations: { 'Segment.io': true, ...integrations } }),
    ...(timestamp !== undefined && { timestamp: new Date(timestamp) }),
  }
}
