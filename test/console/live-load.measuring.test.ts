import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { measureAgain } from '@hookline/testing/run/measure-again'
import { openSignedIn, openTail, useChromium } from './harness/console.ts'
import { steadyLoad } from './harness/steady-load.ts'

useChromium()

const EVENTS_PER_SECOND = 500
/** Use 60 for a full run; the short one finds the same bugs. */
const SECONDS = Number(process.env['HOOKLINE_TEST_LIVE_SECONDS'] ?? 15)
/** Limit on the growth of the heap after the list is full. */
const MAX_GROWTH_BYTES = 12_000_000

/** Records long tasks (over 50 ms) of the page, and the time between frames. */
const WATCH = `
  globalThis.longTasks = []
  globalThis.frames = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const frame = (now) => {
    frames.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
`

test(
  'at 500 events/s the page stays smooth, counts every event, and its memory does not grow',
  { timeout: (SECONDS + 60) * 4_000 },
  async () => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    await service.start()
    await service.addSource(receiver.url)
    const { page, context, go, pageErrors } = await openSignedIn({
      url: `http://127.0.0.1:${service.port}`,
      api: service.api,
    })
    await openTail(page, go)
    const debug = await context.newCDPSession(page)
    await page.evaluate(WATCH)

    // After this, the list has its maximum of a thousand rows, so any further growth would be a leak.
    let sent = await steadyLoad(service, EVENTS_PER_SECOND, 4)
    await seen(page, sent)
    const before = await heapBytes(debug)
    const measured = await measureAgain(
      async () => {
        await page.evaluate('{ longTasks.length = 0; frames.length = 0 }')
        sent += await steadyLoad(service, EVENTS_PER_SECOND, SECONDS)
        const watched = await page.evaluate<Watched>('({ longTasks, frames })')
        await seen(page, sent)
        return summaryOf(watched)
      },
      // Each frame is at least one task, so at most one task in a hundred may be long.
      ({ frames, longTasks }) => longTasks > frames / 100,
    )
    const growth = (await heapBytes(debug)) - before
    console.log({ sent, ...measured, growthKb: Math.round(growth / 1_000) })
    expect(measured.longTasks).toBeLessThanOrEqual(measured.frames / 100)
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
    expect(await page.getByText('missed').count()).toBe(0)
    expect(await page.locator('li[data-row]').count()).toBeLessThan(60)
    expect(pageErrors).toEqual([])
    await receiver.waitFor(sent)
  },
)

interface Watched {
  readonly longTasks: readonly number[]
  readonly frames: readonly number[]
}

function summaryOf({ longTasks, frames }: Watched): Record<string, number> & {
  readonly longTasks: number
  readonly frames: number
} {
  return {
    frames: frames.length,
    p99FrameMs: Math.round(quantile(frames, 0.99)),
    longTasks: longTasks.length,
    longestMs: Math.round(Math.max(0, ...longTasks)),
  }
}

/** Waits until the page has counted every event that was sent. */
async function seen(page: Page, sent: number): Promise<void> {
  const count = new Intl.NumberFormat('en-GB').format(sent)
  await page.getByText(` ${count} received since`).waitFor()
}

async function heapBytes(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  return usedSize
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}
