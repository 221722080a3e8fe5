import { randomUUID } from 'node:crypto'
import { fillArchive } from '@hookline/testing/files/fill-archive'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newSource } from '@hookline/testing/service/new-source'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { expect, test } from 'vitest'

const TOKEN = 'tok_of_retention'
const OLD_EVENTS = 600_000
const SENDERS = 8
const SECONDS = 10

test.for([1, 20, 1_000])(
  'retention removes events from batches of %i faster than the service simultaneously accepts new ones',
  { timeout: 240_000 },
  async (batch) => {
    using folder = new TemporaryFolder()
    fillArchive(folder, { events: OLD_EVENTS, attemptsEach: 1, eventsEachMs: batch })
    const service = new ServiceProcess({
      port: await freePort(),
      dataDir: folder.path,
      settings: {
        HOOKLINE_ADMIN_TOKEN: TOKEN,
        HOOKLINE_LOG_LEVEL: 'error',
        // Removes all events, oldest first, from the start.
        HOOKLINE_RETENTION_MAX_BYTES: '1',
      },
    })
    try {
      expect(await service.ready(), service.stderr).toBe(true)
      const { writeKey } = await newSource(new ManagementApi(service.url, TOKEN))
      const end = new AbortController()
      const sending = Array.from({ length: SENDERS }, () =>
        send(`${service.url}/v1/batch`, { writeKey, batch }, end.signal),
      )
      const before = await counts(service.url)
      const began = performance.now()
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000))
      const after = await counts(service.url)
      const seconds = (performance.now() - began) / 1_000
      end.abort()
      await Promise.all(sending)
      const removed = (after.removed - before.removed) / seconds
      const accepted = (after.accepted - before.accepted) / seconds
      console.log(`batches of ${batch}: ${removed} removed/s, ${accepted} accepted/s`)
      // Both sides have made progress.
      expect(after.removed).toBeLessThan(OLD_EVENTS)
      expect(accepted).toBeGreaterThan(0)
      expect(removed).toBeGreaterThan(accepted)
    } finally {
      await service.kill()
    }
  },
)

/** Sends batches as fast as the service responds. */
async function send(
  url: string,
  { writeKey, batch }: { readonly writeKey: string; readonly batch: number },
  signal: AbortSignal,
): Promise<void> {
  const call = { type: 'track', event: 'Order Completed', userId: 'u1' }
  while (!signal.aborted) {
    const calls = Array.from({ length: batch }, () => ({ ...call, messageId: randomUUID() }))
    const body = JSON.stringify({ writeKey, batch: calls })
    const response = await fetch(url, { method: 'POST', body })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
}

async function counts(
  url: string,
): Promise<{ readonly removed: number; readonly accepted: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const valueOf = (sample: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')[1] ?? 0,
    )
  return {
    removed: valueOf('hookline_events_removed_total'),
    accepted: valueOf('hookline_ingest_events_total{result="accepted"}'),
  }
}
