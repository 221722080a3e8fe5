import type { AcceptedEvent } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../../src/backend/backend.ts'
import { blockOf } from '../../../../src/backend/embedded/log/event-block.ts'
import type { Writer } from '../../../../src/backend/embedded/writer.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

const append = (writer: Writer, ...events: readonly AcceptedEvent[]) =>
  writer.run('appendEvents', blockOf(events))

/** The first events that the consumer gets. */
async function handedOut({ log }: OpenLog, count: number): Promise<readonly AcceptedEvent[]> {
  const stop = new AbortController()
  const events: AcceptedEvent[] = []
  for await (const entries of log.consume({ signal: stop.signal })) {
    events.push(...entries.flatMap((entry) => entry.events))
    if (events.length >= count) stop.abort()
  }
  return events
}

test('events appended by several threads are handed out in the order of their numbers, with the same bytes', async () => {
  await using open = new OpenLog()
  const others = [open.connect(), open.connect()]
  const events = Array.from({ length: 300 }, (_, index) => acceptedEvent({ userId: `u${index}` }))
  const appends = events.map((event, index) => {
    const other = others[index % 3]
    return other === undefined ? open.log.append([event]) : append(other.writer, event)
  })
  const got = await handedOut(open, events.length)
  await Promise.all(appends)
  expect(got.map(({ id }) => id)).toEqual(open.stored)
  const body = ({ id }: AcceptedEvent) => events.find((event) => event.id === id)!.body
  for (const event of got) expect(Buffer.from(event.body)).toEqual(body(event))
  for (const { writer } of others) await writer[Symbol.asyncDispose]()
})

test('a failing append from one thread does not fail appends from another in the same commit', async () => {
  await using open = new OpenLog()
  const [first, again] = [acceptedEvent(), acceptedEvent()]
  await open.log.append([first])
  const other = open.connect()
  const results = await Promise.allSettled([
    append(other.writer, first),
    open.log.append([again]),
    append(other.writer, acceptedEvent()),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect((await handedOut(open, 3)).map(({ id }) => id)).toEqual(open.stored)
  await other.writer[Symbol.asyncDispose]()
})

test('a thread is gone once everything it has posted is committed', async () => {
  await using open = new OpenLog()
  const { writer, gone } = open.connect()
  const appended = append(writer, acceptedEvent(), acceptedEvent())
  void writer[Symbol.asyncDispose]()
  await gone
  expect(open.stored).toHaveLength(2)
  await appended
  await expect(append(writer, acceptedEvent())).rejects.toBeInstanceOf(BackendUnavailableError)
})

test('an append by another thread wakes the followers of the log', async () => {
  await using open = new OpenLog()
  const { writer } = open.connect()
  const { last } = open.log.end
  const beyond = open.log.end.beyond(last, new AbortController().signal)
  await append(writer, acceptedEvent())
  await beyond
  expect(open.log.end.last).toBe(last + 1)
  await writer[Symbol.asyncDispose]()
})
