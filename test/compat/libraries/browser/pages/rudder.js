// For both RudderStack libraries. The site serves the source config, because Hookline does not.

export async function loadWith(client, { writeKey, endpoint }) {
  client.load(writeKey, endpoint, {
    configUrl: location.origin,
    destSDKBaseURL: location.origin,
    pluginsSDKBaseURL: location.origin,
  })
  await new Promise((resolve) => client.ready(resolve))
  return client
}

export function visit(client, { anonymousId }) {
  client.reset(true)
  if (anonymousId !== undefined) client.setAnonymousId(anonymousId)
}

export function optionsOf({ anonymousId, context, integrations, timestamp }) {
  return {
    ...(anonymousId !== undefined && { anonymousId }),
    ...(context !== undefined && { context }),
    ...(integrations !== undefined && { integrations }),
    ...(timestamp !== undefined && { originalTimestamp: new Date(timestamp).toISOString() }),
  }
}
