import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { halfIfShort } from '@hookline/testing/run/case-count'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { TailReader } from './tail-reader.ts'

const SECONDS = Number(process.env['HOOKLINE_TEST_LIVE_SECONDS'] ?? halfIfShort(60))
const PER_SECOND = 1_000
const BATCH = 20
/** The number of readers that never read from their connection. */
const STALLED = 20
/** The number of readers of counts and changes, like console tabs. */
const TABS = 20
/** Even without stalled readers, memory grows by 100 MB under load. Buffering for one reader would need 1 MB/s. */
const MAX_GROWTH_BYTES = 256 * 2 ** 20

/** Sends calls at a steady rate. Returns the messageIds of all accepted calls. */
async function steadily(service: MeasuredService, seconds: number): Promise<string[]> {
  const started = performance.now()
  const sending: Promise<string[]>[] = []
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - started) {
    while (sending.length * BATCH < (elapsedMs / 1000) * PER_SECOND)
      sending.push(service.send(BATCH))
    await sleep(5)
  }
  return (await Promise.all(sending)).flat()
}

test(
  `${PER_SECOND} events/s for ${SECONDS} s through the service: a reader misses nothing over three reconnects, ${TABS} tabs show the same counts, and stalled readers need little memory`,
  { timeout: (SECONDS + 60) * 1000 },
  async () => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    // The stalled readers read nothing until the end.
    await service.start({ HOOKLINE_SLOW_READER_TIMEOUT: '600000' })
    await service.addSource(receivers.urlOf('answering'))
    await using reader = new TailReader(service)
    await reader.connect()
    const abort = new AbortController()
    const stalled = await Promise.all(
      Array.from({ length: STALLED }, () => service.live({ signal: abort.signal })),
    )

    const tabs = await Promise.all(
      Array.from({ length: TABS }, async () => {
        const answer = await service.live({ topics: 'counts,changes', signal: abort.signal })
        const counted = { received: 0, delivered: 0 }
        return { counted, reading: addUp(answer, counted).catch(() => undefined) }
      }),
    )
    const sending = steadily(service, SECONDS)
    const started = performance.now()
    const at = (part: number) =>
      sleep(Math.max(0, started + SECONDS * 1000 * part - performance.now()))
    await at(0.2)
    // After the warm-up, the ring buffer is full and the code is compiled.
    const before = service.residentBytes
    for (const part of [0.25, 0.5, 0.75]) {
      await at(part)
      await reader.reconnect()
    }
    await at(0.95)
    const growth = service.residentBytes - before
    const sent = await sending
    const { event, decision, attempt } = reader.received
    await expect.poll(() => attempt.size).toBe(sent.length)

    const all = { received: sent.length, delivered: sent.length }
    await expect.poll(() => tabs.map(({ counted }) => counted)).toEqual(tabs.map(() => all))
    const gap = await firstGapOf(stalled[0]!)
    abort.abort()
    await Promise.all(tabs.map(({ reading }) => reading))
    console.log(
      `${sent.length} events in ${SECONDS} s, ${reader.reconnects} interruptions of a second: missing ${event.missing(sent)}, ` +
        `repeated ${event.repeated}, other messages: ${reader.others.length}; with ${STALLED} stalled readers ` +
        `memory grew by ${(growth / 2 ** 20).toFixed(0)} MB in ${(SECONDS * 0.75).toFixed(0)} s; one of them then received the gap ${gap}`,
    )
    expect(sent.length / SECONDS).toBeGreaterThan(0.95 * PER_SECOND)
    expect(reader.others).toEqual([])
    expect(event.missing(sent)).toBe(0)
    expect([event, decision, attempt].map(({ size }) => size)).toEqual(Array(3).fill(sent.length))
    expect([event, decision, attempt].map(({ repeated }) => repeated)).toEqual([0, 0, 0])
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  },
)

/** Sums the counts per second until the stream ends. */
async function addUp(
  answer: Response,
  counted: { received: number; delivered: number },
): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk, { stream: true })
    const messages = text.split('\n\n')
    text = messages.pop()!
    for (const message of messages) {
      const data = /^event: counts\ndata: (.*)$/.exec(message)?.[1]
      if (data === undefined) continue
      const { received, delivered } = JSON.parse(data) as typeof counted
      counted.received += received
      counted.delivered += delivered
    }
  }
}

/** Reads the stream of a stalled reader up to the message about missed messages. */
async function firstGapOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk, { stream: true })
    const gap = /event: gap\ndata: (.*)\n\n/.exec(text)
    if (gap !== null) return gap[1]!
  }
  throw new Error('The stream ended without a gap message.')
}
