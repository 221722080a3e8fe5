import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MeasuredService } from '../parked/measured-service.ts'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { TailReader } from './tail-reader.ts'

const SECONDS = Number(process.env['HOOKLINE_TEST_LIVE_SECONDS'] ?? 60)
const PER_SECOND = 1_000
const BATCH = 20
/** Readers that never take anything from their connection. */
const STALLED = 20
/** Memory of a service under load grows by 100 MB, with or without them; what is told to one is 1 MB/s. */
const MOST_GROWTH_BYTES = 256 * 2 ** 20

/** Sends at a steady rate for so long; gives the messageIds of all that was accepted. */
async function steadily(service: MeasuredService, seconds: number): Promise<string[]> {
  const started = performance.now()
  const sending: Promise<string[]>[] = []
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - started) {
    while (sending.length * BATCH < (elapsedMs / 1000) * PER_SECOND)
      sending.push(service.send(BATCH))
    await pause(5)
  }
  return (await Promise.all(sending)).flat()
}

test(
  `${PER_SECOND} events/s for ${SECONDS} s through the service: a reader misses nothing over three breaks, stalled ones cost nothing`,
  { timeout: (SECONDS + 60) * 1000 },
  async () => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    await service.start()
    await service.addSource(receivers.urlOf('answering'))
    await using reader = new TailReader(service)
    await reader.connect()
    const abort = new AbortController()
    const stalled = await Promise.all(
      Array.from({ length: STALLED }, () => service.live({ signal: abort.signal })),
    )

    const sending = steadily(service, SECONDS)
    const started = performance.now()
    const at = (part: number) =>
      pause(Math.max(0, started + SECONDS * 1000 * part - performance.now()))
    await at(0.2)
    // The ring is full by now, the code is warm.
    const before = service.residentBytes
    for (const part of [0.25, 0.5, 0.75]) {
      await at(part)
      await reader.reconnect()
    }
    await at(0.95)
    const growth = service.residentBytes - before
    const sent = await sending
    const { event, decision, attempt } = reader.told
    await expect.poll(() => attempt.size, { timeout: 20_000 }).toBe(sent.length)

    const said = await firstGapOf(stalled[0]!)
    abort.abort()
    console.log(
      `${sent.length} events in ${SECONDS} s, ${reader.reconnects} breaks of a second: missing ${event.missing(sent)}, ` +
        `repeated ${event.repeated}, told besides: ${reader.others.length}; beside ${STALLED} stalled readers ` +
        `memory grew by ${(growth / 2 ** 20).toFixed(0)} MB in ${(SECONDS * 0.75).toFixed(0)} s; one of them then was told ${said}`,
    )
    expect(sent.length / SECONDS).toBeGreaterThan(0.95 * PER_SECOND)
    expect(reader.others).toEqual([])
    expect(event.missing(sent)).toBe(0)
    expect([event, decision, attempt].map(({ size }) => size)).toEqual(Array(3).fill(sent.length))
    expect([event, decision, attempt].map(({ repeated }) => repeated)).toEqual([0, 0, 0])
    expect(growth).toBeLessThan(MOST_GROWTH_BYTES)
  },
)

/** Takes at last what there is for a stalled reader, up to where it is told what it has missed. */
async function firstGapOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body!) {
    text += decoder.decode(chunk, { stream: true })
    const gap = /event: gap\ndata: (.*)\n\n/.exec(text)
    if (gap !== null) return gap[1]!
  }
  throw new Error('The stream ended without telling of a gap.')
}
