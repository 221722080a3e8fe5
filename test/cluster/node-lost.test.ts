import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { Cluster } from './cluster.ts'

interface Alert {
  readonly event: string
  readonly userId: string
  readonly properties: { readonly state: string; readonly title: string }
}

interface System {
  readonly nodes: readonly { readonly id: string; readonly isSelf: boolean }[]
}

/** Enough for two missed checks of the lease, ten seconds of missed heartbeats, and the next check. */
const SOON = { timeout: 60_000 }

test('a killed node raises one alert, even if it was the node that sends alerts; a suspended node recovers once', async () => {
  await using channel = await openReceiver()
  await using cluster = await Cluster.open({ nodes: 3, natsServers: 1 })
  const [killed, suspended, other] = cluster.nodes
  const idOf = async (node: typeof killed): Promise<string> => {
    const { nodes } = await cluster.apiOf(node!).call<System>('GET', 'system')
    return nodes.find(({ isSelf }) => isSelf)!.id
  }
  const ids = [await idOf(killed), await idOf(suspended)] as const
  await cluster
    .apiOf(other!)
    .call('POST', 'alerts/channels', { url: channel.url, format: 'webhook' })
  const alertsOf = (id: string) =>
    channel.requests
      .map(({ body }) => JSON.parse(body.toString()) as Alert)
      .filter(({ userId }) => userId === id)
      .map(({ event, properties: { state } }) => [event, state])
  await killed!.kill()
  const lost = ['Node Lost', 'started']
  await expect.poll(() => alertsOf(ids[0]), SOON).toEqual([lost])
  suspended!.signal('SIGSTOP')
  await expect.poll(() => alertsOf(ids[1]), SOON).toEqual([lost])
  suspended!.signal('SIGCONT')
  await expect.poll(() => alertsOf(ids[1]), SOON).toEqual([lost, ['Node Lost', 'ended']])
  expect(alertsOf(ids[0])).toEqual([lost])
})
