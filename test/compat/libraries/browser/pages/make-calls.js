/**
 * Makes the calls in the page, each as a new visitor, because browser libraries remember ids and traits.
 *
 * @param library the module of a library in this folder
 * @param print prints a line
 */
export async function makeCalls(library, settings, calls, print) {
  const client = await library.load(settings)
  for (const call of calls) {
    if (typeof client[call.type] === 'function') await makeCall(library, client, call, print)
    else await print({ lacks: call.type, id: call.id })
    if (settings.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, settings.pauseMs))
  }
}

async function makeCall(library, client, call, print) {
  await print({ made: call.id })
  const failed = (error) => print({ error: String(error?.message ?? error), id: call.id })
  try {
    await library.visit(client, call)
    const result = METHODS[call.type](client, call, library.optionsOf(call))
    result?.catch?.(failed)
  } catch (error) {
    await failed(error)
  }
}

const METHODS = {
  identify: (client, { userId, traits }, options) =>
    userId === undefined
      ? client.identify(traits, options)
      : client.identify(userId, traits, options),
  track: (client, { event, properties }, options) => client.track(event, properties, options),
  page: (client, { category, name, properties }, options) =>
    client.page(category, name, properties, options),
  screen: (client, { name, properties }, options) => client.screen(null, name, properties, options),
  group: (client, { groupId, traits }, options) => client.group(groupId, traits, options),
  alias: (client, { userId, previousId }, options) => client.alias(userId, previousId, options),
}
