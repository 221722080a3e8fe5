import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { Hookline } from '@hookline/testing/cli/hookline'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CallReceiver } from '@hookline/testing/client/call-receiver'

const LINES = 200_000
const BAD_EVERY = 1_000
const FROM = Date.UTC(2013, 0, 1)
const APART_MS = 2_000_000

const BAD_LINES = [
  '{"type":"track"',
  '{"type":"track","event":"E"}',
  '{"userId":"u1","timestamp":"?"}',
]
const isBad = (index: number) => index % BAD_EVERY === 7
const timestampOf = (index: number) => new Date(FROM + index * APART_MS).toISOString()

/** One line of a history of thirteen years of orders. Every second call has a messageId. */
function lineOf(index: number): string {
  if (isBad(index)) return `${BAD_LINES[Math.floor(index / BAD_EVERY) % BAD_LINES.length]}\n`
  const properties = { orderId: `o-${index}`, revenue: index / 100, note: '完了' }
  const call = { type: 'track', userId: `u${index % 977}`, event: 'Order Completed', properties }
  const id = index % 2 === 0 ? { messageId: `order-${index}` } : {}
  return `${JSON.stringify({ ...call, ...id, timestamp: timestampOf(index) })}\n`
}

test(`${LINES} lines of history arrive unchanged or are reported as rejected, even after an interruption`, async () => {
  using folder = new TemporaryFolder()
  await using receiver = await new CallReceiver().listen()
  await using service = await ApiService.start()
  const file = join(folder.path, 'history.ndjson')
  const lines = Array.from({ length: LINES }, (_, index) => index)
  await pipeline(Readable.from(lines.map(lineOf)), createWriteStream(file))
  const args = await targetOf(service, receiver.url)
  // The import must use little memory, even for a large file.
  const small = { nodeArgs: ['--max-old-space-size=64'] }

  await using first = new Hookline(['import', file, ...args], small)
  await expect.poll(() => importedLines(file), { timeout: 120_000 }).toBeGreaterThan(LINES / 2)
  first.signal('SIGINT')
  expect(await first.exit()).toBe(130)
  expect(first.stderr).toMatch(/Run the same command again to resume after line \d+ of /)
  const soFar = importedLines(file)
  expect(soFar).toBeLessThan(LINES)

  await using second = new Hookline(['import', file, ...args], small)
  expect(await second.exit(), second.stderr).toBe(7)
  const bad = lines.filter(isBad)
  expect(JSON.parse(second.stdout)).toMatchObject({
    complete: true,
    line: LINES,
    accepted: LINES - bad.length,
    rejected: bad.length,
  })
  expect(rejectedLines(file)).toEqual(bad.map((index) => [index + 1, lineOf(index).trimEnd()]))

  const { calls } = receiver
  await expect.poll(() => calls.size, { timeout: 400_000, interval: 500 }).toBe(LINES - bad.length)
  const good = lines.filter((index) => !isBad(index))
  const timestamps = [...calls.values()].map(({ timestamp }) => timestamp)
  expect(timestamps.toSorted()).toEqual(good.map(timestampOf))
  for (const index of good.filter((each) => each % 2 === 0)) {
    expect(calls.get(`order-${index}`)?.timestamp).toBe(timestampOf(index))
  }
  const repeats = [...calls.values()].filter(({ times }) => times > 1).length
  console.log(
    `interrupted after line ${soFar} of ${LINES}; ${repeats} calls arrived more than once`,
  )
})

async function targetOf(service: ApiService, webhook: string): Promise<string[]> {
  const source = await service.json<{ id: string; writeKeys: [{ key: string }] }>(
    'sources',
    'create',
    'History',
  )
  await service.json(
    'destinations',
    'create',
    '--source',
    source.id,
    '--webhook',
    webhook,
    '--enabled',
  )
  return ['--url', service.url, '--write-key', source.writeKeys[0].key, '--json']
}

/** The progress of the import, from the file next to the imported one. */
function importedLines(file: string): number {
  try {
    return (JSON.parse(readFileSync(`${file}.import.json`, 'utf8')) as { line: number }).line
  } catch {
    return 0
  }
}

function rejectedLines(file: string): [number, string][] {
  const text = readFileSync(`${file}.rejected.ndjson`, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { lineNumber: number; line: string })
    .map(({ lineNumber, line }) => [lineNumber, line])
}
