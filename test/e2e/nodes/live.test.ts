import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import type { RunningService } from '@hookline/testing/service/running-service'
import { LiveStream } from './live-stream.ts'
import { startNodes } from './start-nodes.ts'

/** Sends calls through each node in turn. */
async function trackEach(nodes: readonly RunningService[], ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) await nodes[index % nodes.length]!.track(id)
}

/** The messageIds of the events in the stream. */
const shownBy = ({ messages }: LiveStream): string[] =>
  messages.flatMap(({ name, data }) => (name === 'event' ? [String(data['messageId'])] : []))

test('the live tail of any node shows everything, and a reader that resumes at another node gets a gap', async () => {
  await using receiver = await openReceiver()
  const nodes = await startNodes(2)
  const [a, b] = nodes
  await a!.createDestination({ urls: [receiver.url] })
  const first = await LiveStream.open(a!)
  const early = Array.from({ length: 20 }, (_, index) => `early-${index}`)
  await trackEach(nodes, early)
  await expect.poll(() => first.messages.length).toBe(60)
  expect(shownBy(first).toSorted()).toEqual(early.toSorted())
  await first.close()
  const away = Array.from({ length: 20 }, (_, index) => `away-${index}`)
  await trackEach(nodes, away)
  const second = await LiveStream.open(a!, { lastId: first.lastId })
  await expect.poll(() => second.messages.length).toBe(60)
  expect(shownBy(second).toSorted()).toEqual(away.toSorted())
  const all = [...first.texts, ...second.texts]
  expect(all).toHaveLength(new Set(all).size)
  expect(all).not.toContain('gap')
  const third = await LiveStream.open(b!, { lastId: second.lastId })
  await expect.poll(() => third.texts).toEqual(['gap'])
  const late = Array.from({ length: 20 }, (_, index) => `late-${index}`)
  await trackEach(nodes, late)
  await expect.poll(() => third.messages.length).toBe(61)
  expect(shownBy(third).toSorted()).toEqual(late.toSorted())
})

test('the counts per second and the changes to records cover all nodes', async () => {
  const [a, b] = await startNodes(2)
  const stream = await LiveStream.open(a!, { query: '?topics=counts,changes' })
  const received = (): number =>
    stream.messages.reduce((sum, { data }) => sum + Number(data['received'] ?? 0), 0)
  let sent = 0
  // The other node counts once it has been notified of the reader.
  await expect
    .poll(async () => {
      sent += 1
      await b!.track(`m-${sent}`)
      return received()
    })
    .toBeGreaterThan(0)
  const counts = (): unknown[] =>
    stream.messages.flatMap(({ name, data }) => (name === 'counts' ? [data['received']] : []))
  await expect.poll(() => counts().slice(-2)).toEqual([0, 0])
  const before = received()
  await trackEach([b!], ['n-1', 'n-2', 'n-3'])
  await expect.poll(() => received() - before).toBe(3)
  const { id } = await b!.api.call<{ id: string }>('POST', 'sources', { name: 'Second' })
  const changes = (): unknown[] =>
    stream.messages.flatMap(({ name, data }) => (name === 'change' ? [data['id']] : []))
  await expect.poll(changes).toContain(id)
})

test('a user deleted on one node is removed from the live tail of every node', async () => {
  const [a, b] = await startNodes(2)
  const stream = await LiveStream.open(a!)
  await b!.track('m-1', { userId: 'u-deleted' })
  await expect.poll(() => shownBy(stream)).toEqual(['m-1'])
  const start = stream.messages[0]!.id.replace(/\d+$/, (number) => String(Number(number) - 1))
  const { id } = await b!.api.call<{ id: string }>('POST', 'deletions', { userIds: ['u-deleted'] })
  const isDone = async (): Promise<string> =>
    (await b!.api.call<{ state: string }>('GET', `deletions/${id}`)).state
  await expect.poll(isDone).toBe('finished')
  for (const node of [a!, b!]) {
    const late = await LiveStream.open(node, { lastId: start })
    await node.track(`after-${node.url}`, { userId: 'u2' })
    await expect.poll(() => shownBy(late)).toContain(`after-${node.url}`)
    expect(JSON.stringify(late.messages)).not.toContain('u-deleted')
  }
})
